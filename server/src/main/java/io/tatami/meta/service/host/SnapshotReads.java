package io.tatami.meta.service.host;

import com.google.protobuf.Message;
import io.tatami.base.Clock;
import io.tatami.base.ErrorCode;
import io.tatami.base.GroupId;
import io.tatami.base.TatamiException;
import io.tatami.meta.service.RequestOrigin;
import io.tatami.meta.store.GroupStore;
import io.tatami.meta.store.StoreSnapshot;
import io.tatami.protocol.Method;
import io.tatami.protocol.wire.ClusterMap;
import java.io.UncheckedIOException;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Decides a group's reads on snapshots, which show only what is durable. Safe for use by many threads. */
final class SnapshotReads {
    private static final Logger LOG = LoggerFactory.getLogger(SnapshotReads.class);

    private final GroupId id;
    private final GroupStore store;
    private final Clock clock;
    private final Supplier<ClusterMap> cluster;
    private final ReplyMemory memory;

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
        try (StoreSnapshot snapshot = store.snapshot()) {
            Batch batch = Batch.ofRead(snapshot.view(), Math.max(store.logMillis(), clock.wallMillis()));
            pending.decide(batch, cluster.get(), memory);
            if (!batch.draft().isEmpty()) {
                throw new IllegalStateException("a read of " + id + " changed records");
            }
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

    /** The remembered reply of a request, or that there is none; fails with a remembered refusal. */
    <R extends Message> CompletableFuture<Optional<R>> recall(Method<?, R> method, RequestOrigin origin) {
        try (StoreSnapshot snapshot = store.snapshot()) {
            return CompletableFuture.completedFuture(
                    Optional.ofNullable(ReplyMemory.recallStored(snapshot.view(), origin, method)));
        } catch (TatamiException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    static TatamiException unreadable(GroupId id, UncheckedIOException e) {
        return new TatamiException(ErrorCode.UNAVAILABLE, id + " cannot read its store: " + e.getMessage(), e);
    }

    static TatamiException expired() {
        return new TatamiException(ErrorCode.DEADLINE_EXCEEDED, "the request waited too long to be begun");
    }
}
