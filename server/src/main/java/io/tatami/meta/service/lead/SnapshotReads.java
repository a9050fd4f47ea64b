package io.tatami.meta.service.lead;

import com.google.protobuf.Message;
import io.tatami.base.Clock;
import io.tatami.base.ErrorCode;
import io.tatami.base.GroupId;
import io.tatami.base.TatamiException;
import io.tatami.meta.service.GroupStoppedException;
import io.tatami.meta.service.RequestOrigin;
import io.tatami.meta.state.ReadMustWaitException;
import io.tatami.meta.state.View;
import io.tatami.meta.store.GroupStore;
import io.tatami.meta.store.StoreSnapshot;
import io.tatami.protocol.Method;
import io.tatami.protocol.wire.ClusterMap;
import java.io.UncheckedIOException;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides a group's reads on its state as of one moment, of which all is durable but for the leader's volatile records.
 * Those under way end before it is closed: the store can be closed then, and opened again at once. Safe for use by many
 * threads.
 */
public final class SnapshotReads implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(SnapshotReads.class);

    /**
     * So many reads are not looked for in memory after one that was not there, twice as many after each more in a row:
     * trying in vain takes as long as to read what is there.
     */
    private static final int SKIPPED_LEAST = 8;

    private static final int SKIPPED_MOST = 64;

    private final GroupId id;
    private final GroupStore store;
    private final VolatileRecords volatiles;
    private final Clock clock;
    private final Supplier<ClusterMap> cluster;
    private final ReplyMemory memory;

    /** Those that are left. */
    private final AtomicInteger skipped = new AtomicInteger();

    /** How many the next one that is not in memory makes. */
    private volatile int skippedNext = SKIPPED_LEAST;

    private final InlineReadPolicy files = new InlineReadPolicy();

    /** Shared by reads; exclusive where this is closed. */
    private final ReadWriteLock underWay = new ReentrantReadWriteLock();

    private boolean closed;

    SnapshotReads(
            GroupId id,
            GroupStore store,
            VolatileRecords volatiles,
            Clock clock,
            Supplier<ClusterMap> cluster,
            ReplyMemory memory) {
        this.id = id;
        this.store = store;
        this.volatiles = volatiles;
        this.clock = clock;
        this.cluster = cluster;
        this.memory = memory;
    }

    /** What came of a request. */
    enum Outcome {
        DECIDED,
        /** It has been told why. */
        FAILED,
        /** Who may not wait could not decide it; it is as before. */
        MUST_WAIT
    }

    /** Where a request is decided. */
    private interface Decision {
        Outcome decide(GroupStore open) throws TatamiException;
    }

    /** Decides a request, which must change nothing. */
    Outcome read(Pending<?, ?, ?> pending) {
        underWay.readLock().lock();
        return decideAndUnlock(pending, open -> {
            try (StoreSnapshot snapshot = open.snapshot()) {
                return decideOn(snapshot.view(), pending);
            }
        });
    }

    /**
     * {@link #read} for a thread that must not wait.
     *
     * @param mayWaitForFiles for as long as they take out of the kernel's memory
     */
    Outcome readAtOnce(Pending<?, ?, ?> pending, boolean mayWaitForFiles) {
        if (skipped.get() > 0) {
            skipped.decrementAndGet();
        } else {
            Outcome outcome = readAtOnce(pending, GroupStore::memoryOnlyView);
            if (outcome != Outcome.MUST_WAIT) {
                skippedNext = SKIPPED_LEAST;
                return outcome;
            }
            if (skipped.get() == 0) {
                return outcome;
            }
        }
        if (!mayWaitForFiles || !files.isNextTried()) {
            return Outcome.MUST_WAIT;
        }
        long beganNanos = clock.monotonicNanos();
        Outcome outcome = readAtOnce(pending, GroupStore::optimisticView);
        if (outcome == Outcome.DECIDED) {
            files.took(clock.monotonicNanos() - beganNanos);
        }
        return outcome;
    }

    /**
     * {@link #read} for the group's thread between two batches, which waits for no file.
     *
     * @param recent as those before left it
     */
    Outcome readAtOnce(Pending<?, ?, ?> pending, RecentRecords recent) {
        return readAtOnce(pending, open -> {
            View stored = open.memoryOnlyView();
            return stored == null ? null : recent.over(stored);
        });
    }

    /** What of a store is read; null where there is no such moment. */
    private interface Moment {
        @Nullable
        View of(GroupStore open) throws TatamiException;
    }

    private Outcome readAtOnce(Pending<?, ?, ?> pending, Moment moment) {
        if (!underWay.readLock().tryLock()) {
            return Outcome.MUST_WAIT;
        }
        return decideAndUnlock(pending, open -> {
            View view = moment.of(open);
            return view == null ? Outcome.MUST_WAIT : decideOn(view, pending);
        });
    }

    /** For who has {@link #underWay}, which is given back. */
    private Outcome decideAndUnlock(Pending<?, ?, ?> pending, Decision decision) {
        try {
            if (pending.origin().isExpired(clock.monotonicNanos())) {
                throw expired();
            }
            return decision.decide(openStore());
        } catch (TatamiException e) {
            pending.fail(e);
        } catch (ReadMustWaitException e) {
            if (e.isCold()) {
                int count = skippedNext;
                skipped.set(count);
                skippedNext = Math.min(2 * count, SKIPPED_MOST);
            }
            return Outcome.MUST_WAIT;
        } catch (UncheckedIOException e) {
            LOG.error("{} cannot read its store", id, e);
            pending.fail(unreadable(id, e));
        } catch (RuntimeException e) {
            LOG.error("a read of {} met a bug in Tatami", id, e);
            pending.fail(new TatamiException(ErrorCode.INTERNAL, "a bug in Tatami: " + e, e));
        } finally {
            underWay.readLock().unlock();
        }
        return Outcome.FAILED;
    }

    /** The store, for who has {@link #underWay}. */
    private GroupStore openStore() throws TatamiException {
        if (closed) {
            throw new TatamiException(ErrorCode.UNAVAILABLE, id + " is closed");
        }
        return store;
    }

    private Outcome decideOn(View view, Pending<?, ?, ?> pending) {
        Batch batch = Batch.ofRead(view, volatiles, store.logMillis(), clock.wallMillis());
        pending.begun(clock);
        pending.decide(batch, cluster.get(), memory);
        batch.requireUnchanged();
        pending.read(clock);
        return Outcome.DECIDED;
    }

    /**
     * The remembered reply of a request, or that there is none.
     *
     * @throws TatamiException the remembered refusal; UNAVAILABLE
     */
    <R extends Message> Optional<R> recall(Method<?, R> method, RequestOrigin origin) throws TatamiException {
        underWay.readLock().lock();
        try (StoreSnapshot snapshot = openStore().snapshot()) {
            return Optional.ofNullable(memory.recallStored(snapshot.view(), origin, method));
        } finally {
            underWay.readLock().unlock();
        }
    }

    /**
     * {@link #recall} for who may not wait.
     *
     * @return null where it cannot be told at once
     */
    <R extends Message> @Nullable Optional<R> recallAtOnce(Method<?, R> method, RequestOrigin origin)
            throws TatamiException {
        if (!underWay.readLock().tryLock()) {
            return null;
        }
        try {
            View view = openStore().memoryOnlyView();
            return view == null ? null : Optional.ofNullable(memory.recallStored(view, origin, method));
        } catch (ReadMustWaitException e) {
            return null;
        } finally {
            underWay.readLock().unlock();
        }
    }

    /** Waits for the reads under way; later ones fail with UNAVAILABLE. */
    @Override
    public void close() {
        underWay.writeLock().lock();
        closed = true;
        underWay.writeLock().unlock();
    }

    static TatamiException unreadable(GroupId id, UncheckedIOException e) {
        return new GroupStoppedException(id, id + " cannot read its store: " + e.getMessage(), e);
    }

    public static TatamiException expired() {
        return new TatamiException(
                ErrorCode.DEADLINE_EXCEEDED, "the deadline of the request passed before it was started");
    }
}
