package io.tatami.meta.service.host;

import io.tatami.base.CrashPoint;
import io.tatami.base.GroupId;
import io.tatami.base.TatamiException;
import io.tatami.meta.service.cluster.ClusterMapHolder;
import io.tatami.meta.state.wire.GroupRecord;
import java.nio.file.Path;
import java.util.List;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The groups of a metadata server, together. Opened and closed by one thread. */
final class HostedGroups implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(HostedGroups.class);

    private final Replication replication;
    private final NavigableMap<GroupId, HostedGroup> groups = new TreeMap<>();
    private final CompletableFuture<String> ended = new CompletableFuture<>();

    private volatile Runnable leadsMore = () -> {};

    /** @param replication closed with this */
    HostedGroups(Replication replication) {
        this.replication = replication;
    }

    /** Opens the groups of an identity, which is noted to have made its stores once they are there. */
    void open(Path directory, Identity identity, HostParts parts, ClusterMapHolder maps, HostedGroup.Stage stage)
            throws TatamiException {
        for (GroupId id : identity.groups()) {
            GroupRecord record = identity.record(id);
            HostedGroup.Kind kind = id.isNamespace()
                    ? term -> NamespaceParts.addTo(term, maps, identity.superuser())
                    : ShardParts::addTo;
            HostedGroup group = new HostedGroup(record, parts, kind, telling(stage));
            groups.put(id, group);
            replication.open(record, group);
        }
        if (!identity.made()) {
            CrashPoint.hit("meta.format.before-made");
            identity.afterMaking().write(directory);
        }
    }

    /** Lets the groups begin; the server listens. */
    void start() throws TatamiException {
        replication.start();
        List<CompletableFuture<TatamiException>> stopped =
                groups.values().stream().map(HostedGroup::stopped).toList();
        // They share a disk: where one has stopped, a group with nothing to do would never notice.
        stopped.forEach(one -> {
            CompletableFuture<Void> unused = one.thenAccept(reason -> proveWritable());
        });
        CompletableFuture<Boolean> unused = CompletableFuture.allOf(stopped.toArray(CompletableFuture<?>[]::new))
                .thenApply(all ->
                        ended.complete(String.valueOf(stopped.get(0).join().getMessage())));
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
    public void close() throws TatamiException {
        ended.complete("the server is closed");
        groups.values().forEach(HostedGroup::close);
        replication.close();
    }
}
