package io.tatami.server.http;

import io.netty.channel.Channel;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;

/**
 * The connections whose next request is not there yet, by how long it is awaited: where no more may be open, one of
 * these makes room, so that clients that are silent keep nobody out. Used by the port's event loop alone.
 */
final class IdleConnections {
    private final Set<Channel> waiting = new LinkedHashSet<>();

    /** A connection is new, or its request was answered. */
    void waits(Channel connection) {
        waiting.add(connection);
    }

    /** A request of it is answered now, or it is closed. */
    void waitsNoMore(Channel connection) {
        waiting.remove(connection);
    }

    /** The one that has waited for longest; empty where all are at work. */
    Optional<Channel> longest() {
        return waiting.stream().findFirst();
    }
}
