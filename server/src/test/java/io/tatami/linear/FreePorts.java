package io.tatami.linear;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Addresses that servers may have for longer than a process. The ports lie below those that the kernel gives to
 * connections: else a client that dials a server that has ended may be given just that port for its own end.
 */
final class FreePorts {
    private static final int FIRST = 20_000;
    private static final int END = 32_000;
    private static final int TRIES_MAX = 1_000;

    private FreePorts() {}

    /** Addresses of loopback on which nobody listens at this moment. */
    static List<InetSocketAddress> find(int count) throws IOException {
        List<InetSocketAddress> found = new ArrayList<>();
        for (int tries = 0; found.size() < count; tries++) {
            int port = ThreadLocalRandom.current().nextInt(FIRST, END);
            InetSocketAddress address = new InetSocketAddress("127.0.0.1", port);
            try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getByName("127.0.0.1"))) {
                if (socket.isBound() && !found.contains(address)) {
                    found.add(address);
                }
            } catch (IOException e) {
                if (tries == TRIES_MAX) {
                    throw new IOException("no free port from " + FIRST + " to " + END, e);
                }
            }
        }
        return found;
    }
}
