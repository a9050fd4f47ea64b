package io.tatami.meta.service.host;

import com.google.protobuf.Message;
import io.tatami.base.Clock;
import io.tatami.base.ErrorCode;
import io.tatami.base.GroupId;
import io.tatami.base.TatamiException;
import io.tatami.meta.service.RequestOrigin;
import io.tatami.meta.state.NotInMemoryException;
import io.tatami.meta.state.View;
import io.tatami.meta.store.GroupStore;
import io.tatami.meta.store.StoreSnapshot;
import io.tatami.protocol.Method;
import io.tatami.protocol.wire.ClusterMap;
import java.io.UncheckedIOException;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides a group's reads on snapshots, which show only what is durable. Those under way end before it is closed: the
 * store can be closed then, and opened again at once. Safe for use by many threads.
 */
final class SnapshotReads implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(SnapshotReads.class);

    /** So many reads are not tried in memory after one that was in vain: trying is not free. */
    private static final int PASSED_AFTER_MISS = 8;

    private final GroupId id;
    private final GroupStore store;
    private final Clock clock;
    private final Supplier<ClusterMap> cluster;
    private final ReplyMemory memory;

    /** Of {@link #PASSED_AFTER_MISS}, those that are left. */
    private final AtomicInteger passed = new AtomicInteger();

    /** Shared by reads; exclusive where this is closed. */
    private final ReadWriteLock underWay = new ReentrantReadWriteLock();

    private boolean closed;

    SnapshotReads(GroupId id, GroupStore store, Clock clock, Supplier<ClusterMap> cluster, ReplyMemory memory) {
        this.id = id;
        this.store = store;
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
        NOT_IN_MEMORY
    }

    /** Decides a request, which must change nothing. */
    Outcome decide(Pending<?, ?, ?> pending) {
        underWay.readLock().lock();
        try {
            return decide(pending, GroupStore::snapshot);
        } finally {
            underWay.readLock().unlock();
        }
    }

    /** {@link #decide} for who may not wait, where all that is read is in memory. */
    Outcome decideInMemory(Pending<?, ?, ?> pending) {
        if (passed.get() > 0) {
            passed.decrementAndGet();
            return Outcome.NOT_IN_MEMORY;
        }
        if (!underWay.readLock().tryLock()) {
            return Outcome.NOT_IN_MEMORY;
        }
        try {
            return decide(pending, GroupStore::snapshotInMemory);
        } catch (NotInMemoryException e) {
            passed.set(PASSED_AFTER_MISS);
            return Outcome.NOT_IN_MEMORY;
        } finally {
            underWay.readLock().unlock();
        }
    }

    private Outcome decide(Pending<?, ?, ?> pending, Source source) {
        if (pending.origin().isExpired(clock.monotonicNanos())) {
            pending.fail(expired());
            return Outcome.FAILED;
        }
        try (StoreSnapshot snapshot = source.of(openStore())) {
            if (snapshot == null) {
                return Outcome.NOT_IN_MEMORY;
            }
            decideOn(snapshot.view(), pending);
            return Outcome.DECIDED;
        } catch (TatamiException e) {
            pending.fail(e);
        } catch (NotInMemoryException e) {
            throw e;
        } catch (UncheckedIOException e) {
            LOG.error("{} cannot read its store", id, e);
            pending.fail(unreadable(id, e));
        } catch (RuntimeException e) {
            LOG.error("a read of {} met a bug in Tatami", id, e);
            pending.fail(new TatamiException(ErrorCode.INTERNAL, "a bug in Tatami: " + e, e));
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

    private void decideOn(View view, Pending<?, ?, ?> pending) {
        Batch batch = Batch.ofRead(view, Math.max(store.logMillis(), clock.wallMillis()));
        pending.decide(batch, cluster.get(), memory);
        if (!batch.draft().isEmpty()) {
            throw new IllegalStateException("a read of " + id + " changed records");
        }
    }

    /** A snapshot to be read, or null where there is none now. */
    private interface Source {
        @Nullable
        StoreSnapshot of(GroupStore store) throws TatamiException;
    }

    /** The remembered reply of a request, or that there is none; fails with a remembered refusal. */
    <R extends Message> CompletableFuture<Optional<R>> recall(Method<?, R> method, RequestOrigin origin) {
        underWay.readLock().lock();
        try (StoreSnapshot snapshot = openStore().snapshot()) {
            return CompletableFuture.completedFuture(
                    Optional.ofNullable(memory.recallStored(snapshot.view(), origin, method)));
        } catch (TatamiException e) {
            return CompletableFuture.failedFuture(e);
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
        return new TatamiException(ErrorCode.UNAVAILABLE, id + " cannot read its store: " + e.getMessage(), e);
    }

    static TatamiException expired() {
        return new TatamiException(ErrorCode.DEADLINE_EXCEEDED, "the request waited too long to be begun");
    }
}
