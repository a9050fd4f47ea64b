package io.tatami.meta.service.copies;

import io.tatami.base.BlockId;
import io.tatami.base.ServerId;
import io.tatami.meta.op.copies.FailCopies;
import io.tatami.meta.op.copies.ReadNeeds;
import io.tatami.meta.service.Group;
import io.tatami.meta.service.GroupPeers;
import io.tatami.meta.service.RequestOrigin;
import io.tatami.meta.service.copies.PullsInFlight.Pull;
import io.tatami.meta.state.BlockCopies;
import io.tatami.meta.state.BlockCopies.Copy;
import io.tatami.meta.state.ShardState;
import io.tatami.meta.state.wire.FailCopiesRequest;
import io.tatami.meta.state.wire.NeededBlock;
import io.tatami.meta.state.wire.NeedsPage;
import io.tatami.meta.state.wire.NeedsPageRequest;
import io.tatami.meta.state.wire.ReplicaRecord.Problem;
import io.tatami.protocol.BlockMethods;
import io.tatami.protocol.RequestLimits;
import io.tatami.protocol.wire.BlockServerInfo;
import io.tatami.protocol.wire.ClusterMap;
import io.tatami.protocol.wire.PullBlocksReply;
import io.tatami.protocol.wire.PullBlocksReply.Answer;
import io.tatami.protocol.wire.PullBlocksRequest;
import io.tatami.protocol.wire.WriteTarget;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks block servers for the copies that are intended, and again while nothing is heard of one. Nobody waits for the
 * answers. A server that does not take a copy for half a minute is not waited for any more. Safe for use by many
 * threads.
 */
final class CopyPuller {
    private static final Logger LOG = LoggerFactory.getLogger(CopyPuller.class);

    private final Group<ShardState> group;
    private final GroupPeers peers;
    private final PullsInFlight pulls;
    private final BlockWaits waits;

    /** Is told of blocks that are to be judged again. */
    private final Consumer<BlockId> changed;

    private final ReadNeeds read = new ReadNeeds();
    private final FailCopies fail = new FailCopies();

    CopyPuller(
            Group<ShardState> group,
            GroupPeers peers,
            PullsInFlight pulls,
            BlockWaits waits,
            Consumer<BlockId> changed) {
        this.group = group;
        this.peers = peers;
        this.pulls = pulls;
        this.waits = waits;
        this.changed = changed;
    }

    /** Asks for what is due; intents that are no more are forgotten. Completes when the requests are under way. */
    CompletableFuture<Void> sendDue() {
        List<Pull> due = pulls.takeDue(RequestLimits.PULLED_BLOCKS);
        if (due.isEmpty()) {
            return CompletableFuture.completedFuture(null);
        }
        NeedsPageRequest request = NeedsPageRequest.newBuilder()
                .addAllBlockId(due.stream()
                        .map(pull -> pull.block().value())
                        .distinct()
                        .toList())
                .build();
        return group.read(read, RequestOrigin.SERVICE, request).thenAccept(page -> send(due, page));
    }

    private void send(List<Pull> due, NeedsPage page) {
        Map<BlockId, NeededBlock> blocks = new HashMap<>();
        page.getItemList().forEach(needed -> blocks.put(new BlockId(needed.getBlockId()), needed));
        ClusterMap map = peers.map();
        SourceLoads loads = new SourceLoads(pulls.bytesBySource());
        Map<ServerId, List<Pull>> byServer = new TreeMap<>();
        Map<ServerId, PullBlocksRequest.Builder> requests = new HashMap<>();
        for (Pull pull : due) {
            NeededBlock needed = blocks.get(pull.block());
            if (needed != null && BlockCopies.intended(needed.getBlock()).contains(pull.copy())) {
                ServerId server = pull.copy().server();
                byServer.computeIfAbsent(server, absent -> new ArrayList<>()).add(pull);
                requests.computeIfAbsent(server, absent -> PullBlocksRequest.newBuilder())
                        .addItem(item(map, needed, pull, loads));
            } else {
                pulls.remove(pull);
            }
        }
        byServer.forEach((server, of) -> ask(
                server,
                of,
                requests.getOrDefault(server, PullBlocksRequest.newBuilder()).build()));
    }

    private void ask(ServerId server, List<Pull> of, PullBlocksRequest request) {
        CompletableFuture<Void> unused = peers.callBlockServer(server, BlockMethods.PULL_BLOCKS, request)
                .handle((reply, failure) -> {
                    if (failure != null) {
                        LOG.info("block server {} was not asked for {} copies", server, of.size(), failure);
                    }
                    return reply;
                })
                .thenAccept(reply -> answered(server, of, reply));
    }

    /** @param reply null where none came */
    private void answered(ServerId server, List<Pull> of, @Nullable PullBlocksReply reply) {
        List<Pull> failed = new ArrayList<>();
        for (int i = 0; i < of.size(); i++) {
            if (reply != null && i < reply.getAnswerCount() && reply.getAnswer(i) == Answer.ADMITTED) {
                pulls.admitted(of.get(i));
            } else {
                waits.busy(server);
                if (pulls.refused(of.get(i))) {
                    failed.add(of.get(i));
                }
            }
        }
        fail(failed);
    }

    /** These copies are not waited for any more. */
    void fail(List<Pull> failed) {
        if (failed.isEmpty()) {
            return;
        }
        FailCopiesRequest.Builder request = FailCopiesRequest.newBuilder();
        for (Pull pull : failed) {
            request.addItem(FailCopiesRequest.Item.newBuilder()
                    .setBlockId(pull.block().value())
                    .setServerId(pull.copy().server().value())
                    .setCopyNumber(pull.copy().number()));
        }
        CompletableFuture<Void> unused = group.submit(fail, RequestOrigin.SERVICE, request.build())
                .thenAccept(done -> failed.forEach(pull -> {
                    pulls.remove(pull);
                    waits.refused(pull.block(), pull.copy().server());
                    changed.accept(pull.block());
                }))
                .exceptionally(failure -> {
                    LOG.debug("{} copies are still intended", failed.size(), failure);
                    return null;
                });
    }

    private PullBlocksRequest.Item item(ClusterMap map, NeededBlock needed, Pull pull, SourceLoads loads) {
        List<WriteTarget> sources = sources(map, needed, loads);
        if (!sources.isEmpty()) {
            pulls.isMadeFrom(pull, new ServerId(sources.get(0).getServerId()));
        }
        return PullBlocksRequest.Item.newBuilder()
                .setBlockId(needed.getBlockId())
                .setGeneration(needed.getBlock().getGeneration())
                .setLength(needed.getBlock().getLength())
                .setCopyNumber(pull.copy().number())
                .addAllSource(sources)
                .setUrgent(needed.getWanted() > 1 && sources.size() <= 1)
                .build();
    }

    /** Servers that have the block and with whose copy nothing is wrong: those that serve first, by their load. */
    private static List<WriteTarget> sources(ClusterMap map, NeededBlock needed, SourceLoads loads) {
        List<Copy> counted = BlockCopies.counted(needed.getBlock());
        List<WriteTarget> serving = new ArrayList<>();
        List<WriteTarget> others = new ArrayList<>();
        for (int i = 0; i < counted.size(); i++) {
            if (needed.getProblem(i) != Problem.NONE) {
                continue;
            }
            for (BlockServerInfo info : map.getBlockServerList()) {
                if (info.getServerId() == counted.get(i).server().value()) {
                    switch (info.getState()) {
                        case ACTIVE, JOINING -> serving.add(target(info));
                        case DRAINING, MAINTENANCE, STALE -> others.add(target(info));
                        case DEAD, GONE, UNRECOGNIZED -> {}
                    }
                }
            }
        }
        long bytes = needed.getBlock().getLength();
        if (serving.isEmpty()) {
            return loads.order(others, bytes);
        }
        List<WriteTarget> sources = new ArrayList<>(loads.order(serving, bytes));
        sources.addAll(others);
        return sources;
    }

    private static WriteTarget target(BlockServerInfo info) {
        return WriteTarget.newBuilder()
                .setServerId(info.getServerId())
                .setHost(info.getData().getHost())
                .setPort(info.getData().getPort())
                .build();
    }
}
