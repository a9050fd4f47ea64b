package io.tatami.linear;

import io.tatami.crash.Signals;
import io.tatami.relay.FreePorts;
import io.tatami.relay.TcpRelay;
import io.tatami.server.MetadataTrio;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Three metadata servers that each hold a replica of every group; what the others say to one goes through a relay. */
final class ReplicatedServers implements Servers {
    /** Where servers listen for each other; they know each other by the relays' addresses. */
    private static final String BEHIND_RELAYS = "127.0.0.2";

    private final List<InetSocketAddress> addresses;
    private final List<TcpRelay> relays = new ArrayList<>();
    private final MetadataTrio trio;
    private final boolean inProcesses;

    private interface Maker {
        MetadataTrio make(int[] ports, List<InetSocketAddress> raft);
    }

    /** In this JVM; they end in order. */
    static ReplicatedServers inOneProcess(Path directory) throws Exception {
        return new ReplicatedServers(
                false,
                (ports, raft) -> new MetadataTrio.InOneProcess(directory, ports, server -> settings(raft.get(server))));
    }

    /** In a process each, which is killed and paused. */
    static ReplicatedServers inProcesses(Path directory) throws Exception {
        return new ReplicatedServers(
                true,
                (ports, raft) -> new MetadataTrio.InProcesses(directory, ports, server -> settings(raft.get(server))));
    }

    private ReplicatedServers(boolean inProcesses, Maker maker) throws Exception {
        this.inProcesses = inProcesses;
        List<InetSocketAddress> found = FreePorts.find(2 * MetadataTrio.SERVERS);
        this.addresses = found.subList(0, MetadataTrio.SERVERS);
        List<InetSocketAddress> raft = found.subList(MetadataTrio.SERVERS, found.size());
        for (InetSocketAddress relay : raft) {
            relays.add(new TcpRelay(relay, new InetSocketAddress(BEHIND_RELAYS, relay.getPort())));
        }
        int[] ports = addresses.stream().mapToInt(InetSocketAddress::getPort).toArray();
        this.trio = maker.make(ports, raft);
        try {
            trio.form();
        } catch (Exception e) {
            close();
            throw e;
        }
    }

    private static Map<String, String> settings(InetSocketAddress raft) {
        return Map.of(
                "tatami.metadata.raft.port",
                Integer.toString(raft.getPort()),
                "tatami.metadata.raft.bind.host",
                BEHIND_RELAYS);
    }

    @Override
    public List<InetSocketAddress> addresses() {
        return addresses;
    }

    @Override
    public String wayToEnd() {
        return inProcesses ? "kill" : "stop";
    }

    @Override
    public boolean canPause() {
        return inProcesses;
    }

    /** Long enough for another leader to be elected meanwhile. */
    @Override
    public int mishapMillisMax() {
        return 3_000;
    }

    @Override
    public void end(int server) throws IOException, InterruptedException {
        trio.kill(server);
    }

    @Override
    public void begin(int server) throws IOException, InterruptedException {
        trio.start(server);
    }

    @Override
    public void pause(int server) throws IOException {
        Signals.send("STOP", pid(server));
    }

    @Override
    public void resume(int server) throws IOException {
        Signals.send("CONT", pid(server));
    }

    private long pid(int server) {
        if (trio instanceof MetadataTrio.InProcesses processes) {
            return processes.pid(server);
        }
        throw new UnsupportedOperationException("a server in this JVM cannot be paused");
    }

    @Override
    public boolean canCutPeers() {
        return true;
    }

    @Override
    public void cutPeers(int server, boolean cut) {
        relays.get(server).cut(cut);
    }

    @Override
    public void holdPeers(int server, boolean held) {
        relays.get(server).holdReplies(held);
    }

    @Override
    public String report() throws IOException, InterruptedException {
        StringBuilder report = new StringBuilder(Servers.super.report());
        if (trio instanceof MetadataTrio.InProcesses processes) {
            for (int server = 0; server < MetadataTrio.SERVERS; server++) {
                report.append(processes.report(server));
            }
        }
        return report.toString();
    }

    @Override
    public void close() throws IOException {
        trio.close();
        for (TcpRelay relay : relays) {
            relay.close();
        }
    }
}
