package io.tatami.meta.service.cluster;

import io.tatami.base.GroupId;
import io.tatami.base.ServerId;
import io.tatami.meta.op.servers.NoteBlockServers;
import io.tatami.meta.service.BackgroundTask;
import io.tatami.meta.service.Group;
import io.tatami.meta.service.GroupPeers;
import io.tatami.meta.service.RequestOrigin;
import io.tatami.meta.state.ClusterState;
import io.tatami.meta.state.wire.NoteBlockServersRequest;
import io.tatami.protocol.MetaMethods;
import io.tatami.protocol.wire.BlockServerInfo;
import io.tatami.protocol.wire.BlockServerInfo.State;
import io.tatami.protocol.wire.CopiesStatusRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/**
 * Asks all shards whether the drains of block servers have ended, one server after the other, and writes down those
 * that have. Of a server that was given up the same is asked: whether all its blocks are queued to be copied. The
 * fields belong to the runs of one background task, which never overlap.
 */
final class DrainEnds implements BackgroundTask {
    /** A shard walks over the blocks that it has on the server up to the first that keeps it. */
    private static final Duration REST = Duration.ofSeconds(5);

    private static final Duration BETWEEN_SERVERS = Duration.ofSeconds(1);

    private final Group<ClusterState> group;
    private final GroupPeers peers;
    private final NoteBlockServers note = new NoteBlockServers();

    /** Servers that were asked for since the last rest. */
    private final Set<Integer> asked = new HashSet<>();

    DrainEnds(Group<ClusterState> group, GroupPeers peers) {
        this.group = group;
        this.peers = peers;
    }

    @Override
    public CompletableFuture<Duration> run() {
        for (BlockServerInfo info : peers.map().getBlockServerList()) {
            boolean isToBeEmpty = info.getToBeEmptied() || info.getState() == State.GONE;
            if (isToBeEmpty && !info.getDrained() && asked.add(info.getServerId())) {
                ServerId server = new ServerId(info.getServerId());
                return isDrained(server)
                        .thenCompose(drained -> drained ? write(server) : CompletableFuture.completedFuture(null))
                        .thenApply(done -> BETWEEN_SERVERS);
            }
        }
        asked.clear();
        return CompletableFuture.completedFuture(REST);
    }

    /** Whether all shards say that they have no block on a server now. Called by any thread. */
    CompletableFuture<Boolean> isDrained(ServerId server) {
        CopiesStatusRequest request = CopiesStatusRequest.newBuilder()
                .setServerId(server.value())
                .setOnlyWhetherDrained(true)
                .build();
        List<CompletableFuture<Boolean>> answers = new ArrayList<>();
        for (int shard = 0; shard < peers.map().getShards(); shard++) {
            answers.add(peers.call(GroupId.ofShard(shard), MetaMethods.COPIES_STATUS, request)
                    .handle((reply, failure) -> failure == null && reply.getDrained()));
        }
        return CompletableFuture.allOf(answers.toArray(CompletableFuture<?>[]::new))
                .thenApply(all -> answers.stream().allMatch(CompletableFuture::join));
    }

    private CompletableFuture<Void> write(ServerId server) {
        NoteBlockServersRequest.Item item = NoteBlockServersRequest.Item.newBuilder()
                .setServerId(server.value())
                .setDrained(true)
                .build();
        return group.submit(
                        note,
                        RequestOrigin.SERVICE,
                        NoteBlockServersRequest.newBuilder().addItem(item).build())
                .thenAccept(written -> {});
    }
}
