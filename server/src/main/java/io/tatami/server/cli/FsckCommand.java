package io.tatami.server.cli;

import io.tatami.base.TatamiException;
import io.tatami.client.TatamiClient;
import io.tatami.client.model.FsckReport;
import io.tatami.client.model.TatamiPath;
import io.tatami.protocol.wire.Finding;
import io.tatami.server.cli.option.ClusterArgument;
import io.tatami.server.cli.option.ExitCode;
import io.tatami.server.status.HumanBytes;
import io.tatami.server.status.StatusReport;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code tatami fsck URI [PATH]}. Exit code 1 where anything is wrong. */
@Command(
        name = "fsck",
        description = "Checks the files at and below a path: every entry, block and copy, and the metadata's own"
                + " consistency. Exit code 1 if it finds a problem. For the superuser only.")
final class FsckCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Mixin
    private ClusterArgument cluster;

    @Parameters(
            index = "1",
            paramLabel = "PATH",
            defaultValue = "/",
            description = "The path to check (default: ${DEFAULT-VALUE}).")
    private String path;

    @Override
    public Integer call() throws TatamiException {
        FsckReport report;
        StatusReport status;
        try (TatamiClient client = cluster.connect()) {
            report = client.cluster().fsck(TatamiPath.of(path));
            status = StatusReport.of(client.cluster());
        }
        PrintWriter out = spec.commandLine().getOut();
        for (FsckReport.Problem problem : report.findings()) {
            Finding finding = problem.finding();
            out.println(problem.path() + ": " + finding.getProblem()
                    + (finding.getBlockId() == 0 ? "" : " (block " + Long.toHexString(finding.getBlockId()) + ")"));
        }
        printVolumesThatDoNotServe(status, out);
        if (report.copies().underReplicatedBlocks() > 0) {
            out.printf(
                    "%d blocks under-replicated, %d copies missing%n",
                    report.copies().underReplicatedBlocks(), report.copies().missing());
        }
        out.printf(
                "%d files, %d directories, %d blocks, %s; %d open for writing; %d problems%n",
                report.files(),
                report.directories(),
                report.blocks(),
                HumanBytes.ofBytes(report.bytes()),
                report.openFiles(),
                report.findings().size());
        out.flush();
        return report.findings().isEmpty() ? ExitCode.DONE : ExitCode.FAILED;
    }

    /** Of what is on them, or was, nothing is known: files elsewhere are none the worse. */
    private static void printVolumesThatDoNotServe(StatusReport status, PrintWriter out) {
        for (StatusReport.ServerState server : status.servers()) {
            for (StatusReport.VolumeState volume : server.volumes()) {
                if (!volume.status().getFailure().isEmpty()) {
                    out.printf(
                            "block server %d: volume %s does not serve: %s%n",
                            server.info().getServerId(),
                            volume.status().getPath(),
                            volume.status().getFailure());
                }
            }
        }
    }
}
