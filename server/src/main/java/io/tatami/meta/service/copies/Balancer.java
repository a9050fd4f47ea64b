package io.tatami.meta.service.copies;

import io.tatami.base.BlockId;
import io.tatami.base.Clock;
import io.tatami.base.ServerId;
import io.tatami.cluster.BalancePlan;
import io.tatami.meta.op.copies.GiveUpCopy;
import io.tatami.meta.op.copies.KnownCopies;
import io.tatami.meta.op.copies.ReadNeeds;
import io.tatami.meta.service.Group;
import io.tatami.meta.service.GroupPeers;
import io.tatami.meta.service.PartContext;
import io.tatami.meta.service.RequestOrigin;
import io.tatami.meta.service.copies.ServerStandings.Seen;
import io.tatami.meta.state.BlockCopies;
import io.tatami.meta.state.BlockCopies.Copy;
import io.tatami.meta.state.Needs.Urgency;
import io.tatami.meta.state.ShardState;
import io.tatami.meta.state.wire.IntendCopiesRequest;
import io.tatami.meta.state.wire.NeededBlock;
import io.tatami.meta.state.wire.NeedsPage;
import io.tatami.meta.state.wire.NeedsPageRequest;
import io.tatami.protocol.wire.Balance;
import io.tatami.protocol.wire.ClusterMap;
import io.tatami.protocol.wire.CopiesStatusReply;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;

/**
 * Moves copies of a shard's blocks from full servers to empty ones, by {@link BalancePlan}: an extra copy is made at
 * the target, and when it counts, {@link CopyScheduler} gives up the one of the source as any that is too many.
 *
 * <p>That goes in rounds. In a round, a shard takes from one server half of its share of what is above the mean, as if
 * all shards had as much there, and at most {@value #ROUND_BLOCKS_MAX} blocks and {@value #ROUND_BYTES_MAX} bytes; a
 * block that is larger than what is left of the share is taken with the probability that makes the mean right. The next
 * round begins when all blocks of this one have arrived or failed, and after that the servers have told how full they
 * are: so the shards together do not move more than there is to be moved, although none knows of the others. Nothing is
 * begun while the shard makes other copies.
 *
 * <p>What is remembered is of one round, and of a place in the blocks of each server. A new leader goes on with the
 * copies that are intended. The fields belong to the runs of one background task, which never overlap, but for what the
 * status tells.
 */
final class Balancer {
    static final int ROUND_BLOCKS_MAX = 64;
    static final long ROUND_BYTES_MAX = 1L << 30;

    /** After a round: for the source to delete, and for servers to tell how full they are. */
    static final Duration SETTLE = Duration.ofSeconds(5);

    /** A round is not waited for any longer. */
    static final Duration ROUND_MAX = Duration.ofMinutes(10);

    static final int PAGE = 128;
    static final Duration LOOK = Duration.ofSeconds(1);

    /** After no block of any source could be moved, unless servers come, go or change before that. */
    static final Duration FRUITLESS = Duration.ofMinutes(1);

    static final Duration BETWEEN_PAGES = Duration.ofMillis(50);

    private final Group<ShardState> group;
    private final GroupPeers peers;
    private final ServerStandings standings;
    private final CopyScheduler maker;
    private final Clock clock;
    private final ReadNeeds read = new ReadNeeds();
    private final HealRate rate;
    private final Random random;

    /** Blocks of the round that are under way. */
    private final Map<BlockId, Moving> moving = new LinkedHashMap<>();

    /** Of each source the block up to which its blocks were looked at. */
    private final Map<ServerId, Long> cursors = new HashMap<>();

    private boolean isUnderWay;
    private long roundEndsNanos;
    private long restUntilNanos;

    /** Sources in a row of which no block could be moved, since one was. */
    private int fruitless;

    /** Why no block of any source could be moved; empty where one could, or where that is not known. */
    private String unmovable = "";

    /** What that was found for: the servers and their places, and by how much they may differ. */
    private Map<ServerId, String> looked = Map.of();

    private int lookedPercent;

    private volatile Balance told = Balance.getDefaultInstance();

    private record Moving(ServerId target, long bytes) {}

    Balancer(PartContext<ShardState> parts, ServerStandings standings, CopyScheduler maker) {
        this.group = parts.group();
        this.peers = parts.peers();
        this.clock = parts.clock();
        this.standings = standings;
        this.maker = maker;
        this.rate = new HealRate(clock);
        this.random = new Random(clock.monotonicNanos() ^ parts.group().id().value());
        this.restUntilNanos = clock.monotonicNanos();
        this.roundEndsNanos = restUntilNanos;
    }

    /** Called by any thread. */
    void addTo(CopiesStatusReply.Builder status) {
        status.setBalance(told);
    }

    /** The background task. */
    CompletableFuture<Duration> run() {
        if (!moving.isEmpty()) {
            return follow();
        }
        ClusterMap map = peers.map();
        if (peers.mapAgeMillis() > GiveUpCopy.MAP_AGE_MILLIS_MAX) {
            return CompletableFuture.completedFuture(LOOK);
        }
        int percent = map.getBalancePercent() == 0 ? BalancePlan.DEFAULT_PERCENT : map.getBalancePercent();
        if (percent < 0) {
            isUnderWay = false;
            told = told.toBuilder()
                    .setUnderWay(false)
                    .setBytesLeft(0)
                    .setLeftMillis(0)
                    .setWaitsFor("an administrator has switched it off")
                    .build();
            return CompletableFuture.completedFuture(LOOK);
        }
        Seen seen = standings.look(map);
        if (percent != lookedPercent || !seen.places().equals(looked)) {
            lookedPercent = percent;
            looked = seen.places();
            lookAnew();
        }
        BalancePlan plan = BalancePlan.of(seen.view(), percent);
        isUnderWay = isUnderWay ? plan.goesOn() : plan.begins();
        String reason = isUnderWay ? waitsFor(seen, map) : "";
        tell(plan, reason);
        if (!isUnderWay || !reason.isEmpty() || clock.monotonicNanos() - restUntilNanos < 0) {
            return CompletableFuture.completedFuture(LOOK);
        }
        List<ServerId> sources = plan.sources();
        return sources.isEmpty()
                ? CompletableFuture.completedFuture(LOOK)
                : look(plan, sources.get(fruitless % sources.size()), sources.size());
    }

    /** What could not be moved before may go to a server that is there now. */
    private void lookAnew() {
        if (!unmovable.isEmpty()) {
            unmovable = "";
            fruitless = 0;
            restUntilNanos = clock.monotonicNanos();
        }
    }

    private String waitsFor(Seen seen, ClusterMap map) {
        if (!seen.brake().isEmpty()) {
            return seen.brake();
        }
        if (map.getSafeMode()) {
            return "the cluster is in safe mode";
        }
        return maker.isMaking() ? "other copies are made first" : "";
    }

    private void tell(BalancePlan plan, String reason) {
        long left = isUnderWay ? plan.excessBytes() / Math.max(1, peers.map().getShards()) : 0;
        CopiesStatusReply.Builder made = CopiesStatusReply.newBuilder();
        rate.addTo(made);
        told = withMoving()
                .setUnderWay(isUnderWay)
                .setFullestPermille(plan.fullestPermille())
                .setEmptiestPermille(plan.emptiestPermille())
                .setBytesLeft(left)
                .setLeftMillis(
                        made.getBytesMade() == 0
                                ? 0
                                : (long) ((double) left * made.getMadeWithinMillis() / made.getBytesMade()))
                .setWaitsFor(reason.isEmpty() && isUnderWay ? unmovable : reason)
                .build();
    }

    /** What was told, with what is under way now. */
    private Balance.Builder withMoving() {
        return told.toBuilder()
                .setMovingCopies(moving.size())
                .setMovingBytes(
                        moving.values().stream().mapToLong(Moving::bytes).sum());
    }

    /** A page of a source's blocks. */
    private CompletableFuture<Duration> look(BalancePlan plan, ServerId source, int sources) {
        NeedsPageRequest request = NeedsPageRequest.newBuilder()
                .setServerId(source.value())
                .setAfterBlockId(cursors.getOrDefault(source, 0L))
                .setLimit(PAGE)
                .build();
        return group.read(read, RequestOrigin.SERVICE, request).thenCompose(page -> {
            Round round = new Round(plan, source);
            page.getItemList().forEach(round::add);
            advance(source, page, round);
            return maker.move(round.moves.build()).thenApply(intended -> {
                begin(round, intended);
                return restAfter(source, page, round, sources);
            });
        });
    }

    private void advance(ServerId source, NeedsPage page, Round round) {
        long upTo = round.isFull ? round.upTo : page.getUpToBlockId();
        cursors.put(source, upTo);
    }

    private void begin(Round round, List<NeededBlock> intended) {
        for (NeededBlock needed : intended) {
            BlockId block = new BlockId(needed.getBlockId());
            Moving chosen = round.chosen.get(block);
            if (chosen != null) {
                moving.put(block, chosen);
            }
        }
        roundEndsNanos = clock.monotonicNanos() + ROUND_MAX.toNanos();
    }

    private Duration restAfter(ServerId source, NeedsPage page, Round round, int sources) {
        if (!moving.isEmpty() || round.isFull) {
            fruitless = 0;
            unmovable = "";
            restUntilNanos = clock.monotonicNanos() + SETTLE.toNanos();
            return LOOK;
        }
        if (page.getUpToBlockId() != 0) {
            return BETWEEN_PAGES;
        }
        fruitless++;
        if (fruitless >= sources) {
            fruitless = 0;
            restUntilNanos = clock.monotonicNanos() + FRUITLESS.toNanos();
            unmovable = "no block of this shard on block server " + source
                    + " can go to an emptier one without a worse spread over hosts and racks";
        }
        return BETWEEN_PAGES;
    }

    /** What is chosen from a page. */
    private final class Round {
        private final ServerId source;
        private final IntendCopiesRequest.Builder moves = IntendCopiesRequest.newBuilder();
        private final Map<BlockId, Moving> chosen = new HashMap<>();
        private final int blocksMax;
        private BalancePlan plan;
        private long left;
        private long upTo;
        private boolean isFull;

        Round(BalancePlan plan, ServerId source) {
            this.plan = plan;
            this.source = source;
            long share = plan.excessBytes(source) / 2 / Math.max(1, peers.map().getShards());
            this.left = Math.min(share, ROUND_BYTES_MAX);
            this.blocksMax = Math.min(ROUND_BLOCKS_MAX, maker.roomForMoves());
        }

        void add(NeededBlock needed) {
            if (isFull || !needed.hasBlock()) {
                return;
            }
            BlockId block = new BlockId(needed.getBlockId());
            long length = needed.getBlock().getLength();
            Optional<ServerId> emptier =
                    plan.target(needed.getWanted(), KnownCopies.of(needed), source, length, block.value());
            if (emptier.isEmpty()) {
                upTo = block.value();
                return;
            }
            isFull = length > left || chosen.size() + 1 >= blocksMax;
            upTo = block.value();
            if (length > left && random.nextDouble() * length >= left) {
                return;
            }
            left -= length;
            ServerId target = emptier.get();
            plan = plan.moved(source, target, length);
            chosen.put(block, new Moving(target, length));
            moves.addItem(IntendCopiesRequest.Item.newBuilder()
                    .setSeen(needed)
                    .setUrgency(Urgency.MOVED.number())
                    .addServerId(target.value()));
        }
    }

    /** Which blocks of the round have arrived, or will not. */
    private CompletableFuture<Duration> follow() {
        NeedsPageRequest.Builder request = NeedsPageRequest.newBuilder();
        moving.keySet().forEach(block -> request.addBlockId(block.value()));
        return group.read(read, RequestOrigin.SERVICE, request.build()).thenApply(page -> {
            for (NeededBlock needed : page.getItemList()) {
                BlockId block = new BlockId(needed.getBlockId());
                Moving move = moving.get(block);
                if (move != null && hasEnded(needed, move)) {
                    moving.remove(block);
                }
            }
            if (clock.monotonicNanos() - roundEndsNanos >= 0) {
                moving.clear();
            }
            told = withMoving().build();
            restUntilNanos = clock.monotonicNanos() + SETTLE.toNanos();
            return LOOK;
        });
    }

    /**
     * Whether the block has its copy at the target and none too many, or gets none there. The copy that was given up
     * need not be that of the source: another server may have become the fuller one.
     */
    private boolean hasEnded(NeededBlock needed, Moving move) {
        boolean isIntended = BlockCopies.intended(needed.getBlock()).stream()
                .anyMatch(copy -> copy.server().equals(move.target()));
        List<Copy> counted = BlockCopies.counted(needed.getBlock());
        boolean isThere = counted.stream().anyMatch(copy -> copy.server().equals(move.target()));
        boolean hasEnded =
                needed.getFileId() == 0 || (!isIntended && !(isThere && counted.size() > needed.getWanted()));
        if (hasEnded && isThere) {
            rate.made(move.bytes());
            told = told.toBuilder()
                    .setMovedCopies(told.getMovedCopies() + 1)
                    .setMovedBytes(told.getMovedBytes() + move.bytes())
                    .build();
        }
        return hasEnded;
    }
}
