package io.tatami.relay;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Addresses that servers may have for longer than a process. None is told again before all were, and each of the
 * processes that run tests beside one another has its own: the server of another test would take the port of one that
 * is being started again. The ports lie below those that the kernel gives to connections: else a client that dials a
 * server that has ended may be given just that port for its own end.
 */
public final class FreePorts {
    private static final int PORTS = 4_000;
    private static final int FORKS = 4;
    private static final int FIRST = 15_000 + PORTS * (Integer.getInteger("tatami.test.fork", 0) % FORKS);
    private static final AtomicInteger NEXT =
            new AtomicInteger(ThreadLocalRandom.current().nextInt(PORTS));

    private FreePorts() {}

    /** Addresses of loopback on which nobody listens at this moment. */
    public static List<InetSocketAddress> find(int count) throws IOException {
        List<InetSocketAddress> found = new ArrayList<>();
        for (int tries = 0; found.size() < count; tries++) {
            int port = FIRST + NEXT.getAndIncrement() % PORTS;
            InetSocketAddress address = new InetSocketAddress("127.0.0.1", port);
            try (ServerSocket socket = new ServerSocket()) {
                socket.bind(address);
                found.add(address);
            } catch (IOException e) {
                if (tries == PORTS) {
                    throw new IOException("no free port from " + FIRST + " on", e);
                }
            }
        }
        return found;
    }

    /** One. */
    public static InetSocketAddress find() throws IOException {
        return find(1).get(0);
    }
}
