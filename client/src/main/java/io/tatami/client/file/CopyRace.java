package io.tatami.client.file;

import io.tatami.base.Clock;
import io.tatami.base.ErrorCode;
import io.tatami.base.ServerId;
import io.tatami.base.TatamiException;
import io.tatami.base.WaitLimit;
import io.tatami.client.block.BlockReadStream;
import io.tatami.client.block.ReadAttempt;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;

/**
 * Reads the same bytes from several copies, after the first one was silent for too long: another copy joins after each
 * further silence, the first that delivers wins, and the others are cancelled. There are no more streams than copies.
 * Used by one thread.
 */
final class CopyRace implements AutoCloseable {
    private final Entrants entrants;
    private final Clock clock;
    private final long patienceNanos;
    private final long queuedPatienceNanos;
    private final long timeoutNanos;
    private final List<Racer> racers = new ArrayList<>();

    /** A permit for each change of a racer. */
    private final Semaphore progress = new Semaphore(0);

    private int joined;

    /** When the silence of all racers is over: another joins, or all are given up. */
    private WaitLimit limit;

    /** No longer than until then is that put off as a server tells that its copy's reader is queued. */
    private WaitLimit queuedLimit;

    /** The copies that may take part. */
    interface Entrants {
        /** Lets another copy {@link #join}; false if there is none. */
        boolean joinNext(CopyRace race) throws TatamiException;

        /** How many copies there are, those that take part included. */
        int count();

        /** A copy that took part failed. */
        void gaveUp(ServerId server, TatamiException failure) throws TatamiException;
    }

    /** @param stall when it has been silent for so long that its server is a suspect */
    private record Racer(ServerId server, ReadAttempt attempt, WaitLimit stall, int rank) {}

    /** @param rank how many had joined before it */
    record Winner(ServerId server, BlockReadStream stream, int rank) {}

    /**
     * @param clock by which it waits
     * @param silent the attempt that was silent for {@code patienceNanos}
     * @param patienceNanos the silence after which another copy joins
     * @param queuedPatienceNanos how much longer a silence may last where a server tells that the reader is queued
     * @param timeoutNanos the silence after which all are given up, once every copy takes part
     */
    CopyRace(
            Entrants entrants,
            Clock clock,
            ServerId server,
            ReadAttempt silent,
            long patienceNanos,
            long queuedPatienceNanos,
            long timeoutNanos) {
        this.entrants = entrants;
        this.clock = clock;
        this.patienceNanos = patienceNanos;
        this.queuedPatienceNanos = queuedPatienceNanos;
        this.timeoutNanos = timeoutNanos;
        this.limit = WaitLimit.ofNanos(clock, 0);
        this.queuedLimit = limit;
        add(server, silent, WaitLimit.ofNanos(clock, CopyChoice.STALL_NANOS - patienceNanos));
    }

    void join(ServerId server, ReadAttempt attempt) {
        add(server, attempt, WaitLimit.ofNanos(clock, CopyChoice.STALL_NANOS));
    }

    private void add(ServerId server, ReadAttempt attempt, WaitLimit stall) {
        racers.add(new Racer(server, attempt, stall, joined++));
        attempt.onProgress(progress::release);
    }

    boolean has(ServerId server) {
        return racers.stream().anyMatch(racer -> racer.server.equals(server));
    }

    /** After {@link #run}: the servers that did not fail and did not win. */
    List<ServerId> losers() {
        return racers.stream().map(Racer::server).toList();
    }

    /** Whether a loser was silent for so long that its server is a suspect. */
    boolean hasStalled(ServerId loser) {
        return racers.stream().anyMatch(racer -> racer.server.equals(loser) && racer.stall.leftNanos() <= 0);
    }

    /** Runs the race. Returns null if every copy failed. */
    @Nullable
    Winner run() throws TatamiException {
        grow();
        while (true) {
            progress.drainPermits();
            Winner winner = poll();
            if (winner != null) {
                return winner;
            }
            boolean waits = !racers.isEmpty();
            // The last: what has come since the wait ended; its reader is not queued any more.
            if (waits && (await() || isPutOff() || progress.tryAcquire())) {
                continue;
            }
            if (!grow()) {
                giveUpAll();
                return null;
            }
        }
    }

    private boolean grow() throws TatamiException {
        boolean grown = entrants.joinNext(this);
        boolean hasOthers = entrants.count() > racers.size();
        limit = WaitLimit.ofNanos(clock, hasOthers ? patienceNanos : timeoutNanos);
        queuedLimit = WaitLimit.ofNanos(
                clock, hasOthers ? patienceNanos + queuedPatienceNanos : BlockReadStream.TIMEOUTS_MAX * timeoutNanos);
        return grown;
    }

    /**
     * Whether it is waited a little longer, as the reader of the copy that joined last is queued; where all take part,
     * of any. Those that joined before have had their time.
     */
    private boolean isPutOff() {
        boolean isLast = entrants.count() <= racers.size();
        boolean isQueued = isLast
                ? racers.stream().anyMatch(racer -> racer.attempt.isQueued())
                : racers.get(racers.size() - 1).attempt.isQueued();
        boolean putOff = queuedLimit.leftNanos() > 0 && isQueued;
        if (putOff) {
            limit = WaitLimit.ofNanos(clock, Math.min(CopyChoice.QUEUED_LOOK_NANOS, queuedLimit.leftNanos()));
        }
        return putOff;
    }

    private boolean await() throws TatamiException {
        try {
            return clock.acquire(progress, limit.leftNanos());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new TatamiException(ErrorCode.CANCELLED, "interrupted while waiting for a copy of a block", e);
        }
    }

    private @Nullable Winner poll() throws TatamiException {
        for (Iterator<Racer> all = racers.iterator(); all.hasNext(); ) {
            Racer racer = all.next();
            try {
                BlockReadStream stream = racer.attempt.poll();
                if (stream != null) {
                    all.remove();
                    return new Winner(racer.server, stream, racer.rank);
                }
            } catch (TatamiException e) {
                all.remove();
                racer.attempt.close();
                entrants.gaveUp(racer.server, e);
            }
        }
        return null;
    }

    private void giveUpAll() throws TatamiException {
        for (Racer racer : racers) {
            entrants.gaveUp(
                    racer.server,
                    new TatamiException(ErrorCode.DEADLINE_EXCEEDED, "no data of the block from " + racer.server));
        }
    }

    /** Cancels all streams but the winner's. */
    @Override
    public void close() {
        racers.forEach(racer -> racer.attempt.close());
        racers.clear();
    }
}
