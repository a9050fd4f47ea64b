package io.tatami.launch;

import io.tatami.base.TatamiException;
import io.tatami.hadoop.TatamiLocality;
import io.tatami.server.cli.option.ClusterWords;
import io.tatami.server.cli.option.ExitCode;
import io.tatami.server.cli.option.OnPaths;
import io.tatami.server.node.Patience;
import java.io.IOException;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code tatami locality APPLICATION|PATH}. */
@Command(
        name = "locality",
        preprocessor = ClusterWords.class,
        description =
                "Tells what a job, or the readers of files, read locally and remotely, and why. It is what was read"
                        + " in the last day by the tasks of an application (application_N_M or job_N_M; app-N-M or local-N of"
                        + " Spark), or of the files at and below a path: bytes from the reader's host, its rack, other racks and"
                        + " the cache tier, and for reads from other hosts why. All users' reads for the superuser, one's own"
                        + " for others.")
final class LocalityCommand implements Callable<Integer>, OnPaths {
    @Spec
    private CommandSpec spec;

    @Parameters(index = "0", paramLabel = "APPLICATION|PATH", description = "The application, by its id, or the path.")
    private String subject = "";

    @Option(
            names = "--uri",
            paramLabel = "URI",
            description = "The cluster, tatami://host:port; also as a word, without --uri (default: TATAMI_URI, or"
                    + " fs.defaultFS).")
    private @Nullable String uri;

    @Option(
            names = "--history",
            paramLabel = "FILE",
            description = "History file of a MapReduce job (default: looked for in the directories of the history"
                    + " server), to tell what ran off its split's hosts.")
    private @Nullable String history;

    @Option(
            names = "--top",
            paramLabel = "N",
            defaultValue = "20",
            description = "How many of the largest remote reads are listed (default: ${DEFAULT-VALUE}).")
    private int top;

    @Option(names = "--json", description = "One JSON object instead of text; sizes in bytes.")
    private boolean json;

    /** Applications. */
    @Override
    public boolean takesOtherWords() {
        return true;
    }

    @Override
    public Integer call() throws TatamiException {
        if (top < 0) {
            throw new ParameterException(spec.commandLine(), "--top is " + top + "; write a number from 0");
        }
        try {
            TatamiLocality.print(
                    TatamiLocality.configuration(uri),
                    new TatamiLocality.Question(subject, history, top, json),
                    spec.commandLine().getOut());
            return ExitCode.DONE;
        } catch (TatamiException e) {
            throw e;
        } catch (IOException e) {
            spec.commandLine().getErr().println(Patience.ERROR_PREFIX + e.getMessage());
            return ExitCode.FAILED;
        }
    }
}
