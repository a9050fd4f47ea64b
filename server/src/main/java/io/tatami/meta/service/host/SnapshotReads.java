package io.tatami.meta.service.host;

import com.google.protobuf.Message;
import io.tatami.base.Clock;
import io.tatami.base.ErrorCode;
import io.tatami.base.GroupId;
import io.tatami.base.TatamiException;
import io.tatami.meta.service.RequestOrigin;
import io.tatami.meta.state.View;
import io.tatami.meta.store.GroupStore;
import io.tatami.meta.store.StoreSnapshot;
import io.tatami.protocol.Method;
import io.tatami.protocol.wire.ClusterMap;
import java.io.UncheckedIOException;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides a group's reads on snapshots, which show only what is durable. Those under way end before it is closed: the
 * store can be closed then, and opened again at once. Safe for use by many threads.
 */
final class SnapshotReads implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(SnapshotReads.class);

    private final GroupId id;
    private final GroupStore store;
    private final Clock clock;
    private final Supplier<ClusterMap> cluster;
    private final ReplyMemory memory;
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

    /** Decides a request, which must change nothing; false where it could not be decided and has failed. */
    boolean decide(Pending<?, ?, ?> pending) {
        if (pending.origin().isExpired(clock.monotonicNanos())) {
            pending.fail(expired());
            return false;
        }
        try {
            Batch unused = read(view -> decideOn(view, pending));
            return true;
        } catch (TatamiException e) {
            pending.fail(e);
        } catch (UncheckedIOException e) {
            LOG.error("{} cannot read its store", id, e);
            pending.fail(unreadable(id, e));
        } catch (RuntimeException e) {
            LOG.error("a read of {} met a bug in Tatami", id, e);
            pending.fail(new TatamiException(ErrorCode.INTERNAL, "a bug in Tatami: " + e, e));
        }
        return false;
    }

    private Batch decideOn(View view, Pending<?, ?, ?> pending) {
        Batch batch = Batch.ofRead(view, Math.max(store.logMillis(), clock.wallMillis()));
        pending.decide(batch, cluster.get(), memory);
        if (!batch.draft().isEmpty()) {
            throw new IllegalStateException("a read of " + id + " changed records");
        }
        return batch;
    }

    /** What is read of the store. */
    private interface Reading<T> {
        T of(View view) throws TatamiException;
    }

    private <T> T read(Reading<T> reading) throws TatamiException {
        underWay.readLock().lock();
        try {
            if (closed) {
                throw new TatamiException(ErrorCode.UNAVAILABLE, id + " is closed");
            }
            try (StoreSnapshot snapshot = store.snapshot()) {
                return reading.of(snapshot.view());
            }
        } finally {
            underWay.readLock().unlock();
        }
    }

    /** The remembered reply of a request, or that there is none; fails with a remembered refusal. */
    <R extends Message> CompletableFuture<Optional<R>> recall(Method<?, R> method, RequestOrigin origin) {
        try {
            return CompletableFuture.completedFuture(
                    read(view -> Optional.ofNullable(memory.recallStored(view, origin, method))));
        } catch (TatamiException e) {
            return CompletableFuture.failedFuture(e);
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
