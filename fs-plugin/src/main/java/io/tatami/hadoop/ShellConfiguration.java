package io.tatami.hadoop;

import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.jspecify.annotations.Nullable;

/** The configuration of a command at a terminal. */
final class ShellConfiguration {
    private static final String DEFAULT_FS = "fs.defaultFS";

    private ShellConfiguration() {}

    /**
     * The files on the class path, with a cluster of Tatami as the default file system: the one that the command's
     * words name, else that of the environment's {@code TATAMI_URI}, else that of the files.
     *
     * @param uri null where the words name none
     * @param resources files beside Hadoop's own
     * @throws TatamiException INVALID_ARGUMENT where no cluster is named
     */
    static Configuration of(@Nullable String uri, List<String> resources) throws TatamiException {
        Configuration configuration = new Configuration();
        resources.forEach(configuration::addResource);
        String variable = System.getenv("TATAMI_URI");
        if (uri != null) {
            configuration.set(DEFAULT_FS, uri);
        } else if (variable != null && !variable.isBlank()) {
            configuration.set(DEFAULT_FS, variable.strip());
        }
        if (!configuration.get(DEFAULT_FS, "").startsWith("tatami:")) {
            throw new TatamiException(
                    ErrorCode.INVALID_ARGUMENT,
                    "no cluster is named: write its URI, tatami://host:port, behind --uri, or set TATAMI_URI");
        }
        return configuration;
    }
}
