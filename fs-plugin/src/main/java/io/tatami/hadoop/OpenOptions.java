package io.tatami.hadoop;

import io.tatami.client.file.ReadPolicy;
import java.util.Set;
import org.apache.hadoop.fs.Options.OpenFileOptions;
import org.apache.hadoop.fs.impl.AbstractFSBuilderImpl;
import org.apache.hadoop.fs.impl.OpenFileParameters;

/** What the {@code openFile()} builder was told, as far as it changes how a file is read. */
record OpenOptions(ReadPolicy policy) {
    private static final Set<String> KNOWN = OpenFileOptions.FS_OPTION_OPENFILE_STANDARD_OPTIONS;

    /** @throws IllegalArgumentException for a mandatory option that is not known here */
    static OpenOptions of(OpenFileParameters parameters, Object what) {
        AbstractFSBuilderImpl.rejectUnknownMandatoryKeys(parameters.getMandatoryKeys(), KNOWN, "for " + what);
        for (String policy :
                parameters.getOptions().getTrimmedStringCollection(OpenFileOptions.FS_OPTION_OPENFILE_READ_POLICY)) {
            switch (policy) {
                case OpenFileOptions.FS_OPTION_OPENFILE_READ_POLICY_SEQUENTIAL,
                        OpenFileOptions.FS_OPTION_OPENFILE_READ_POLICY_WHOLE_FILE -> {
                    return new OpenOptions(ReadPolicy.SEQUENTIAL);
                }
                case OpenFileOptions.FS_OPTION_OPENFILE_READ_POLICY_RANDOM,
                        OpenFileOptions.FS_OPTION_OPENFILE_READ_POLICY_VECTOR -> {
                    return new OpenOptions(ReadPolicy.RANDOM);
                }
                case OpenFileOptions.FS_OPTION_OPENFILE_READ_POLICY_DEFAULT,
                        OpenFileOptions.FS_OPTION_OPENFILE_READ_POLICY_ADAPTIVE -> {
                    return new OpenOptions(ReadPolicy.ADAPTIVE);
                }
                default -> {
                    // A list of policies is in order of preference; one that is not known is passed over.
                }
            }
        }
        return new OpenOptions(ReadPolicy.ADAPTIVE);
    }
}
