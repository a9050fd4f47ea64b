package io.tatami.server.cli;

import io.tatami.base.BlockId;
import io.tatami.base.Clock;
import io.tatami.base.TatamiException;
import io.tatami.client.ClusterAdmin;
import io.tatami.client.TatamiClient;
import io.tatami.client.model.FsckReport;
import io.tatami.client.model.TatamiPath;
import io.tatami.protocol.wire.CheckedBlock.Health;
import io.tatami.protocol.wire.FsckReply;
import io.tatami.protocol.wire.FsckRequest;
import io.tatami.server.cli.option.ClusterArgument;
import io.tatami.server.cli.option.ExitCode;
import io.tatami.server.cli.option.OnPaths;
import io.tatami.server.status.CheckJson;
import io.tatami.server.status.CheckText;
import io.tatami.server.status.StatusReport;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code tatami fsck [URI] [PATH]}. Exit code 1 where anything is wrong. */
@Command(
        name = "fsck",
        description = "Checks the files at and below a path: every entry, block and copy, and the metadata's own"
                + " consistency. Exit code 1 if it finds a problem, whatever is listed. Progress goes to the error"
                + " output. For the superuser only.")
final class FsckCommand implements Callable<Integer>, OnPaths {
    private static final int HEX = 16;

    @Spec
    private CommandSpec spec;

    @Mixin
    private ClusterArgument cluster;

    @Parameters(
            index = "0",
            arity = "0..1",
            paramLabel = "PATH",
            defaultValue = "/",
            description = "The path to check (default: ${DEFAULT-VALUE}).")
    private String path;

    @Option(
            names = {"--blocks", "-blocks"},
            description = "Also lists all files with their blocks and the health of each.")
    private boolean blocks;

    @Option(
            names = {"--locations", "-locations"},
            description = "As --blocks, with the servers that have the copies.")
    private boolean locations;

    @Option(
            names = {"--racks", "-racks"},
            description = "As --locations, with the racks of the servers.")
    private boolean racks;

    @Option(
            names = "--corrupt",
            description = "Prints the paths of files with a block that cannot be read, one a line, and nothing else.")
    private boolean corrupt;

    @Option(
            names = "--under",
            description = "Prints the paths of files with an under-replicated block, one a line, and nothing else.")
    private boolean under;

    @Option(
            names = "--open",
            description = "Prints the paths of files that are open for writing, one a line, and nothing else.")
    private boolean open;

    @Option(
            names = "--block",
            paramLabel = "ID",
            description = "Instead of a path: the file of this block, and its copies. The id as fsck prints it.")
    private @Nullable String block;

    @Option(
            names = "--json",
            description = "One JSON object a line: problems and listed files as they are found, then the sums.")
    private boolean json;

    @Override
    public Integer call() throws TatamiException {
        PrintWriter out = spec.commandLine().getOut();
        CheckText.Detail detail = new CheckText.Detail(locations || racks, racks);
        try (TatamiClient client = cluster.connect()) {
            ClusterAdmin admin = client.cluster();
            return block == null ? check(admin, detail, out) : checkBlock(admin, detail, out, block);
        } finally {
            out.flush();
        }
    }

    private int check(ClusterAdmin admin, CheckText.Detail detail, PrintWriter out) throws TatamiException {
        boolean onlyPaths = corrupt || under || open;
        if (json) {
            CheckJson lines = new CheckJson(out);
            FsckReport report = admin.fsck(
                    TatamiPath.of(path),
                    listing(),
                    lines.listener(new CheckText.Progress(spec.commandLine().getErr(), Clock.SYSTEM)));
            lines.printTotals(report);
            return report.problems() == 0 ? ExitCode.DONE : ExitCode.FAILED;
        }
        CheckText text = new CheckText(out, admin.map(), detail);
        CheckText.Progress progress = new CheckText.Progress(spec.commandLine().getErr(), Clock.SYSTEM);
        FsckReport report = admin.fsck(TatamiPath.of(path), listing(), text.listener(onlyPaths, progress));
        if (!onlyPaths) {
            text.printVolumesThatDoNotServe(StatusReport.of(admin));
            text.printTotals(report);
        }
        return report.problems() == 0 ? ExitCode.DONE : ExitCode.FAILED;
    }

    private FsckRequest listing() {
        FsckRequest.Builder listing = FsckRequest.newBuilder()
                .setListAll(blocks || locations || racks)
                .setListOpen(open);
        boolean onlyPaths = corrupt || under || open;
        if (onlyPaths) {
            listing.setListAll(false);
        }
        if (corrupt) {
            listing.addList(Health.DAMAGED).addList(Health.MISSING).addList(Health.UNKNOWN);
        }
        if (under) {
            listing.addList(Health.UNDER_REPLICATED);
        }
        return listing.build();
    }

    private int checkBlock(ClusterAdmin admin, CheckText.Detail detail, PrintWriter out, String id)
            throws TatamiException {
        FsckReply reply = admin.checkBlock(blockId(id));
        new CheckText(out, admin.map(), detail.withLocations()).printBlock(reply);
        return reply.getFindingCount() == 0 ? ExitCode.DONE : ExitCode.FAILED;
    }

    /** With the letter that begins it or without. */
    private BlockId blockId(String id) {
        try {
            return new BlockId(Long.parseLong(id.startsWith("b") && id.length() > 1 ? id.substring(1) : id, HEX));
        } catch (IllegalArgumentException | IllegalStateException e) {
            throw new ParameterException(
                    spec.commandLine(), "--block " + id + " is no block's id, such as b1000000002a", e);
        }
    }
}
