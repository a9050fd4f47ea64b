package io.tatami.rpc.sim;

import io.tatami.base.Check;
import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.protocol.UserIdentity;
import io.tatami.rpc.Connection;
import io.tatami.rpc.Connector;
import io.tatami.rpc.HandlerTable;
import io.tatami.rpc.Lane;
import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Carries calls and streams between clients and {@link HandlerTable}s of one simulation, late, lost, twice or cut off,
 * as the seed of its random generator has it. Messages are encoded and parsed as on a wire; those of one connection and
 * direction arrive in order. For the one thread that runs the {@link SimTime}.
 */
public final class SimNetwork {
    private static final int DUPLICATE_DELAY_FACTOR = 100;

    /** Of the longest delay: several messages of others are sent and answered meanwhile. */
    private static final int LATE_FACTOR = 20;

    private final SimTime time;
    private final RandomGenerator random;
    private final UUID clusterId;
    private final Map<SocketAddress, HandlerTable> servers = new HashMap<>();
    private final Set<Way> blocked = new HashSet<>();
    private final List<SimConnection> connections = new ArrayList<>();
    private SimFaults faults = SimFaults.NONE;
    private Watch watch = (from, to) -> Change.NONE;

    /** What is to become of one message, beside what chance does to it. */
    public enum Change {
        NONE,
        LOST,
        /** A request or reply arrives again a little later, a message of a stream does not. */
        TWICE,
        /** It arrives late, and those behind it on their connection with it. */
        LATE
    }

    /** Sees every message when it is sent. */
    @FunctionalInterface
    public interface Watch {
        Change sending(SocketAddress from, SocketAddress to);
    }

    private record Way(SocketAddress from, SocketAddress to) {}

    private record Place(SocketAddress address, Lane lane) {}

    public SimNetwork(SimTime time, RandomGenerator random, UUID clusterId) {
        this.time = time;
        this.random = random;
        this.clusterId = clusterId;
    }

    /** What happens to messages sent from now on. */
    public void faults(SimFaults now) {
        faults = now;
    }

    /** Is told of all messages sent from now on. */
    public void watch(Watch now) {
        watch = now;
    }

    /** Serves from now on; after {@link #crash} again, as a process started anew. */
    public void serve(SocketAddress address, HandlerTable handlers) {
        Check.check(servers.put(address, handlers) == null, "%s is served twice", address);
    }

    /** Nothing arrives at {@code address} any more, its connections are cut, and its answers are lost. */
    public void crash(SocketAddress address) {
        servers.remove(address);
        for (SimConnection connection : new ArrayList<>(connections)) {
            if (connection.peer().equals(address) || connection.from().equals(address)) {
                connection.cut("the process at " + address + " has ended");
            }
        }
    }

    /** Loses every call and reply that goes this one way, and holds up streams, until {@link #heal}. */
    public void block(SocketAddress from, SocketAddress to) {
        blocked.add(new Way(from, to));
    }

    /** Takes back every {@link #block}. */
    public void heal() {
        blocked.clear();
        new ArrayList<>(connections).forEach(SimConnection::resume);
    }

    /** Connections of a client at {@code from}, which acts for {@code user}. */
    public Connector connector(SocketAddress from, UserIdentity user) {
        return new Connector() {
            private final Map<Place, SimConnection> open = new HashMap<>();
            private boolean closed;

            @Override
            public CompletableFuture<Connection> connect(SocketAddress address, Lane lane) {
                SimConnection known = open.get(new Place(address, lane));
                if (known != null && known.isOpen()) {
                    return CompletableFuture.completedFuture(known);
                }
                CompletableFuture<Connection> connecting = new CompletableFuture<>();
                time.after(2 * delayNanos(), () -> {
                    if (closed || !servers.containsKey(address) || isBlocked(from, address)) {
                        connecting.completeExceptionally(
                                new TatamiException(ErrorCode.UNAVAILABLE, "cannot connect to " + address));
                        return;
                    }
                    SimConnection present = open.get(new Place(address, lane));
                    if (present == null || !present.isOpen()) {
                        present = new SimConnection(SimNetwork.this, from, address, user);
                        connections.add(present);
                        open.put(new Place(address, lane), present);
                    }
                    connecting.complete(present);
                });
                return connecting;
            }

            @Override
            public void close() {
                closed = true;
                open.values().forEach(SimConnection::close);
            }
        };
    }

    SimTime time() {
        return time;
    }

    UUID clusterId() {
        return clusterId;
    }

    @Nullable
    HandlerTable server(SocketAddress address) {
        return servers.get(address);
    }

    void forget(SimConnection connection) {
        connections.remove(connection);
    }

    /** Draws what becomes of one message. */
    Fate fate(SocketAddress from, SocketAddress to) {
        boolean cut = random.nextDouble() < faults.cutChance();
        boolean lost =
                isBlocked(from, to) || random.nextDouble() < faults.dropChance() || (cut && random.nextBoolean());
        boolean twice = random.nextDouble() < faults.duplicateChance();
        long again = twice ? random.nextLong(1 + DUPLICATE_DELAY_FACTOR * (1 + faults.delayNanosMax())) : -1;
        return changed(new Fate(delayNanos(), lost, cut, again), watch.sending(from, to));
    }

    private Fate changed(Fate drawn, Change change) {
        return switch (change) {
            case NONE -> drawn;
            case LOST -> new Fate(drawn.delayNanos(), true, drawn.cut(), drawn.againNanos());
            case TWICE -> new Fate(drawn.delayNanos(), drawn.lost(), drawn.cut(), LATE_FACTOR * faults.delayNanosMax());
            case LATE ->
                new Fate(
                        drawn.delayNanos() + LATE_FACTOR * faults.delayNanosMax(),
                        drawn.lost(),
                        drawn.cut(),
                        drawn.againNanos());
        };
    }

    /** @param againNanos when it arrives a second time, after the first; negative for never */
    record Fate(long delayNanos, boolean lost, boolean cut, long againNanos) {}

    boolean isBlocked(SocketAddress from, SocketAddress to) {
        return blocked.contains(new Way(from, to));
    }

    private long delayNanos() {
        return faults.delayNanosMin() + random.nextLong(1 + faults.delayNanosMax() - faults.delayNanosMin());
    }
}
