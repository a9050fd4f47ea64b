package io.tatami.benchmarks.workload.simulate;

import io.tatami.base.ServerId;
import io.tatami.benchmarks.harness.report.Skew;
import io.tatami.benchmarks.workload.simulate.PlannerMeter.Planner;
import io.tatami.benchmarks.workload.simulate.Transfers.Transfer;
import io.tatami.cluster.BalancePlan;
import io.tatami.cluster.CopyJudge;
import io.tatami.cluster.ServersView;
import io.tatami.cluster.ServersView.Standing;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One scenario in virtual time, which goes in steps of {@value #STEP_MILLIS} ms: first the shards decide, then disks
 * and links move bytes. What planners take of the real processor is counted and takes no virtual time. Servers tell
 * every {@value #HEARTBEAT_MILLIS} ms how full they are, all at once. Only {@link Scenario#JOIN} has copies moved for
 * balance. Deterministic by the shape's seed; used by one thread.
 */
final class Simulation {
    private static final long STEP_MILLIS = 250;
    private static final long HEARTBEAT_MILLIS = 3_000;
    private static final long STEP_NANOS = TimeUnit.MILLISECONDS.toNanos(STEP_MILLIS);
    private static final double NANOS_PER_SECOND = 1e9;

    private final ClusterShape shape;
    private final Scenario scenario;
    private final Course course;
    private final PlannerMeter meter;
    private final Fleet fleet;
    private final BlockTable table;
    private final Transfers transfers;
    private final List<ShardModel> shards = new ArrayList<>();
    private final List<BalanceRounds> rounds = new ArrayList<>();
    private final Curve curve = new Curve();
    private final int heavy;
    private long nowNanos;
    private long toldNanos;
    private ServersView view;
    private Object places;
    private @Nullable BalancePlan plan;
    private List<ServerId> sources = List.of();
    private long excessBytes;
    private List<Integer> victims = List.of();
    private boolean lossIsAhead;

    private long lackingCopies;
    private long lastCopyBlocks;
    private long lostBlocks;
    private double lastCopySeconds;
    private double healedSeconds;
    private double busySeconds;
    private double inFlightSeconds;

    Simulation(ClusterShape shape, Scenario scenario, Course course, PlannerMeter meter) {
        this.shape = shape;
        this.scenario = scenario;
        this.course = course;
        this.meter = meter;
        this.fleet = new Fleet(shape, scenario == Scenario.JOIN ? course.joining() : 0);
        this.heavy = scenario == Scenario.DRAIN ? 1 : 0;
        long heavyBlocks = heavy == 0 ? 0 : Math.min(shape.blocks(), course.drainedBytes() / shape.blockBytes());
        if (heavy != 0) {
            fleet.addCapacity(heavy, course.drainedBytes() * 100 / shape.usedPercent());
        }
        this.table = BlockTable.laid(shape, fleet, heavy, heavyBlocks);
        this.transfers = new Transfers(shape, fleet.servers());
        for (int shard = 0; shard < shape.shards(); shard++) {
            countUsed(shard);
            ShardModel model = new ShardModel(this, shape, shard, table, fleet);
            shards.add(model);
            rounds.add(new BalanceRounds(this, shape, model, table));
        }
        this.view = fleet.view();
        this.places = fleet.places();
    }

    private void countUsed(int shard) {
        for (int block = 0; block < table.blocks(shard); block++) {
            for (int copy = 0; copy < shape.copies(); copy++) {
                fleet.use(table.holder(shard, block, copy), shape.blockBytes());
            }
        }
    }

    BlockTable table() {
        return table;
    }

    Fleet fleet() {
        return fleet;
    }

    PlannerMeter meter() {
        return meter;
    }

    Transfers transfers() {
        return transfers;
    }

    /** Changes with how servers stand. */
    Object places() {
        return places;
    }

    CopyJudge judge() {
        return new CopyJudge(view);
    }

    BalancePlan plan() {
        BalancePlan known = plan;
        if (known == null) {
            known = meter.measure(Planner.PLAN, () -> BalancePlan.of(view, course.balancePercent()));
            plan = known;
            sources = known.sources();
            excessBytes = known.excessBytes();
        }
        return known;
    }

    /** The servers that are to give copies by the {@link #plan}. */
    List<ServerId> sources() {
        return sources;
    }

    double virtualSeconds() {
        return nowNanos / NANOS_PER_SECOND;
    }

    SimulationResult run() {
        begin();
        countLacking();
        Skew usedBefore = fleet.used();
        long toMake = lackingCopies;
        long lastCopies = lastCopyBlocks;
        lastCopySeconds = lastCopies == 0 ? 0 : -1;
        healedSeconds = -1;
        boolean isSettled = false;
        while (!isSettled && virtualSeconds() < course.secondsMax()) {
            step();
            isSettled = isSettled();
        }
        if (scenario == Scenario.JOIN && isSettled) {
            healedSeconds = virtualSeconds();
        }
        return new SimulationResult(
                isSettled,
                toMake * shape.blockBytes(),
                lostBlocks,
                lastCopies,
                lastCopySeconds,
                healedSeconds,
                transfers.movedBytes(),
                usedBefore,
                fleet.used(),
                fleet.loads(transfers.sentBytes()),
                received(),
                busySeconds == 0 ? 0 : inFlightSeconds / busySeconds / shape.shards() / shape.inFlightMax(),
                shape.copyBytesPerSecond() == 0 ? 0 : part(2.0 * transfers.limitedBytes(), shape.copyBytesPerSecond()),
                part(2.0 * transfers.movedBytes(), (double) shape.disks() * shape.diskBytesPerSecond()),
                part(transfers.movedBytes(), shape.linkBytesPerSecond()),
                curve.end(virtualSeconds(), left()));
    }

    /** @param each what each server that serves could do in a second */
    private double part(double bytes, double each) {
        return busySeconds == 0 ? 0 : bytes / (fleet.serving() * each * busySeconds);
    }

    private Skew received() {
        if (scenario != Scenario.JOIN) {
            return fleet.loads(transfers.receivedBytes());
        }
        double[] joined = new double[course.joining()];
        for (int i = 0; i < joined.length; i++) {
            joined[i] = transfers.receivedBytes()[shape.nodes() + 1 + i];
        }
        return Skew.of(joined, null);
    }

    private void begin() {
        switch (scenario) {
            case NODE -> die(List.of(1));
            case SLOW -> {
                transfers.slowDown(course.slowPercent(), new Random(shape.seed()));
                die(List.of(1));
            }
            case RACK -> {
                List<Integer> rack = new ArrayList<>();
                for (int i = 0; i < fleet.inRack(0); i++) {
                    rack.add(fleet.inRack(0, i));
                }
                die(rack);
            }
            case DRAIN -> {
                victims = List.of(heavy);
                fleet.stand(heavy, Standing.DRAINING);
                queueBlocks(true);
                queueBlocks(false);
            }
            case JOIN -> {
                for (int i = 1; i <= course.joining(); i++) {
                    fleet.stand(shape.nodes() + i, Standing.SERVES);
                }
            }
        }
    }

    private void die(List<Integer> servers) {
        victims = servers;
        victims.forEach(server -> fleet.stand(server, Standing.SILENT));
        lossIsAhead = true;
        queueBlocks(true);
    }

    private void queueBlocks(boolean lastCopies) {
        for (ShardModel shard : shards) {
            victims.forEach(server -> shard.queueBlocksOf(server, lastCopies));
        }
    }

    private void countLacking() {
        for (int shard = 0; shard < shape.shards() && !victims.isEmpty(); shard++) {
            for (int block = 0; block < table.blocks(shard); block++) {
                countLacking(shard, block);
            }
        }
    }

    private void countLacking(int shard, int block) {
        int good = 0;
        int readable = 0;
        for (int copy = 0; copy < shape.copies(); copy++) {
            int server = table.holder(shard, block, copy);
            good += fleet.serves(server) ? 1 : 0;
            readable += fleet.serves(server) || server == heavy ? 1 : 0;
        }
        if (readable == 0) {
            lostBlocks++;
        } else {
            lackingCopies += shape.copies() - good;
            lastCopyBlocks += shape.copies() > 1 && readable == 1 ? 1 : 0;
        }
    }

    private void step() {
        if (lossIsAhead && virtualSeconds() >= course.lostAfterSeconds()) {
            lossIsAhead = false;
            victims.forEach(server -> fleet.stand(server, Standing.LOST));
            queueBlocks(false);
        }
        look();
        for (int shard = 0; shard < shards.size(); shard++) {
            if (scenario == Scenario.JOIN) {
                rounds.get(shard).run(nowNanos, nowNanos + STEP_NANOS);
            }
            shards.get(shard).run(nowNanos, nowNanos + STEP_NANOS);
        }
        curve.add(virtualSeconds(), left());
        if (!transfers.isEmpty()) {
            busySeconds += STEP_NANOS / NANOS_PER_SECOND;
            inFlightSeconds += STEP_NANOS
                    / NANOS_PER_SECOND
                    * shards.stream().mapToInt(ShardModel::inFlight).sum();
        }
        List<Transfer> made = transfers.step(STEP_NANOS / NANOS_PER_SECOND);
        nowNanos += STEP_NANOS;
        made.forEach(this::made);
    }

    /** What servers have told, and how they stand. */
    private void look() {
        Object now = fleet.places();
        if (nowNanos - toldNanos >= TimeUnit.MILLISECONDS.toNanos(HEARTBEAT_MILLIS) || !now.equals(places)) {
            places = now;
            toldNanos = nowNanos;
            view = meter.measure(Planner.VIEW, fleet::view);
            plan = null;
        }
    }

    private void made(Transfer transfer) {
        ShardModel shard = shards.get(transfer.shard());
        BlockWork work = shard.work(transfer.block());
        boolean hadOne = work != null && shape.copies() > 1 && shard.readable(work) == 1;
        shard.made(transfer.block(), new ServerId(transfer.target()));
        if (scenario == Scenario.JOIN) {
            return;
        }
        lackingCopies--;
        lastCopyBlocks -= hadOne ? 1 : 0;
        if (lastCopyBlocks == 0 && lastCopySeconds < 0) {
            lastCopySeconds = virtualSeconds();
        }
        if (lackingCopies == 0) {
            healedSeconds = virtualSeconds();
        }
    }

    private long left() {
        return scenario == Scenario.JOIN ? excessBytes / shape.blockBytes() : lackingCopies;
    }

    private boolean isSettled() {
        return !lossIsAhead
                && transfers.isEmpty()
                && shards.stream().allMatch(ShardModel::isIdle)
                && (scenario != Scenario.JOIN || rounds.stream().noneMatch(BalanceRounds::isUnderWay));
    }
}
