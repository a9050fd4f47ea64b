package io.tatami.linear;

import io.tatami.crash.Signals;
import io.tatami.relay.FreePorts;
import io.tatami.server.ServerProcess;
import io.tatami.server.cli.TatamiServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Metadata servers in processes of their own: one with the namespace group and two with two shards each. */
final class ProcessServers implements Servers {
    private static final int SHARDS = 4;

    private final Path directory;
    private final List<InetSocketAddress> addresses;
    private final List<ServerProcess> processes = new ArrayList<>();

    ProcessServers(Path directory) throws IOException, InterruptedException {
        this.directory = directory;
        this.addresses = FreePorts.find(1 + SHARDS / 2);
        try {
            processes.add(start(0));
            String unused = processes.get(0).awaitUri();
            for (int server = 1; server < addresses.size(); server++) {
                processes.add(start(server));
            }
            for (ServerProcess process : processes) {
                unused = process.awaitUri();
            }
        } catch (IOException | InterruptedException e) {
            close();
            throw e;
        }
    }

    private ServerProcess start(int server) throws IOException {
        List<String> command = new ArrayList<>(List.of("metadata", "--host=127.0.0.1"));
        command.add("--port=" + addresses.get(server).getPort());
        if (server == 0) {
            command.addAll(List.of("--host-shards=none", "--shards=" + SHARDS));
        } else {
            command.add("--host-shards=" + (2 * server - 2) + "," + (2 * server - 1));
            command.add("--join=tatami://127.0.0.1:" + addresses.get(0).getPort());
        }
        return ServerProcess.start(directory.resolve("server-" + server), TatamiServer.class, List.of(), command);
    }

    @Override
    public List<InetSocketAddress> addresses() {
        return addresses;
    }

    @Override
    public String wayToEnd() {
        return "kill";
    }

    @Override
    public boolean canPause() {
        return true;
    }

    @Override
    public void end(int server) throws InterruptedException {
        processes.get(server).kill();
    }

    @Override
    public void begin(int server) throws IOException, InterruptedException {
        processes.set(server, start(server));
        String unused = processes.get(server).awaitUri();
    }

    @Override
    public void pause(int server) throws IOException {
        Signals.send("STOP", processes.get(server).pid());
    }

    @Override
    public void resume(int server) throws IOException {
        Signals.send("CONT", processes.get(server).pid());
    }

    @Override
    public String report() throws IOException, InterruptedException {
        StringBuilder report = new StringBuilder(Servers.super.report());
        for (ServerProcess process : processes) {
            report.append(process.report());
        }
        return report.toString();
    }

    @Override
    public void close() throws IOException {
        for (ServerProcess process : processes) {
            process.close();
        }
    }
}
