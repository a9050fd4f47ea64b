package io.tatami.meta.service.host;

import io.tatami.base.CrashPoint;
import io.tatami.base.ErrorCode;
import io.tatami.base.GroupId;
import io.tatami.base.TatamiException;
import io.tatami.meta.service.cluster.ClusterMapHolder;
import java.util.List;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentSkipListMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The groups of a metadata server, together. Opened and closed by one thread; safe for use by many from {@link #start} on. */
final class HostedGroups implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(HostedGroups.class);

    private final OwnIdentity own;
    private final ServerReplication replication;
    private final HostParts parts;
    private final ClusterMapHolder maps;
    private final HostedGroup.Stage stage;
    private final NavigableMap<GroupId, HostedGroup> groups = new ConcurrentSkipListMap<>();
    private final CompletableFuture<String> ended = new CompletableFuture<>();

    private volatile Runnable leadsMore = () -> {};

    /** @param replication closed with this */
    HostedGroups(
            OwnIdentity own,
            ServerReplication replication,
            HostParts parts,
            ClusterMapHolder maps,
            HostedGroup.Stage stage) {
        this.own = own;
        this.replication = replication;
        this.parts = parts;
        this.maps = maps;
        this.stage = telling(stage);
    }

    /** Opens the groups of the identity, which is noted to have made its stores once they are there. */
    void open() throws TatamiException {
        for (GroupId id : own.get().groups()) {
            HostedGroup group = group(id);
            groups.put(id, group);
            replication.open(own.get().record(id), group);
        }
        if (!own.get().made()) {
            CrashPoint.hit("meta.format.before-made");
            own.change(Identity::afterMaking);
        }
    }

    private HostedGroup group(GroupId id) {
        HostedGroup.Kind kind = id.isNamespace()
                ? term -> NamespaceParts.addTo(term, maps, own.get().superuser())
                : ShardParts::addTo;
        return new HostedGroup(own.get().record(id), parts, kind, stage);
    }

    /** Lets the groups begin; the server listens. */
    void start() throws TatamiException {
        replication.start();
        groups.values().forEach(this::watch);
    }

    /** Groups share a disk: where one has stopped, one with nothing to do would never notice. */
    private void watch(HostedGroup group) {
        CompletableFuture<Void> unused = group.stopped().thenAccept(reason -> {
            proveWritable();
            if (groups.values().stream().allMatch(HostedGroup::hasStopped)) {
                ended.complete(String.valueOf(reason.getMessage()));
            }
        });
    }

    /**
     * Has a group that is held here by the log of its own store go on by a replicated one; without effect where it does.
     *
     * @throws TatamiException INVALID_ARGUMENT where this server does not hold it; else it is served here no more until the
     *     next start, or was not touched
     */
    synchronized void replicate(GroupId id) throws TatamiException {
        HostedGroup group = groups.get(id);
        if (group == null) {
            throw new TatamiException(ErrorCode.INVALID_ARGUMENT, "this server has no " + id + " to be replicated");
        }
        if (!own.get().isReplicated(id)) {
            LOG.info("{} goes from the log of its own store to a replicated one", id);
            replication.replicate(group);
        }
    }

    /** Opens an empty replica of a group, for the group's leader to fill; without effect where the group is here. */
    synchronized void receive(GroupId id) throws TatamiException {
        if (!groups.containsKey(id)) {
            LOG.info("a replica of {} is opened here", id);
            HostedGroup group = group(id);
            replication.receive(group);
            groups.put(id, group);
            watch(group);
        }
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
        ended.complete("the server is closed");
        groups.values().forEach(HostedGroup::close);
        replication.close();
    }
}
