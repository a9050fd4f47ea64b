package io.tatami.server.cli.admin;

import io.tatami.client.ClusterAdmin;
import io.tatami.client.TatamiClient;
import io.tatami.client.model.ReplicationProgress;
import io.tatami.server.cli.option.ClusterArgument;
import io.tatami.server.cli.option.ExitCode;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code tatami admin metadata replicate [URI] --replicas N}. */
@Command(
        name = "replicate",
        description =
                "Replicates each metadata group on several metadata servers while clients work, so that any minority of"
                        + " them may be lost. The servers must have joined before. Prints the progress.")
final class ReplicateMetadataCommand implements Callable<Integer> {
    private static final long STEP_MILLIS = 500;

    @Spec
    private CommandSpec spec;

    @Mixin
    private ClusterArgument cluster;

    @Option(
            names = "--replicas",
            required = true,
            paramLabel = "N",
            description = "The number of replicas of each group: 3, 5 or 7, and not fewer than now.")
    private int replicas;

    @Option(names = "--no-wait", description = "Return as soon as the change is accepted.")
    private boolean noWait;

    @Override
    public Integer call() throws Exception {
        if (replicas < 1) {
            throw new CommandLine.ParameterException(
                    spec.commandLine(), "--replicas " + replicas + ": the number of replicas must be odd, from 3 to 7");
        }
        PrintWriter out = spec.commandLine().getOut();
        try (TatamiClient client = cluster.connect()) {
            ReplicationProgress progress = client.cluster().replicateMetadata(replicas);
            if (!progress.isDone() && !noWait) {
                out.println("The cluster continues if this command is stopped with Ctrl-C; the same command prints"
                        + " the progress.");
                progress = follow(client.cluster(), progress, out);
            }
            print(progress, out);
        }
        return ExitCode.DONE;
    }

    /** A line for each change, until all is done. */
    private static ReplicationProgress follow(ClusterAdmin cluster, ReplicationProgress begun, PrintWriter out)
            throws Exception {
        ReplicationProgress now = begun;
        print(now, out);
        while (!now.isDone()) {
            Thread.sleep(STEP_MILLIS);
            ReplicationProgress next = cluster.replicateMetadata(0);
            if (!next.equals(now) && !next.isDone()) {
                print(next, out);
            }
            now = next;
        }
        return now;
    }

    private static void print(ReplicationProgress progress, PrintWriter out) {
        String state = progress.state().isEmpty() ? "" : "; " + progress.state();
        out.printf(
                "%d of %d groups are held by %d %s%s%n",
                progress.groupsDone(),
                progress.groupsTotal(),
                progress.replicas(),
                progress.replicas() == 1 ? "server" : "servers",
                state);
        out.flush();
    }
}
