package io.tatami.client.meta;

import io.tatami.base.Causes;
import io.tatami.base.Clock;
import io.tatami.base.ErrorCode;
import io.tatami.base.ServerId;
import io.tatami.base.TatamiException;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * The block servers that failed or stalled a read of this client. A suspect is read last. The suspicion lasts a second
 * at first, and twice as long each time it is confirmed, up to a minute. Then the server is probed; until it answers it
 * remains a suspect, so no reader waits for a dead server a second time. Safe for use by many threads.
 */
public final class SuspectServers {
    static final int SERVERS_MAX = 1_024;
    static final long SUSPICION_NANOS = TimeUnit.SECONDS.toNanos(1);
    static final long SUSPICION_NANOS_MAX = TimeUnit.MINUTES.toNanos(1);

    /** Failures of the server or of the way to it; others are of a copy or of the reader. */
    private static final Set<ErrorCode> OF_SERVERS =
            EnumSet.of(ErrorCode.UNAVAILABLE, ErrorCode.DEADLINE_EXCEEDED, ErrorCode.IO_ERROR, ErrorCode.BUSY);

    /** A probe may be answered with these by a server that cannot be read. */
    private static final Set<ErrorCode> NO_ANSWER = EnumSet.of(ErrorCode.UNAVAILABLE, ErrorCode.DEADLINE_EXCEEDED);

    private final Clock clock;
    private final Probe probe;
    private final Map<ServerId, Suspicion> suspicions = new HashMap<>();

    /** Whether there is none, for readers of healthy clusters; written under this object's lock. */
    private volatile boolean isEmpty = true;

    /** Asks a server anything, without waiting. */
    @FunctionalInterface
    public interface Probe {
        /** @return completes with the reply; exceptionally with the server's refusal or the connection's failure */
        CompletableFuture<?> ask(ServerId server);
    }

    private enum Phase {
        /** Read last until the end of the suspicion. */
        SUSPECTED,
        /** Read last until the probe is answered. */
        PROBED,
        /** Not suspected before, and probed because it was slow. */
        DOUBTED,
        /** Read as any other; a failure before the end doubles the suspicion. */
        CLEARED
    }

    /** What a suspect did. */
    enum Cause {
        /** It was silent. */
        STALLED,
        /** It was not reached. */
        UNREACHED,
        FAILED
    }

    /** @param endNanos of the phase; without a meaning while a probe is under way */
    private record Suspicion(Phase phase, Cause cause, long lengthNanos, long endNanos) {}

    public SuspectServers(Clock clock, Probe probe) {
        this.clock = clock;
        this.probe = probe;
    }

    /** Whether the server is to be read last. May begin a probe, which is not waited for. */
    boolean isSuspect(ServerId server) {
        return !isEmpty && isSuspectNow(server);
    }

    private boolean isSuspectNow(ServerId server) {
        synchronized (this) {
            Suspicion suspicion = suspicions.get(server);
            if (suspicion == null) {
                return false;
            }
            boolean isOver = clock.monotonicNanos() - suspicion.endNanos >= 0;
            switch (suspicion.phase) {
                case DOUBTED -> {
                    return false;
                }
                case CLEARED -> {
                    if (isOver) {
                        remove(server);
                    }
                    return false;
                }
                case PROBED -> {
                    return true;
                }
                case SUSPECTED -> {
                    if (!isOver) {
                        return true;
                    }
                    put(server, new Suspicion(Phase.PROBED, suspicion.cause, suspicion.lengthNanos, 0));
                }
            }
        }
        ask(server);
        return true;
    }

    /** A read of the server failed. Failures that are not the server's raise no suspicion. */
    public void failed(ServerId server, TatamiException failure) {
        if (OF_SERVERS.contains(failure.code())) {
            suspect(server, cause(failure.code()));
        }
    }

    private static Cause cause(ErrorCode code) {
        return code == ErrorCode.UNAVAILABLE
                ? Cause.UNREACHED
                : code == ErrorCode.DEADLINE_EXCEEDED ? Cause.STALLED : Cause.FAILED;
    }

    /** What the server did when it was suspected last; STALLED where nobody knows any more. */
    synchronized Cause cause(ServerId server) {
        Suspicion suspicion = suspicions.get(server);
        return suspicion == null ? Cause.STALLED : suspicion.cause;
    }

    /** The server stalled a read. */
    public void suspect(ServerId server) {
        suspect(server, Cause.STALLED);
    }

    private synchronized void suspect(ServerId server, Cause cause) {
        Suspicion before = suspicions.get(server);
        long now = clock.monotonicNanos();
        if (before == null || before.phase == Phase.DOUBTED || isForgotten(before, now)) {
            put(server, new Suspicion(Phase.SUSPECTED, cause, SUSPICION_NANOS, now + SUSPICION_NANOS));
        } else if (before.phase != Phase.SUSPECTED || now - before.endNanos >= 0) {
            // What several readers meet at once is one failure.
            long length = Math.min(SUSPICION_NANOS_MAX, 2 * before.lengthNanos);
            put(server, new Suspicion(Phase.SUSPECTED, cause, length, now + length));
        }
    }

    /** Another server was faster than this one: it is probed, and a suspect only if it does not answer. */
    public void doubt(ServerId server) {
        synchronized (this) {
            if (suspicions.containsKey(server)) {
                return;
            }
            put(server, new Suspicion(Phase.DOUBTED, Cause.STALLED, SUSPICION_NANOS, 0));
        }
        ask(server);
    }

    private static boolean isForgotten(Suspicion before, long nowNanos) {
        return before.phase == Phase.CLEARED && nowNanos - before.endNanos >= 0;
    }

    private void ask(ServerId server) {
        CompletableFuture<?> unused = probe.ask(server).whenComplete((reply, failure) -> {
            if (failure == null || isAnswer(failure)) {
                clear(server);
            } else {
                suspect(server, Cause.UNREACHED);
            }
        });
    }

    private static boolean isAnswer(Throwable failure) {
        return Causes.unwrapped(failure) instanceof TatamiException told && !NO_ANSWER.contains(told.code());
    }

    private synchronized void clear(ServerId server) {
        Suspicion before = suspicions.get(server);
        if (before == null || before.phase == Phase.DOUBTED) {
            remove(server);
        } else if (before.phase == Phase.PROBED) {
            long length = before.lengthNanos;
            put(server, new Suspicion(Phase.CLEARED, before.cause, length, clock.monotonicNanos() + 2 * length));
        }
    }

    /** Under the lock. */
    private void put(ServerId server, Suspicion suspicion) {
        if (suspicions.size() == SERVERS_MAX && !suspicions.containsKey(server)) {
            suspicions.entrySet().stream()
                    .min(Comparator.comparingLong(entry -> entry.getValue().endNanos - clock.monotonicNanos()))
                    .ifPresent(entry -> suspicions.remove(entry.getKey()));
        }
        suspicions.put(server, suspicion);
        isEmpty = false;
    }

    /** Under the lock. */
    private void remove(ServerId server) {
        suspicions.remove(server);
        isEmpty = suspicions.isEmpty();
    }

    /** For tests. */
    synchronized int count() {
        return suspicions.size();
    }
}
