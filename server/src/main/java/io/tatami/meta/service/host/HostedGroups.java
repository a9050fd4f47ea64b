package io.tatami.meta.service.host;

import com.google.protobuf.Message;
import io.tatami.base.GroupId;
import io.tatami.base.TatamiException;
import io.tatami.files.CrashPoint;
import io.tatami.meta.log.raft.snapshot.SnapshotProgress;
import io.tatami.meta.service.cluster.ClusterMapHolder;
import io.tatami.meta.service.identity.Identity;
import io.tatami.meta.service.identity.StoredIdentity;
import io.tatami.meta.service.lead.HostServices;
import io.tatami.meta.service.lead.LeadingGroup;
import io.tatami.meta.service.lead.SteadyClock;
import io.tatami.meta.service.replicate.HostedGroup;
import io.tatami.meta.service.replicate.ReplicaState;
import io.tatami.meta.service.replicate.ServerReplication;
import io.tatami.protocol.Method;
import io.tatami.protocol.RequestLimits;
import io.tatami.protocol.wire.HeldReplica;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The groups of a metadata server, together. Opened and closed by one thread; replicas are added and dropped by one at
 * a time. The server's identity names the groups: one is named there before anything of it is stored, and no more
 * before anything of it is deleted.
 */
final class HostedGroups implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(HostedGroups.class);

    /** Of the reason why a replica stopped, as it is reported: in UTF-8 within the request's limit. */
    private static final int FAILURE_CHARACTERS_MAX = RequestLimits.FAILURE_BYTES / 4;

    private final StoredIdentity own;
    private final ServerReplication replication;
    private final NavigableMap<GroupId, HostedGroup> groups = new ConcurrentSkipListMap<>();
    private final CompletableFuture<String> ended = new CompletableFuture<>();
    private final Function<GroupId, HostedGroup> maker;
    private final SteadyClock clock;
    private boolean closed;

    private volatile Runnable leadsMore = () -> {};

    /**
     * @param replication closed with this
     * @param stage where requests for groups that lead here come in
     */
    HostedGroups(
            StoredIdentity own,
            ServerReplication replication,
            HostServices parts,
            ClusterMapHolder maps,
            HostedGroup.Stage stage) {
        this.own = own;
        this.replication = replication;
        this.clock = parts.clock();
        String superuser = own.get().superuser();
        this.maker = id -> new HostedGroup(
                own.get().record(id),
                parts,
                id.isNamespace()
                        ? term -> NamespacePartList.addTo(term, maps, superuser, parts.invitations())
                        : ShardPartList::addTo,
                telling(stage));
    }

    /** Opens the groups of the identity, which is noted to have made its stores once they are there. */
    synchronized void open() throws TatamiException {
        for (GroupId id : own.get().groups()) {
            HostedGroup group = maker.apply(id);
            groups.put(id, group);
            replication.open(own.get().record(id), group);
        }
        if (!own.get().made()) {
            CrashPoint.hit("meta.format.before-made");
            own.change(Identity::afterMaking);
        }
    }

    /** Has the directory told from copies of it that were made before. */
    synchronized void mark() throws TatamiException {
        if (!closed) {
            own.change(Identity::afterMark);
        }
    }

    /** Lets the groups begin; the server listens. */
    synchronized void start() throws TatamiException {
        replication.start();
        groups.values().forEach(this::watch);
    }

    /**
     * Groups share a disk: where one has stopped, another with nothing to do would never notice. They share a clock
     * too: where it is refused the server ends, so that others lead what its replicas would.
     */
    private void watch(HostedGroup group) {
        CompletableFuture<Void> unused = group.stopped().thenAccept(reason -> {
            if (clock.isRefused()) {
                stop(String.valueOf(reason.getMessage()));
                return;
            }
            proveWritable();
            if (groups.values().stream().allMatch(HostedGroup::isStopped)) {
                ended.complete(String.valueOf(reason.getMessage()));
            }
        });
    }

    /**
     * Opens an empty replica, which the group's leader fills; one that is open already is left as it is.
     *
     * @throws TatamiException as an opening does; then there is none
     */
    synchronized void add(GroupId id) throws TatamiException {
        if (closed || groups.containsKey(id)) {
            return;
        }
        if (!own.get().groups().contains(id)) {
            if (replication.stored().contains(id)) {
                replication.drop(id);
            }
            own.change(identity -> identity.holding(id, Identity.Log.GIVEN));
        }
        CrashPoint.hit("meta.move.replica-named");
        open(id);
        CrashPoint.hit("meta.move.replica-opened");
        LOG.info("this server holds a replica of {} from now on", id);
    }

    private void open(GroupId id) throws TatamiException {
        HostedGroup group = maker.apply(id);
        replication.add(group);
        // Not before: the cluster hears of what is among them, and then counts on it.
        groups.put(id, group);
        watch(group);
    }

    /**
     * Has a group that is held here by the log of its own store go on by a replicated one; without effect where it
     * does.
     *
     * @throws TatamiException the group was not touched, or is served here no more until the next start
     */
    synchronized void replicate(GroupId id) throws TatamiException {
        HostedGroup group = groups.get(id);
        if (closed || group == null || own.get().isReplicated(id)) {
            return;
        }
        LOG.info("{} goes from the log of its own store to a replicated one", id);
        replication.replicate(group);
    }

    /** Lets another server lead a group that leads here; returns at once. */
    void handOver(GroupId id, UUID successor) {
        replication.handOver(id, successor);
    }

    /** Deletes all that is here of a group that others hold now; where this fails, it goes on when called again. */
    synchronized void drop(GroupId id) throws TatamiException {
        if (closed || !replicas().contains(id)) {
            return;
        }
        HostedGroup group = groups.get(id);
        if (group != null) {
            close(group);
        }
        if (own.get().groups().contains(id)) {
            own.change(identity -> identity.without(id));
        }
        CrashPoint.hit("meta.move.replica-unnamed");
        replication.drop(id);
        CrashPoint.hit("meta.move.replica-dropped");
        LOG.info("this server holds no replica of {} any more", id);
    }

    private void close(HostedGroup group) {
        groups.remove(group.id());
        group.close();
        replication.remove(group.id());
    }

    /** The replicas that take no part though they are to: one could not be opened, or the others did not count it. */
    List<GroupId> idle() {
        Identity identity = own.get();
        return identity.groups().stream()
                .filter(identity::isReplicated)
                .filter(this::isIdle)
                .toList();
    }

    private boolean isIdle(GroupId id) {
        HostedGroup group = groups.get(id);
        return group == null || group.isExcluded();
    }

    /** Has a replica take part again that is idle. */
    synchronized void reopen(GroupId id) throws TatamiException {
        if (closed || !own.get().isReplicated(id) || !isIdle(id)) {
            return;
        }
        HostedGroup group = groups.get(id);
        if (group != null) {
            close(group);
        }
        open(id);
    }

    private HostedGroup.Stage telling(HostedGroup.Stage stage) {
        return new HostedGroup.Stage() {
            @Override
            public void open(LeadingGroup group) {
                stage.open(group);
                leadsMore.run();
            }

            @Override
            public void close(GroupId group) {
                stage.close(group);
            }
        };
    }

    /** Has {@code listener} told whenever a group begins to lead; it must not block. */
    void whenLeading(Runnable listener) {
        leadsMore = listener;
    }

    /** The groups that lead here now. */
    List<Integer> led() {
        return groups.values().stream()
                .filter(HostedGroup::isLeading)
                .map(group -> group.id().value())
                .toList();
    }

    /** Has each group that leads here answer, as {@link HostedGroup#ask}. */
    <Q extends Message, R extends Message> List<CompletableFuture<R>> askLed(Method<Q, R> method, Q request) {
        return groups.values().stream()
                .flatMap(group -> group.ask(method, request).stream())
                .toList();
    }

    /** The replicas here as they are now, in the order of their groups. */
    List<ReplicaState> states() {
        return groups.values().stream()
                .map(group -> new ReplicaState(
                        group.id(),
                        group.isLeading(),
                        replication.appliedIndex(group.id()),
                        group.queuedRequests(),
                        group.logBytes(),
                        group.failure()))
                .toList();
    }

    /** The replicas of which anything is stored here, open or not. */
    List<HeldReplica> held() {
        List<HeldReplica> held = new ArrayList<>();
        for (GroupId id : replicas()) {
            HostedGroup group = groups.get(id);
            OptionalLong index = group == null ? OptionalLong.empty() : replication.appliedIndex(id);
            Optional<SnapshotProgress> receiving = replication.receiving(id);
            held.add(HeldReplica.newBuilder()
                    .setGroup(id.value())
                    .setAppliedIndex(index.orElse(0))
                    .setClosed(index.isEmpty())
                    .setSnapshotBytes(receiving.map(SnapshotProgress::bytes).orElse(0L))
                    .setSnapshotBytesTotal(
                            receiving.map(SnapshotProgress::bytesTotal).orElse(0L))
                    .setFailure(group == null ? "" : shortened(group.failure()))
                    .build());
        }
        return held;
    }

    private static String shortened(String failure) {
        return failure.length() <= FAILURE_CHARACTERS_MAX ? failure : failure.substring(0, FAILURE_CHARACTERS_MAX);
    }

    /**
     * Of groups with a replicated log: what the identity names, and what is left of those it does not name any more.
     */
    private Set<GroupId> replicas() {
        Set<GroupId> replicas = new TreeSet<>(replication.stored());
        Identity identity = own.get();
        identity.groups().stream().filter(identity::isReplicated).forEach(replicas::add);
        return replicas;
    }

    private void proveWritable() {
        if (!ended.isDone()) {
            groups.values().forEach(HostedGroup::proveWritable);
        }
    }

    NavigableSet<GroupId> ids() {
        return groups.navigableKeySet();
    }

    /** Completes with the reason once no group is served here any more, on a thread that must not be held up. */
    CompletableFuture<String> ended() {
        return ended.copy();
    }

    /** No group is served here from now on. */
    void stop(String reason) {
        LOG.error("this server stops serving {}: {}", groups.keySet(), reason);
        ended.complete(reason);
        groups.values().forEach(HostedGroup::close);
    }

    @Override
    public synchronized void close() throws TatamiException {
        closed = true;
        ended.complete("the server is closed");
        groups.values().forEach(HostedGroup::close);
        replication.close();
    }
}
