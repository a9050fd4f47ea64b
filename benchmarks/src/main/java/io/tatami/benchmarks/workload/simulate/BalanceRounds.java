package io.tatami.benchmarks.workload.simulate;

import io.tatami.base.ServerId;
import io.tatami.benchmarks.workload.simulate.PlannerMeter.Planner;
import io.tatami.cluster.BalancePlan;
import io.tatami.cluster.CopyJudge.KnownCopy;
import io.tatami.meta.service.copies.SchedulerParts;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;

/**
 * A shard's rounds of moves. {@code Balancer} needs a group and its records, so its rounds, pages, limits and pauses
 * are followed here; {@link BalancePlan} decides which block moves where.
 */
final class BalanceRounds {
    private final Simulation simulation;
    private final ClusterShape shape;
    private final ShardModel shard;
    private final BlockTable table;
    private final SplittableRandom random;

    /** Blocks of the round that are under way, with where they go. */
    private final Map<Integer, ServerId> moving = new LinkedHashMap<>();

    private final Map<ServerId, Integer> cursors = new HashMap<>();
    private boolean isUnderWay;
    private long dueNanos;
    private long restUntilNanos;
    private long roundEndsNanos;
    private int fruitless;

    BalanceRounds(Simulation simulation, ClusterShape shape, ShardModel shard, BlockTable table) {
        this.simulation = simulation;
        this.shape = shape;
        this.shard = shard;
        this.table = table;
        this.random = new SplittableRandom(shape.seed() * 31 + shard.number());
    }

    boolean isUnderWay() {
        return isUnderWay || !moving.isEmpty();
    }

    void run(long fromNanos, long toNanos) {
        for (long now = Math.max(fromNanos, dueNanos); now < toNanos; now = dueNanos) {
            dueNanos = now + once(now);
        }
    }

    /** Returns the rest. */
    private long once(long now) {
        if (!moving.isEmpty()) {
            follow(now);
            return SchedulerParts.BALANCE_LOOK_NANOS;
        }
        BalancePlan plan = simulation.plan();
        isUnderWay = isUnderWay ? plan.goesOn() : plan.begins();
        if (!isUnderWay || shard.inFlight() > 0 || now < restUntilNanos) {
            return SchedulerParts.BALANCE_LOOK_NANOS;
        }
        List<ServerId> sources = simulation.sources();
        return sources.isEmpty()
                ? SchedulerParts.BALANCE_LOOK_NANOS
                : look(now, plan, sources.get(fruitless % sources.size()), sources.size());
    }

    private void follow(long now) {
        moving.entrySet().removeIf(move -> hasEnded(move.getKey(), move.getValue()));
        if (now >= roundEndsNanos) {
            moving.clear();
        }
        restUntilNanos = now + SchedulerParts.SETTLE_NANOS;
    }

    private boolean hasEnded(int block, ServerId target) {
        BlockWork work = shard.work(block);
        return work == null
                || (!work.intended().contains(target)
                        && !(work.counted().contains(target) && work.counted().size() > shape.copies()));
    }

    private long look(long now, BalancePlan plan, ServerId source, int sources) {
        Round round = new Round(plan, source);
        int cursor = cursors.getOrDefault(source, 0);
        boolean isEnd = false;
        for (int i = 0; i < SchedulerParts.BALANCED_PAGE && !round.isFull && !isEnd; i++) {
            int block = table.next(shard.number(), cursor, source.value());
            isEnd = block < 0;
            cursor = block + 1;
            if (!isEnd && shard.work(block) == null) {
                round.add(block);
            }
        }
        cursors.put(source, cursor);
        roundEndsNanos = now + SchedulerParts.ROUND_NANOS_MAX;
        if (!moving.isEmpty() || round.isFull) {
            fruitless = 0;
            restUntilNanos = now + SchedulerParts.SETTLE_NANOS;
            return SchedulerParts.BALANCE_LOOK_NANOS;
        }
        if (isEnd) {
            fruitless++;
            if (fruitless >= sources) {
                fruitless = 0;
                restUntilNanos = now + SchedulerParts.FRUITLESS_NANOS;
            }
        }
        return SchedulerParts.BETWEEN_PAGES_NANOS;
    }

    /** What is chosen from a page. */
    private final class Round {
        private final ServerId source;
        private final int blocksMax;
        private BalancePlan plan;
        private long left;
        private int chosen;
        private boolean isFull;

        Round(BalancePlan plan, ServerId source) {
            this.plan = plan;
            this.source = source;
            this.left = Math.min(plan.excessBytes(source) / 2 / shape.shards(), SchedulerParts.ROUND_BYTES_MAX);
            this.blocksMax =
                    Math.min(SchedulerParts.ROUND_BLOCKS_MAX, shard.parts().roomForMoves());
        }

        void add(int block) {
            long length = shape.blockBytes();
            List<KnownCopy> copies = new BlockWork(table.holders(shard.number(), block)).copies();
            Optional<ServerId> emptier = simulation
                    .meter()
                    .measure(
                            Planner.BALANCE,
                            () -> plan.target(
                                    shape.copies(),
                                    copies,
                                    source,
                                    length,
                                    shard.id(block).value()));
            if (emptier.isEmpty()) {
                return;
            }
            isFull = length > left || chosen + 1 >= blocksMax;
            if (length > left && random.nextDouble() * length >= left) {
                return;
            }
            left -= length;
            chosen++;
            ServerId target = emptier.get();
            plan = simulation.meter().measure(Planner.PLAN, () -> plan.moved(source, target, length));
            shard.move(block, target);
            moving.put(block, target);
        }
    }
}
