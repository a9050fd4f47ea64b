package io.tatami.older;

import io.tatami.client.TatamiClient;
import io.tatami.conf.Settings;
import io.tatami.protocol.UserIdentity;
import io.tatami.server.ServerProcess;
import io.tatami.server.cli.TatamiServer;
import java.io.IOException;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The servers of one recorded directory, in processes of their own. Used by one thread. */
final class OlderCluster implements AutoCloseable {
    /** Who started the servers of the recorded directories, and so the superuser. */
    private static final String USER = "tatami";

    /** Of the replicated server, which keeps its address; no other test listens there. */
    private static final String RECORDED_HOST = "127.0.77.38";

    private static final int RECORDED_PORT = 9480;
    private static final String CAPACITY = "32m";
    private static final int TRIES_MAX = 3_000;

    private final Deque<ServerProcess> servers = new ArrayDeque<>();
    private String uri = "";
    private @Nullable ServerSocket turn;

    private OlderCluster() {}

    /** A standalone server, whose groups have local logs. */
    static OlderCluster standalone(Path directory) throws IOException, InterruptedException {
        OlderCluster cluster = new OlderCluster();
        try {
            cluster.uri = cluster.start(
                    directory,
                    List.of(),
                    List.of(
                            "standalone",
                            "--port",
                            "0",
                            "--host",
                            "localhost",
                            "--shards",
                            "2",
                            "--capacity",
                            CAPACITY));
            return cluster;
        } catch (IOException | InterruptedException | RuntimeException e) {
            cluster.close();
            throw e;
        }
    }

    /** A metadata server that is the only member of replicated groups, and a block server. */
    static OlderCluster replicated(Path directory) throws IOException, InterruptedException {
        OlderCluster cluster = new OlderCluster();
        try {
            cluster.turn = turn();
            cluster.uri = cluster.start(
                    directory.resolve("metadata"),
                    List.of(),
                    List.of(
                            "metadata",
                            "--port",
                            "" + RECORDED_PORT,
                            "--host",
                            RECORDED_HOST,
                            "--shards",
                            "2",
                            "--replicas",
                            "3"));
            cluster.start(
                    directory.resolve("data"),
                    List.of(),
                    List.of(
                            "block",
                            "--metadata",
                            cluster.uri,
                            "--host",
                            "localhost",
                            "--capacity",
                            CAPACITY,
                            "--volume",
                            directory.resolve("volume").toString()));
            return cluster;
        } catch (IOException | InterruptedException | RuntimeException e) {
            cluster.close();
            throw e;
        }
    }

    /** The recorded address is one server's at a time on a machine: whoever listens beside it has it. */
    private static ServerSocket turn() throws IOException, InterruptedException {
        InetSocketAddress beside = new InetSocketAddress(RECORDED_HOST, RECORDED_PORT - 1);
        for (int tries = 0; ; tries++) {
            ServerSocket socket = new ServerSocket();
            try {
                socket.bind(beside);
                return socket;
            } catch (BindException e) {
                socket.close();
                if (tries == TRIES_MAX) {
                    throw e;
                }
                Thread.sleep(100);
            }
        }
    }

    private String start(Path directory, List<String> options, List<String> start)
            throws IOException, InterruptedException {
        List<String> all = new ArrayList<>(options);
        all.add("-Duser.name=" + USER);
        ServerProcess server = ServerProcess.start(directory, TatamiServer.class, all, start);
        servers.push(server);
        return server.awaitUri();
    }

    TatamiClient connect() throws IOException {
        return TatamiClient.connect(
                URI.create(uri).getAuthority(),
                UserIdentity.of(USER),
                Settings.of(Map.of("tatami.client.operation.timeout", "120s", "tatami.client.connect.timeout", "60s")));
    }

    /** {@code kill -9}. */
    void kill() throws InterruptedException {
        for (ServerProcess server : servers) {
            server.kill();
        }
    }

    /** An orderly end; without effect on what was killed. */
    @Override
    public void close() throws IOException {
        for (ServerProcess server : servers) {
            server.close();
        }
        servers.clear();
        if (turn != null) {
            turn.close();
        }
    }
}
