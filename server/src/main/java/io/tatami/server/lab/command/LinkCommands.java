package io.tatami.server.lab.command;

import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.server.lab.Lab;
import io.tatami.server.lab.LabNode;
import io.tatami.server.lab.host.DiskRate;
import io.tatami.server.lab.host.LinkRate;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Commands about links and disks. */
final class LinkCommands {
    private LinkCommands() {}

    /** {@code tatami lab cut NODE}. */
    @Command(
            name = "cut",
            description = "Cuts a node's links to all others: packets are lost, and nobody is told. Needs root.")
    static final class Cut extends ServerCommands.OfNode {
        @Option(names = "--from", paramLabel = "NODE", description = "Its link to this node alone.")
        private String from = "";

        @Option(names = "--one-way", paramLabel = "in|out", description = "What it is sent, or what it sends, alone.")
        private String oneWay = "";

        @Override
        void run(Lab lab, LabNode node) throws IOException, InterruptedException {
            Lab.Direction direction = direction();
            lab.cut(node, from.isEmpty() ? lab.nodes() : List.of(lab.node(from)), direction);
        }

        private Lab.Direction direction() throws TatamiException {
            return switch (oneWay.toLowerCase(Locale.ROOT)) {
                case "" -> Lab.Direction.BOTH;
                case "in" -> Lab.Direction.IN;
                case "out" -> Lab.Direction.OUT;
                default ->
                    throw new TatamiException(
                            ErrorCode.INVALID_ARGUMENT, "--one-way is '" + oneWay + "'; write in or out");
            };
        }
    }

    /** {@code tatami lab heal}. */
    @Command(name = "heal", description = "Takes cuts back: all, or those of a node's links.")
    static final class Heal extends LabAction {
        @Parameters(index = "0", arity = "0..1", paramLabel = "NODE", description = "Such as node1.")
        private String node = "";

        @Override
        int run() throws IOException, InterruptedException {
            Lab lab = lab();
            lab.heal(node.isEmpty() ? lab.nodes() : List.of(lab.node(node)));
            return DONE;
        }
    }

    /** {@code tatami lab slow NODE}. */
    @Command(name = "slow", description = "Holds a node's link or disks to a rate from now on. Needs root.")
    static final class Slow extends ServerCommands.OfNode {
        @Option(names = "--rate", paramLabel = "RATE", description = "Of the link, each way: 1mbit, or off.")
        private String rate = "";

        @Option(
                names = "--disk-rate",
                paramLabel = "RATE",
                description = "Of each disk, each way: 5MB a second, or off.")
        private String diskRate = "";

        @Override
        void run(Lab lab, LabNode node) throws IOException, InterruptedException {
            if (rate.isEmpty() && diskRate.isEmpty()) {
                throw new TatamiException(ErrorCode.INVALID_ARGUMENT, "write --rate, --disk-rate, or both");
            }
            if (!rate.isEmpty()) {
                lab.slow(node, LinkRate.parse(rate));
            }
            if (!diskRate.isEmpty()) {
                lab.slow(node, DiskRate.parse(diskRate));
            }
        }
    }
}
