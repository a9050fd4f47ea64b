package io.tatami.server.cli;

import io.tatami.base.TatamiException;
import io.tatami.client.TatamiClient;
import io.tatami.client.model.AccessPlan;
import io.tatami.client.model.DirectoryListing;
import io.tatami.client.model.PathStatus;
import io.tatami.client.model.TatamiPath;
import io.tatami.server.cli.option.ClusterArgument;
import io.tatami.server.cli.option.ExitCode;
import io.tatami.server.cli.option.OnPaths;
import io.tatami.server.cli.option.ProgressLine;
import io.tatami.server.status.HumanBytes;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code tatami prefetch [URI] PATH…}. The same paths in the same order name the same plan. */
@Command(
        name = "prefetch",
        description = "Tells the cache tier to stage files before they are read, in the order of the arguments, and"
                + " prints the progress until the tier is full or the plan is complete. Ctrl-C is harmless; the plan"
                + " stays until it is cancelled, or unused for an hour.")
final class PrefetchCommand implements Callable<Integer>, OnPaths {
    private static final long STEP_MILLIS = 500;

    /** So many steps without a change: the tier is as full as it may be before somebody reads. */
    private static final int STEPS_WITHOUT_CHANGE = 6;

    @Spec
    private CommandSpec spec;

    @Mixin
    private ClusterArgument cluster;

    @Parameters(
            index = "0..*",
            arity = "1..*",
            paramLabel = "PATH",
            description = "Files, or directories with their subtrees in the order of names.")
    private List<String> paths;

    @Option(names = "--release", description = "Drop each staged copy after its first read.")
    private boolean release;

    @Option(
            names = "--window",
            paramLabel = "SIZE",
            defaultValue = "0",
            converter = ServeOptions.Bytes.class,
            description = "The most that each server stages ahead of its readers (default: its share).")
    private long windowBytes;

    @Option(names = "--status", description = "Print the progress of the plan of these paths.")
    private boolean status;

    @Option(names = "--cancel", description = "Cancel the plan of these paths, and drop its staged copies.")
    private boolean cancel;

    @Override
    public Integer call() throws Exception {
        try (TatamiClient client = cluster.connect()) {
            UUID id = id(client);
            if (cancel) {
                client.cancelPlan(id);
                return ExitCode.DONE;
            }
            if (status) {
                print(client.planProgress(id));
                return ExitCode.DONE;
            }
            // The same paths may have been planned, and read, before.
            client.cancelPlan(id);
            List<AccessPlan.Read> reads = new ArrayList<>();
            for (String path : paths) {
                add(client, client.status(TatamiPath.of(path), true), reads);
            }
            client.prefetch(new AccessPlan(id, reads, release, windowBytes, AccessPlan.KEEP));
            follow(client, id);
            return ExitCode.DONE;
        }
    }

    private UUID id(TatamiClient client) {
        String name = client.user().user() + "\n" + String.join("\n", paths);
        return UUID.nameUUIDFromBytes(name.getBytes(StandardCharsets.UTF_8));
    }

    private static void add(TatamiClient client, PathStatus found, List<AccessPlan.Read> reads) throws TatamiException {
        if (!found.isDirectory()) {
            reads.add(AccessPlan.Read.whole(found.path()));
            return;
        }
        DirectoryListing listing = client.list(found.path(), false);
        while (listing.hasNext()) {
            PathStatus entry = listing.next();
            if (!entry.isSymlink()) {
                add(client, entry, reads);
            }
        }
    }

    private void follow(TatamiClient client, UUID plan) throws TatamiException, InterruptedException {
        AccessPlan.Progress last = client.planProgress(plan);
        print(last);
        try (ProgressLine progress = ProgressLine.of(spec.commandLine().getErr())) {
            follow(client, plan, last, progress);
        }
    }

    /** Until nothing is left, or nothing moves. On a terminal one line changes, elsewhere each change is a line. */
    private void follow(TatamiClient client, UUID plan, AccessPlan.Progress begun, ProgressLine progress)
            throws TatamiException, InterruptedException {
        AccessPlan.Progress last = begun;
        for (int unchanged = 0; last.remainingBytes() > 0 && unchanged < STEPS_WITHOUT_CHANGE; ) {
            Thread.sleep(STEP_MILLIS);
            AccessPlan.Progress now = client.planProgress(plan);
            unchanged = now.equals(last) ? unchanged + 1 : 0;
            if (progress.isShown()) {
                progress.showBytes(staged(now), staged(begun), now.plannedBytes());
            } else if (unchanged == 0) {
                print(now);
            }
            last = now;
        }
        if (progress.isShown()) {
            progress.close();
            print(last);
        }
    }

    private static long staged(AccessPlan.Progress progress) {
        return progress.plannedBytes() - progress.remainingBytes();
    }

    private void print(AccessPlan.Progress progress) {
        PrintWriter out = spec.commandLine().getOut();
        out.printf(
                "planned %s: %s staged and waiting, %s read (%s late), %s to be staged, %s failed%n",
                HumanBytes.ofBytes(progress.plannedBytes()),
                HumanBytes.ofBytes(progress.waitingBytes()),
                HumanBytes.ofBytes(progress.readBytes()),
                HumanBytes.ofBytes(progress.lateBytes()),
                HumanBytes.ofBytes(progress.remainingBytes()),
                HumanBytes.ofBytes(progress.failedBytes()));
        out.flush();
    }
}
