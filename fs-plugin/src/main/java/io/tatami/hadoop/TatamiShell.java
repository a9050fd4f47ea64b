package io.tatami.hadoop;

import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FsShell;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.util.ToolRunner;
import org.jspecify.annotations.Nullable;

/**
 * {@code bin/tatami fs}: Hadoop's shell with Tatami as the default file system. The cluster is the one of {@code -fs}
 * or {@code --uri}, else of the environment's {@code TATAMI_URI}, else of {@code fs.defaultFS} in the configuration on
 * the class path.
 */
public final class TatamiShell {
    /** Ours, and Hadoop's own of all its commands. */
    private static final Set<String> URI_OPTIONS = Set.of("--uri", "-fs");

    private static final Set<String> SNAPSHOT_COMMANDS =
            Set.of("-createSnapshot", "-deleteSnapshot", "-renameSnapshot");

    private TatamiShell() {}

    /**
     * Runs the words of a command line, and returns the exit code of Hadoop's shell.
     *
     * @throws TatamiException INVALID_ARGUMENT where no cluster is named
     */
    public static int run(List<String> words) throws Exception {
        List<String> rest = new ArrayList<>(words);
        Configuration configuration = ShellConfiguration.of(uri(rest), List.of("tatami-site.xml"));
        configuration.set("fs.AbstractFileSystem.tatami.impl", "io.tatami.hadoop.TatamiFs");
        return run(configuration, rest);
    }

    /**
     * The exit code of words that name no cluster. Hadoop's shell ends with a stack trace where a file system has no
     * snapshots, and so is not asked.
     */
    static int run(Configuration configuration, List<String> arguments) throws Exception {
        if (arguments.size() > 1 && SNAPSHOT_COMMANDS.contains(arguments.get(0))) {
            Path directory = new Path(arguments.get(1));
            if (directory.getFileSystem(configuration) instanceof TatamiFileSystem) {
                System.err.println(
                        arguments.get(0).substring(1) + ": `" + directory + "': Tatami does not support snapshots");
                return 1;
            }
        }
        return ToolRunner.run(new FsShell(configuration), arguments.toArray(String[]::new));
    }

    /** Takes {@code --uri URI}, or {@code -fs URI}, from the front of the arguments; null where there is none. */
    static @Nullable String uri(List<String> arguments) throws TatamiException {
        if (arguments.isEmpty() || !URI_OPTIONS.contains(arguments.get(0))) {
            return null;
        }
        String option = arguments.remove(0);
        if (arguments.isEmpty()) {
            throw new TatamiException(ErrorCode.INVALID_ARGUMENT, option + " needs tatami://host:port behind it");
        }
        return arguments.remove(0);
    }
}
