package io.tatami.meta.service.replicate;

import com.google.protobuf.Message;
import io.tatami.base.GroupId;
import io.tatami.base.TatamiException;
import io.tatami.meta.log.CommitLog;
import io.tatami.meta.service.GroupPart;
import io.tatami.meta.service.lead.HostServices;
import io.tatami.meta.service.lead.LeadingGroup;
import io.tatami.meta.service.lead.PartRegistry;
import io.tatami.meta.state.Draft;
import io.tatami.meta.state.wire.GroupRecord;
import io.tatami.meta.store.GroupStore;
import io.tatami.protocol.Method;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One group of this process. It leads for a term, then follows, and so on; with a local log it leads from start to end.
 * Each term has a {@link LeadingGroup} of its own, and requests reach the group only during a term. Terms begin and end
 * under this object's lock. Safe for use by many threads.
 */
public final class HostedGroup implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(HostedGroup.class);

    private final GroupRecord record;
    private final HostServices parts;
    private final Kind kind;
    private final Stage stage;
    private final CompletableFuture<TatamiException> stopped = new CompletableFuture<>();
    private volatile @Nullable LeadingGroup leading;
    private volatile boolean excluded;
    private boolean closed;

    /** What a kind of group is made of. */
    @FunctionalInterface
    public interface Kind {
        /** Adds the parts of a new term. */
        void addTo(PartRegistry group) throws TatamiException;
    }

    /** Where the requests of this server's groups come in. */
    public interface Stage {
        /** Requests for the group go there from now on. */
        void open(LeadingGroup group);

        /** Requests for the group are refused from now on. */
        void close(GroupId group);
    }

    public HostedGroup(GroupRecord record, HostServices parts, Kind kind, Stage stage) {
        this.record = record;
        this.parts = parts;
        this.kind = kind;
        this.stage = stage;
    }

    public GroupId id() {
        return new GroupId(record.getGroup());
    }

    /** Whether it leads now. */
    public boolean isLeading() {
        return leading != null;
    }

    /**
     * Has the group answer as if one of its own servers asked, where it leads.
     *
     * @param method that changes nothing
     * @return empty where it does not lead, or does not serve the method
     */
    public <Q extends Message, R extends Message> Optional<CompletableFuture<R>> ask(Method<Q, R> method, Q request) {
        LeadingGroup group = leading;
        return group == null ? Optional.empty() : group.ask(method, request);
    }

    /** Requests that wait for the group's thread; 0 where it does not lead. */
    public int queuedRequests() {
        LeadingGroup group = leading;
        return group == null ? 0 : group.queuedRequests();
    }

    /** As {@link LeadingGroup#knownLogBytes}; empty also where it does not lead. */
    public OptionalLong logBytes() {
        LeadingGroup group = leading;
        return group == null ? OptionalLong.empty() : group.knownLogBytes();
    }

    /** Completes with why nothing will be decided here any more, on a thread that must not be held up. */
    public CompletableFuture<TatamiException> stopped() {
        return stopped.copy();
    }

    public boolean isStopped() {
        return stopped.isDone();
    }

    /** Why nothing will be decided here any more; empty where that is not so. */
    public String failure() {
        return stopped.thenApply(reason -> String.valueOf(reason.getMessage())).getNow("");
    }

    /**
     * Begins a term that lasts until the process ends, or until {@link #follow} as the group goes over to another log.
     */
    synchronized void leadForGood(GroupStore store, CommitLog log) throws TatamiException {
        CompletableFuture<TatamiException> ended = lead(store, log, (table, own) -> {});
        LeadingGroup term = leading;
        CompletableFuture<Void> unused = ended.thenAccept(reason -> {
            if (leading == term) {
                stopped.complete(reason);
            }
        });
    }

    /**
     * Begins a term, unless this is closed.
     *
     * @param store stays the caller's, and belongs to the term until {@link #follow} returns
     * @param more is served beside the group's own parts
     * @return completes with why the term can decide nothing any more, on a thread that must not be held up
     * @throws TatamiException INVALID_ARGUMENT for a bad setting, or a clock that is too far ahead; FORMAT_TOO_OLD or
     *     FORMAT_TOO_NEW where another release wrote the group
     */
    synchronized CompletableFuture<TatamiException> lead(GroupStore store, CommitLog log, GroupPart<Draft> more)
            throws TatamiException {
        follow();
        if (closed) {
            return new CompletableFuture<>();
        }
        GroupStores.requireReadable(id(), store);
        parts.clock().admit(id(), store.logMillis());
        LeadingGroup group = new LeadingGroup(record, store, log, parts);
        try {
            kind.addTo(group);
            group.add(draft -> draft, more);
        } catch (TatamiException | RuntimeException e) {
            group.close();
            throw e;
        }
        leading = group;
        stage.open(group);
        group.start();
        return group.stopped();
    }

    /** Ends the term, if one is under way; nothing of it uses the store when this returns. */
    synchronized void follow() {
        LeadingGroup group = leading;
        leading = null;
        if (group != null) {
            stage.close(id());
            group.close();
        }
    }

    /** Others hold the group by now; nothing will be decided here until it is opened anew. */
    void exclude() {
        excluded = true;
        follow();
    }

    public boolean isExcluded() {
        return excluded;
    }

    /** Nothing will be decided here any more. */
    void fail(TatamiException reason) {
        if (stopped.complete(reason)) {
            LOG.error("{} is served here no more", id(), reason);
        }
        follow();
    }

    /** Has the group write to its disk, where it leads, and so stop where that takes nothing any more. */
    public void proveWritable() {
        LeadingGroup group = leading;
        if (group != null) {
            group.proveWritable();
        }
    }

    /** The term under way ends, and no other begins. */
    @Override
    public synchronized void close() {
        closed = true;
        follow();
    }
}
