package io.tatami.launch;

import io.tatami.hadoop.TatamiShell;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.Stack;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.IParameterPreprocessor;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;

/** {@code tatami fs …}. */
@Command(
        name = "fs",
        preprocessor = FsCommand.Words.class,
        customSynopsis = "tatami fs [-fs URI] -COMMAND [WORD...]",
        description =
                "Runs Hadoop's shell, with Tatami as the default file system. All words are the shell's own: 'tatami"
                        + " fs -help' lists its commands. The cluster is the one of -fs URI in front (or --uri URI), else that"
                        + " of TATAMI_URI, or of fs.defaultFS in the configuration.")
final class FsCommand implements Callable<Integer> {
    private List<String> words = List.of();

    List<String> words() {
        return words;
    }

    @Override
    public Integer call() throws Exception {
        return TatamiShell.run(words);
    }

    /** Takes them all from the parser, but for a lone call for help. */
    static final class Words implements IParameterPreprocessor {
        private static final Set<String> HELP = Set.of("--help", "-h");

        @Override
        public boolean preprocess(
                Stack<String> left, CommandSpec command, @Nullable ArgSpec argument, Map<String, Object> info) {
            if (left.size() == 1 && HELP.contains(left.peek())) {
                return false;
            }
            List<String> words = new ArrayList<>();
            while (!left.isEmpty()) {
                words.add(left.pop());
            }
            ((FsCommand) command.userObject()).words = words;
            return false;
        }
    }
}
