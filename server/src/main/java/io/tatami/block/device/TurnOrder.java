package io.tatami.block.device;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Which access a device is given next, so that it seldom has to seek and nobody waits for long.
 *
 * <p>A stream that has the turn keeps it while it has accesses queued, up to {@link #TURN_BYTES_MAX}. Streams of one
 * kind take turns in the order in which they began to wait. Between the kinds the turn goes by start-time fair queueing
 * (Goyal, Vin and Cheng, SIGCOMM 1996): each kind has a clock that its turns advance by what they cost, bytes and a
 * seek, and the kind whose clock is behind is next. With C for the cost of a whole turn, 34 MiB, a stream that waits
 * behind k others of its kind thus waits for (k + 1) C of its own kind at most, (k + 2) C of the other, and (k + 1) C /
 * 8 + 6 MiB in the background. A flush is next in any case.
 *
 * <p>The device never stands still while something is queued: what a stream asks for too late is in its next turn. A
 * device is given several accesses at once, though, and a stream that asks for the next when one has ended has often
 * nothing queued while others of its accesses run. So what is in the background does not begin beside accesses that
 * somebody waits for, unless its clock is behind theirs: else it had half of the device. Has no threads and no clock;
 * its user guards it.
 */
final class TurnOrder {
    /** A disk that seeks in 8 ms and transfers 200 MB/s spends 95 % of its time on transferring. */
    static final long TURN_BYTES_MAX = 32L << 20;

    /** What such a disk would have transferred meanwhile. */
    static final long SEEK_BYTES = 2L << 20;

    private final Map<AccessKind, Lane> lanes = new EnumMap<>(AccessKind.class);
    private final Deque<PendingAccess> flushes = new ArrayDeque<>();
    private @Nullable AccessStream holder;
    private long turnBytes;

    /** The clock of the kind that has the turn, as it was when the turn began. */
    private long now;

    private static final class Lane {
        /** Streams that have accesses queued; the one that has the turn is not here. */
        private final Deque<AccessStream> waiting = new ArrayDeque<>();

        private long clock;

        /** Accesses that were begun and have not ended. */
        private int running;
    }

    TurnOrder() {
        for (AccessKind kind : AccessKind.values()) {
            lanes.put(kind, new Lane());
        }
    }

    void add(AccessStream stream, PendingAccess access) {
        boolean waits = stream != holder && stream.queued().isEmpty();
        stream.queued().add(access);
        if (waits) {
            Lane lane = lane(stream);
            // A kind that was idle has no claim to what it did not use.
            lane.clock = Math.max(lane.clock, now);
            lane.waiting.add(stream);
        }
    }

    void addFlush(PendingAccess flush) {
        flushes.add(flush);
    }

    /** Takes what is queued of a stream away. */
    List<PendingAccess> remove(AccessStream stream) {
        List<PendingAccess> removed = new ArrayList<>(stream.queued());
        stream.queued().clear();
        if (!removed.isEmpty() && stream != holder) {
            lane(stream).waiting.remove(stream);
        }
        return removed;
    }

    /** Whether anything is queued. */
    boolean isBusy() {
        AccessStream turn = holder;
        return !flushes.isEmpty()
                || (turn != null && !turn.queued().isEmpty())
                || lanes.values().stream().anyMatch(lane -> !lane.waiting.isEmpty());
    }

    /** An access runs that was not queued. */
    void begun(PendingAccess access) {
        AccessKind kind = access.kind();
        if (kind != null) {
            lane(kind).running++;
        }
    }

    /** An access that was begun has ended. */
    void ended(PendingAccess access) {
        AccessKind kind = access.kind();
        if (kind != null) {
            lane(kind).running--;
        }
    }

    /** The access to begin now, of which {@link #ended} is to be told; null where none may begin yet. */
    @Nullable
    PendingAccess next() {
        PendingAccess flush = flushes.poll();
        if (flush != null) {
            return flush;
        }
        AccessStream turn = holder;
        if (turn == null || !mayGoOn(turn)) {
            turn = passTurn();
        }
        if (turn == null) {
            return null;
        }
        PendingAccess access = turn.queued().remove();
        turnBytes += access.bytes();
        lane(turn).clock += access.bytes() * turn.kind().weight();
        begun(access);
        return access;
    }

    private boolean mayGoOn(AccessStream turn) {
        PendingAccess first = turn.queued().peek();
        return first != null && turnBytes + first.bytes() <= turn.kind().turnBytesMax();
    }

    private @Nullable AccessStream passTurn() {
        AccessStream before = holder;
        if (before != null && !before.queued().isEmpty()) {
            lane(before).waiting.add(before);
        }
        holder = null;
        Lane next = null;
        for (Lane lane : lanes.values()) {
            if (!lane.waiting.isEmpty() && (next == null || lane.clock < next.clock)) {
                next = lane;
            }
        }
        if (next == null) {
            return null;
        }
        if (isHeldBack(next)) {
            // A stream whose accesses run goes on where it is, without another seek.
            holder = before != null
                            && before.kind() != AccessKind.BACKGROUND
                            && before.queued().isEmpty()
                    ? before
                    : null;
            return null;
        }
        AccessStream turn = next.waiting.remove();
        holder = turn;
        turnBytes = 0;
        now = next.clock;
        next.clock += SEEK_BYTES * turn.kind().weight();
        return turn;
    }

    /** Whether a lane is the background's, and ahead of a kind whose accesses run. */
    private boolean isHeldBack(Lane next) {
        return next == lane(AccessKind.BACKGROUND)
                && lanes.values().stream()
                        .anyMatch(lane -> lane != next && lane.running > 0 && lane.clock < next.clock);
    }

    private Lane lane(AccessStream stream) {
        return lane(stream.kind());
    }

    private Lane lane(AccessKind kind) {
        Lane lane = lanes.get(kind);
        if (lane == null) {
            throw new IllegalStateException("no lane for " + kind);
        }
        return lane;
    }
}
