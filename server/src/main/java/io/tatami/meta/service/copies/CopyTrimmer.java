package io.tatami.meta.service.copies;

import io.tatami.base.BlockId;
import io.tatami.base.Clock;
import io.tatami.base.ServerId;
import io.tatami.cluster.CopyJudge.GiveUp;
import io.tatami.meta.op.copies.GiveUpCopy;
import io.tatami.meta.service.Group;
import io.tatami.meta.service.GroupPeers;
import io.tatami.meta.service.RequestOrigin;
import io.tatami.meta.state.ShardState;
import io.tatami.meta.state.wire.BlockRecord;
import io.tatami.meta.state.wire.GiveUpCopyReply;
import io.tatami.meta.state.wire.GiveUpCopyRequest;
import io.tatami.meta.state.wire.GiveUpCopyRequest.Confirmed;
import io.tatami.meta.state.wire.NeededBlock;
import io.tatami.protocol.BlockMethods;
import io.tatami.protocol.wire.BlockInfoReply;
import io.tatami.protocol.wire.BlockInfoRequest;
import io.tatami.protocol.wire.BlockServerInfo;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gives copies up, one of a block at a time. First each server of a good copy is asked whether it has the whole block,
 * durable, under the committed generation; {@link GiveUpCopy} decides by those that say so. Nobody waits for that, and
 * {@value #UNDER_WAY_MAX} blocks are under way at most. Safe for use by many threads.
 */
final class CopyTrimmer {
    static final int UNDER_WAY_MAX = 256;

    private static final Logger LOG = LoggerFactory.getLogger(CopyTrimmer.class);

    private final Group<ShardState> group;
    private final GroupPeers peers;
    private final Clock clock;
    private final BlockWaits waits;

    /** Is told of blocks that are to be judged again. */
    private final Consumer<BlockId> changed;

    private final GiveUpCopy giveUp;
    private final Set<BlockId> underWay = new HashSet<>();

    CopyTrimmer(Group<ShardState> group, GroupPeers peers, Clock clock, BlockWaits waits, Consumer<BlockId> changed) {
        this.group = group;
        this.peers = peers;
        this.clock = clock;
        this.giveUp = new GiveUpCopy(clock::monotonicNanos);
        this.waits = waits;
        this.changed = changed;
    }

    /** Without effect while the block is under way, or too many are. */
    void begin(NeededBlock needed, GiveUp verdict) {
        BlockId block = new BlockId(needed.getBlockId());
        synchronized (this) {
            if (underWay.size() >= UNDER_WAY_MAX || !underWay.add(block)) {
                return;
            }
        }
        CompletableFuture<Void> unused = confirm(needed, verdict)
                .thenCompose(confirmed -> giveUp(needed, verdict, confirmed))
                .handle((reply, failure) -> {
                    ended(block, reply, failure);
                    return null;
                });
    }

    private synchronized void ended(BlockId block, @Nullable GiveUpCopyReply reply, @Nullable Throwable failure) {
        underWay.remove(block);
        if (reply != null && reply.getGivenUp()) {
            changed.accept(block);
            return;
        }
        waits.failed(block);
        LOG.debug("no copy of {} was given up", block, failure);
    }

    private CompletableFuture<List<Confirmed>> confirm(NeededBlock needed, GiveUp verdict) {
        Map<ServerId, Long> incarnations = new HashMap<>();
        for (BlockServerInfo info : peers.map().getBlockServerList()) {
            incarnations.put(new ServerId(info.getServerId()), info.getIncarnation());
        }
        List<CompletableFuture<@Nullable Confirmed>> asked = new ArrayList<>();
        for (ServerId server : verdict.others()) {
            long known = incarnations.getOrDefault(server, 0L);
            BlockInfoRequest question = BlockInfoRequest.newBuilder()
                    .setBlockId(needed.getBlockId())
                    .build();
            asked.add(peers.callBlockServer(server, BlockMethods.BLOCK_INFO, question)
                    .handle((info, failure) -> failure == null && isWhole(needed.getBlock(), info)
                            ? confirmed(server, known, info)
                            : null));
        }
        return CompletableFuture.allOf(asked.toArray(CompletableFuture<?>[]::new))
                .thenApply(all -> asked.stream()
                        .map(CompletableFuture::join)
                        .filter(Objects::nonNull)
                        .map(Objects::requireNonNull)
                        .toList());
    }

    /** A process of an earlier release does not tell its incarnation: then it is the one that was known before. */
    private static Confirmed confirmed(ServerId server, long known, BlockInfoReply info) {
        return Confirmed.newBuilder()
                .setServerId(server.value())
                .setIncarnation(info.getIncarnation() == 0 ? known : info.getIncarnation())
                .build();
    }

    private static boolean isWhole(BlockRecord block, BlockInfoReply info) {
        return info.getFinalized()
                && info.getGeneration() == block.getGeneration()
                && info.getDurableLength() == block.getLength();
    }

    /** The map's age counts from here: a decision that comes later than that allows is refused. */
    private CompletableFuture<GiveUpCopyReply> giveUp(NeededBlock needed, GiveUp verdict, List<Confirmed> confirmed) {
        long ageMillis = peers.mapAgeMillis();
        if (confirmed.size() < verdict.needed() || ageMillis > GiveUpCopy.MAP_AGE_MILLIS_MAX) {
            return CompletableFuture.completedFuture(GiveUpCopyReply.getDefaultInstance());
        }
        GiveUpCopyRequest request = GiveUpCopyRequest.newBuilder()
                .setSeen(needed)
                .setServerId(verdict.server().value())
                .addAllConfirmed(confirmed)
                .setNeeded(verdict.needed())
                .setMapAskedNanos(clock.monotonicNanos() - TimeUnit.MILLISECONDS.toNanos(ageMillis))
                .build();
        return group.submit(giveUp, RequestOrigin.SERVICE, request);
    }
}
