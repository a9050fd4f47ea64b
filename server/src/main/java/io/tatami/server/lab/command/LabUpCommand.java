package io.tatami.server.lab.command;

import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.conf.SettingKind;
import io.tatami.server.lab.Lab;
import io.tatami.server.lab.LabSpec;
import io.tatami.server.lab.host.DiskRate;
import io.tatami.server.lab.host.LinkRate;
import java.io.IOException;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code tatami lab up}. */
@Command(
        name = "up",
        description =
                "Makes a lab, and returns when it serves. As root each node has a network, a host name, /dev/shm and disks"
                        + " of its own; else it is an address of the loopback interface, and links and disks cannot be"
                        + " cut and slowed down.")
final class LabUpCommand extends LabAction {
    @Option(
            names = "--nodes",
            defaultValue = "4",
            description = "With a block server each (default: ${DEFAULT-VALUE}).")
    private int nodes;

    @Option(
            names = "--racks",
            defaultValue = "2",
            description = "Nodes are dealt out to them (default: ${DEFAULT-VALUE}).")
    private int racks;

    @Option(
            names = "--metadata",
            defaultValue = "1",
            paramLabel = "N",
            description = "Metadata servers, on the first nodes; an odd number (default: ${DEFAULT-VALUE}).")
    private int metadata;

    @Option(
            names = "--shards",
            defaultValue = "4",
            description = "Shards of the metadata, a power of two (default: ${DEFAULT-VALUE}).")
    private int shards;

    @Option(
            names = "--rate",
            defaultValue = "off",
            paramLabel = "RATE",
            description = "Of each node's link, each way, such as 1gbit; needs root (default: ${DEFAULT-VALUE}).")
    private String rate;

    @Option(
            names = "--disk-rate",
            defaultValue = "off",
            paramLabel = "RATE",
            description = "Of each disk, each way, such as 50MB a second; needs root (default: ${DEFAULT-VALUE}).")
    private String diskRate;

    @Option(
            names = "--capacity",
            defaultValue = "2g",
            paramLabel = "SIZE",
            description = "Of each disk; takes room as it is written (default: ${DEFAULT-VALUE}).")
    private String capacity;

    @Option(names = "--hdfs", description = "HDFS on the same nodes, on disks of its own; needs root.")
    private boolean hdfs;

    @Option(names = "--loopback", description = "Do without root's means also as root.")
    private boolean loopback;

    @Option(
            names = "--java",
            paramLabel = "OPTION",
            description =
                    "An option of every server's Java, such as -Dtatami.block.size.min=1; may be given several times.")
    private List<String> java = List.of();

    @Override
    int run() throws IOException, InterruptedException {
        Lab lab = Lab.up(spec());
        say("serving " + lab.uri());
        say("a client on a node: tatami lab exec --dir " + lab.spec().directory() + " node1 tatami fs -ls /");
        return DONE;
    }

    private LabSpec spec() throws TatamiException {
        LabSpec spec = LabSpec.of(directory(), new LabSpec.Shape(nodes, racks, metadata, shards), capacityBytes())
                .withLimits(LinkRate.parse(rate), DiskRate.parse(diskRate))
                .withJavaOptions(java);
        LabSpec isolated = loopback ? spec.onLoopback() : spec;
        return hdfs ? isolated.withHdfs() : isolated;
    }

    private long capacityBytes() throws TatamiException {
        try {
            return SettingKind.SIZE.parse(capacity);
        } catch (IllegalArgumentException e) {
            throw new TatamiException(
                    ErrorCode.INVALID_ARGUMENT, "--capacity is '" + capacity + "'; write a size such as 2g", e);
        }
    }
}
