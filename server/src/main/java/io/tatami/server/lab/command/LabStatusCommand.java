package io.tatami.server.lab.command;

import io.tatami.server.lab.Lab;
import io.tatami.server.lab.LabNode;
import io.tatami.server.lab.NodeReport;
import io.tatami.server.lab.host.ProcessMark;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;

/** {@code tatami lab status}. */
@Command(
        name = "status",
        description = "Shows the nodes: address, rack, volume, rates, servers with process and state, and cuts.")
final class LabStatusCommand extends LabAction {
    @Override
    int run() throws IOException, InterruptedException {
        Lab lab = lab();
        out().println(lab.uri() + " in " + lab.spec().directory());
        for (NodeReport report : lab.report()) {
            print(report);
        }
        out().flush();
        return DONE;
    }

    private void print(NodeReport report) {
        LabNode node = report.node();
        out().println(node.name() + "  " + node.address() + "  " + node.rack() + "  volume " + report.volume()
                + "  link " + report.link() + "  disk " + report.disk());
        report.servers()
                .forEach((role, server) -> out().printf(
                                Locale.ROOT,
                                "  %-8s  %-7s  %s%n",
                                role.word(),
                                word(server.state()),
                                server.pid().isPresent()
                                        ? "process " + server.pid().getAsLong()
                                        : "never started"));
        List<LabNode> cut = report.cutSenders();
        if (!cut.isEmpty()) {
            out().println("  cut       nothing arrives from "
                    + cut.stream().map(LabNode::name).collect(Collectors.joining(", ")));
        }
    }

    private static String word(ProcessMark.State state) {
        return switch (state) {
            case RUNNING -> "running";
            case PAUSED -> "paused";
            case GONE -> "killed";
        };
    }
}
