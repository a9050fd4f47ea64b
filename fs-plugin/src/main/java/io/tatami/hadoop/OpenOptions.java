package io.tatami.hadoop;

import io.tatami.client.file.ReadPolicy;
import java.util.Set;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Options.OpenFileOptions;
import org.apache.hadoop.fs.impl.AbstractFSBuilderImpl;
import org.apache.hadoop.fs.impl.OpenFileParameters;

/** What the {@code openFile()} builder was told, as far as it changes how a file is read. */
record OpenOptions(ReadPolicy policy, boolean prefetch, long splitStart, long splitEnd) {
    /** Whether the split that is named, or the whole file, is planned for the cache tier. */
    static final String PREFETCH = "fs.tatami.openfile.prefetch";

    /** Hadoop's own set of the standard options came with 3.3.5; their names are constants of the compiler. */
    private static final Set<String> KNOWN = Set.of(
            OpenFileOptions.FS_OPTION_OPENFILE_BUFFER_SIZE,
            OpenFileOptions.FS_OPTION_OPENFILE_FOOTER_CACHE,
            OpenFileOptions.FS_OPTION_OPENFILE_LENGTH,
            OpenFileOptions.FS_OPTION_OPENFILE_READ_POLICY,
            OpenFileOptions.FS_OPTION_OPENFILE_SPLIT_START,
            OpenFileOptions.FS_OPTION_OPENFILE_SPLIT_END,
            PREFETCH);

    /** @throws IllegalArgumentException for a mandatory option that is not known here */
    static OpenOptions of(OpenFileParameters parameters, Object what) {
        AbstractFSBuilderImpl.rejectUnknownMandatoryKeys(parameters.getMandatoryKeys(), KNOWN, "for " + what);
        Configuration options = parameters.getOptions();
        return new OpenOptions(
                policy(options),
                options.getBoolean(PREFETCH, false),
                Math.max(0, options.getLong(OpenFileOptions.FS_OPTION_OPENFILE_SPLIT_START, 0)),
                options.getLong(OpenFileOptions.FS_OPTION_OPENFILE_SPLIT_END, Long.MAX_VALUE));
    }

    long splitLength() {
        return Math.max(0, splitEnd - splitStart);
    }

    private static ReadPolicy policy(Configuration options) {
        for (String policy : options.getTrimmedStringCollection(OpenFileOptions.FS_OPTION_OPENFILE_READ_POLICY)) {
            switch (policy) {
                case OpenFileOptions.FS_OPTION_OPENFILE_READ_POLICY_SEQUENTIAL,
                        OpenFileOptions.FS_OPTION_OPENFILE_READ_POLICY_WHOLE_FILE -> {
                    return ReadPolicy.SEQUENTIAL;
                }
                case OpenFileOptions.FS_OPTION_OPENFILE_READ_POLICY_RANDOM,
                        OpenFileOptions.FS_OPTION_OPENFILE_READ_POLICY_VECTOR -> {
                    return ReadPolicy.RANDOM;
                }
                case OpenFileOptions.FS_OPTION_OPENFILE_READ_POLICY_DEFAULT,
                        OpenFileOptions.FS_OPTION_OPENFILE_READ_POLICY_ADAPTIVE -> {
                    return ReadPolicy.ADAPTIVE;
                }
                default -> {
                    // A list of policies is in order of preference; one that is not known is passed over.
                }
            }
        }
        return ReadPolicy.ADAPTIVE;
    }
}
