package io.tatami.server.cli;

import io.tatami.block.volume.format.VolumeFormatter;
import io.tatami.block.volume.index.IndexDirectories;
import io.tatami.client.TatamiClient;
import io.tatami.server.cli.option.ExitCode;
import io.tatami.server.node.ClusterAddress;
import io.tatami.server.node.DataDirectory;
import io.tatami.server.node.Patience;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.UUID;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code tatami format}. */
@Command(
        name = "format",
        description =
                "Formats a block device or file as a volume of a running cluster. 'start' formats an empty device or file by"
                        + " itself; this command is for others.")
final class FormatCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Option(
            names = "--data",
            required = true,
            paramLabel = "DIR",
            description = "The directory of the future block server.")
    private Path data;

    @Option(
            names = "--metadata",
            required = true,
            paramLabel = "URI",
            description = "A metadata server of the cluster.")
    private String metadata;

    @Option(names = "--volume", required = true, paramLabel = "PATH", description = "The block device or file.")
    private Path volume;

    @Option(names = "--force", description = "Destroy the data on the device. A device in use is still refused.")
    private boolean force;

    @Override
    public Integer call() throws Exception {
        UUID cluster;
        try (TatamiClient client = ClusterAddress.of(metadata)
                .connect(Patience.of(spec.commandLine().getErr()))) {
            cluster = client.clusterId();
        }
        DataDirectory directory = new DataDirectory(data);
        directory.create();
        UUID id = new VolumeFormatter(cluster, new SecureRandom())
                .format(volume, new IndexDirectories(directory.block()), force);
        spec.commandLine().getOut().println("formatted " + volume + " as volume " + id + " of cluster " + cluster);
        return ExitCode.DONE;
    }
}
