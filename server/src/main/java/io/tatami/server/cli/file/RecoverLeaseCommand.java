package io.tatami.server.cli.file;

import io.tatami.base.Clock;
import io.tatami.base.TatamiException;
import io.tatami.client.TatamiClient;
import io.tatami.client.model.TatamiPath;
import io.tatami.server.cli.option.ClusterArgument;
import io.tatami.server.cli.option.ExitCode;
import io.tatami.server.cli.option.OnPaths;
import io.tatami.server.cli.option.TimeSpan;
import io.tatami.server.node.Patience;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code tatami recover-lease [URI] PATH}. */
@Command(
        name = "recover-lease",
        description =
                "Takes the write lease of a file from its writer and closes the file, with all that was flushed, and"
                        + " waits until it is closed. Exit code 1 where it is not closed in time; the recovery goes on. Whoever"
                        + " may write the file may do that.")
public final class RecoverLeaseCommand implements Callable<Integer>, OnPaths {
    private static final long STEP_NANOS = TimeUnit.SECONDS.toNanos(1);

    @Spec
    private CommandSpec spec;

    @Mixin
    private ClusterArgument cluster;

    @Parameters(index = "0", paramLabel = "PATH", description = "The file.")
    private String path;

    @Option(
            names = "--no-wait",
            description = "Return when the recovery has begun; exit code 0 although the file is not closed yet.")
    private boolean noWait;

    @Option(
            names = "--timeout",
            paramLabel = "TIME",
            defaultValue = "5m",
            converter = TimeSpan.class,
            description = "How long to wait (default: ${DEFAULT-VALUE}).")
    private Duration timeout;

    @Override
    public Integer call() throws TatamiException, InterruptedException {
        PrintWriter out = spec.commandLine().getOut();
        try (TatamiClient client = cluster.connect()) {
            boolean isClosed = client.following(TatamiPath.of(path), client::recoverLease);
            if (!isClosed && !noWait) {
                isClosed = await(client, out);
            }
            out.println(path + (isClosed ? " is closed" : " is being recovered"));
            out.flush();
            return isClosed || noWait ? ExitCode.DONE : ExitCode.FAILED;
        }
    }

    /** Asks again and again, which also begins a recovery anew that a leader of the shard has forgotten. */
    private boolean await(TatamiClient client, PrintWriter out) throws TatamiException, InterruptedException {
        out.println("the last block is brought to one length on its servers; the recovery goes on if this command is"
                + " stopped with Ctrl-C");
        out.flush();
        long beganNanos = Clock.SYSTEM.monotonicNanos();
        long tellNanos = TimeUnit.SECONDS.toNanos(10);
        while (Clock.SYSTEM.monotonicNanos() - beganNanos < timeout.toNanos()) {
            Clock.SYSTEM.sleep(STEP_NANOS);
            if (client.following(TatamiPath.of(path), client::recoverLease)) {
                return true;
            }
            long waitedNanos = Clock.SYSTEM.monotonicNanos() - beganNanos;
            if (waitedNanos >= tellNanos) {
                tellNanos += TimeUnit.SECONDS.toNanos(10);
                PrintWriter err = spec.commandLine().getErr();
                err.println(Patience.ERROR_PREFIX + "not closed after " + TimeUnit.NANOSECONDS.toSeconds(waitedNanos)
                        + " s of " + timeout.toSeconds() + " s");
                err.flush();
            }
        }
        return false;
    }
}
