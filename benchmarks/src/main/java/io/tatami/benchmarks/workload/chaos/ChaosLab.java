package io.tatami.benchmarks.workload.chaos;

import io.tatami.benchmarks.harness.client.NodeProcess;
import io.tatami.server.lab.Lab;
import io.tatami.server.lab.LabNode;
import io.tatami.server.lab.LabRole;
import io.tatami.server.lab.NodeReport;
import io.tatami.server.lab.host.DiskRate;
import io.tatami.server.lab.host.LinkRate;
import io.tatami.server.lab.host.ProcessMark;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Does harm to a lab, and takes it back. Used by one thread. */
final class ChaosLab {
    private static final String LINK_RATE = "4mbit";
    private static final String DISK_RATE = "1MB";
    private static final long FILL_SECONDS_MAX = 300;
    private static final List<LabRole> BLOCK = List.of(LabRole.BLOCK);
    private static final List<LabRole> METADATA = List.of(LabRole.METADATA);

    private final Lab lab;
    private final ChaosClients clients;
    private final Map<Integer, NodeProcess> fillings = new HashMap<>();

    ChaosLab(Lab lab, ChaosClients clients) {
        this.lab = lab;
        this.clients = clients;
    }

    void begin(Strike strike) throws IOException, InterruptedException {
        switch (strike.harm()) {
            case KILL, LONG_KILL -> lab.kill(first(strike), BLOCK);
            case PAUSE -> lab.pause(first(strike), BLOCK);
            case CUT -> lab.cut(first(strike), lab.nodes(), Lab.Direction.BOTH);
            case CUT_IN -> lab.cut(first(strike), lab.nodes(), Lab.Direction.IN);
            case CUT_OUT -> lab.cut(first(strike), lab.nodes(), Lab.Direction.OUT);
            case CUT_PAIR -> lab.cut(first(strike), List.of(node(strike.nodes().get(1))), Lab.Direction.BOTH);
            case SLOW_LINK -> lab.slow(first(strike), LinkRate.parse(LINK_RATE));
            case SLOW_DISK -> lab.slow(first(strike), DiskRate.parse(DISK_RATE));
            case FULL_DISK -> fill(first(strike));
            case WIPED_DISK -> {
                lab.kill(first(strike), BLOCK);
                lab.wipe(first(strike));
            }
            case FAILED_DISK -> lab.fail(first(strike));
            case METADATA_KILL -> lab.kill(first(strike), METADATA);
            case CLIENT_KILL -> clients.killNext();
        }
    }

    private LabNode first(Strike strike) throws IOException {
        return node(strike.nodes().get(0));
    }

    private LabNode node(int number) throws IOException {
        return lab.node("node" + number);
    }

    private void fill(LabNode node) throws IOException, InterruptedException {
        startMetadata();
        NodeProcess filling = clients.start(node, List.of("fill", node.name()));
        fillings.put(node.number(), filling);
        filling.tell("fill");
    }

    void takeBack(Strike strike) throws IOException, InterruptedException {
        switch (strike.harm()) {
            case KILL, LONG_KILL, WIPED_DISK -> start(first(strike));
            case PAUSE -> lab.resume(first(strike), BLOCK);
            case CUT, CUT_IN, CUT_OUT, CUT_PAIR -> lab.heal(List.of(first(strike)));
            case SLOW_LINK -> lab.slow(first(strike), LinkRate.UNLIMITED);
            case SLOW_DISK -> lab.slow(first(strike), DiskRate.UNLIMITED);
            case FULL_DISK -> empty(first(strike));
            case FAILED_DISK -> {
                lab.kill(first(strike), BLOCK);
                lab.wipe(first(strike));
                start(first(strike));
            }
            case METADATA_KILL -> lab.start(first(strike), METADATA);
            case CLIENT_KILL -> {
                startMetadata();
                // Nothing else is taken back while this thread waits for the process.
                lab.heal(List.of(clients.killedNode()));
                clients.startKilled();
            }
        }
    }

    /** Programs that start now wait for it, and this thread for them. */
    private void startMetadata() throws IOException, InterruptedException {
        lab.start(node(1), METADATA);
    }

    private void start(LabNode node) throws IOException, InterruptedException {
        startMetadata();
        lab.start(node, BLOCK);
    }

    private void empty(LabNode node) throws IOException, InterruptedException {
        try (NodeProcess filling = fillings.remove(node.number())) {
            if (filling != null) {
                clients.tell("the disk of %s took %s", node.name(), filling.answer("fill", FILL_SECONDS_MAX));
                filling.ask("end", FILL_SECONDS_MAX);
            }
        }
    }

    /** Servers that ended by themselves, if nothing is harmed. */
    List<String> ended() throws IOException, InterruptedException {
        List<String> ended = new ArrayList<>();
        for (NodeReport report : lab.report()) {
            report.servers().forEach((role, server) -> {
                if (server.state() != ProcessMark.State.RUNNING) {
                    ended.add(
                            "the " + role.word() + " server of " + report.node().name() + " is " + server.state());
                }
            });
        }
        return ended;
    }

    /** For a look at copies that others hide. */
    void killBlockServers(List<LabNode> nodes) throws IOException, InterruptedException {
        for (LabNode node : nodes) {
            lab.kill(node, BLOCK);
        }
    }

    void startBlockServers(List<LabNode> nodes) throws IOException, InterruptedException {
        for (LabNode node : nodes) {
            start(node);
        }
    }
}
