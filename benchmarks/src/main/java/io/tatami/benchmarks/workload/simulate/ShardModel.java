package io.tatami.benchmarks.workload.simulate;

import io.tatami.base.BlockId;
import io.tatami.base.Clock;
import io.tatami.base.ServerId;
import io.tatami.benchmarks.workload.simulate.PlannerMeter.Planner;
import io.tatami.cluster.CopyJudge;
import io.tatami.cluster.CopyJudge.Extra;
import io.tatami.cluster.CopyJudge.GiveUp;
import io.tatami.cluster.CopyJudge.Healthy;
import io.tatami.cluster.CopyJudge.KnownCopy;
import io.tatami.cluster.CopyJudge.Make;
import io.tatami.cluster.CopyJudge.Verdict;
import io.tatami.cluster.CopyJudge.Wait;
import io.tatami.cluster.ServersView.Standing;
import io.tatami.meta.service.copies.SchedulerParts;
import io.tatami.meta.service.copies.SchedulerParts.DueCopy;
import io.tatami.meta.state.Needs.Urgency;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A shard's scheduler of copies. The services themselves ({@code CopyScheduler}, {@code DeadServers},
 * {@code CopyTrimmer}) need a group and its records, so their pages, limits, classes and order are followed here, over
 * {@link SchedulerParts} and {@link CopyJudge}. A page takes {@value #PAGE_MILLIS} ms, which stands for the read and
 * the commit of a group; copies are given up without a wait for their servers' confirmation, and no server refuses one.
 */
final class ShardModel {
    static final int PAGE_MILLIS = 5;

    private static final long PAGE_NANOS = TimeUnit.MILLISECONDS.toNanos(PAGE_MILLIS);

    private final Simulation simulation;
    private final int number;
    private final BlockTable table;
    private final Fleet fleet;
    private final int wanted;
    private final long blockBytes;
    private final ShardClock clock = new ShardClock();
    private final SchedulerParts parts;
    private final Map<Integer, BlockWork> works = new HashMap<>();
    private final Map<Urgency, TreeSet<Integer>> queues = new EnumMap<>(Urgency.class);
    private final Set<Integer> changed = new LinkedHashSet<>();

    /** What servers are making; a copy that is asked for again goes on. */
    private final Set<DueCopy> asked = new HashSet<>();

    private final Deque<Pass> passes = new ArrayDeque<>();
    private int passCursor;
    private long passDueNanos;

    ShardModel(Simulation simulation, ClusterShape shape, int number, BlockTable table, Fleet fleet) {
        this.simulation = simulation;
        this.number = number;
        this.table = table;
        this.fleet = fleet;
        this.wanted = shape.copies();
        this.blockBytes = shape.blockBytes();
        this.parts = new SchedulerParts(clock, shape.inFlightMax());
        for (Urgency urgency : Urgency.values()) {
            queues.put(urgency, new TreeSet<>());
        }
    }

    /** Virtual time, as far as this shard has got. */
    private static final class ShardClock implements Clock {
        private long nanos;

        @Override
        public long wallMillis() {
            return TimeUnit.NANOSECONDS.toMillis(nanos);
        }

        @Override
        public long monotonicNanos() {
            return nanos;
        }
    }

    /** @param lastCopies blocks with one good copy left only */
    private record Pass(int server, boolean lastCopies) {}

    /** The blocks of servers are queued: of each those with one good copy left, or all. Those passes come first. */
    void queueBlocksOf(int server, boolean lastCopies) {
        passes.add(new Pass(server, lastCopies));
    }

    /** Whether nothing is to be done but what nothing helps. */
    boolean isIdle() {
        return works.size() == queue(Urgency.UNSCHEDULABLE).size() && passes.isEmpty();
    }

    int number() {
        return number;
    }

    /** Copies that were asked for. */
    int inFlight() {
        return parts.count();
    }

    SchedulerParts parts() {
        return parts;
    }

    /** Null for a block about which there is nothing to do. */
    @Nullable
    BlockWork work(int block) {
        return works.get(block);
    }

    BlockId id(int block) {
        return new BlockId(((long) number << Integer.SIZE) + block + 1);
    }

    private static int block(BlockId id) {
        return (int) (id.value() & 0xffff_ffffL) - 1;
    }

    /** A copy has arrived. */
    void made(int block, ServerId target) {
        parts.made(id(block), target);
        asked.remove(new DueCopy(id(block), target));
        BlockWork work = works.get(block);
        if (work == null || !work.intended().remove(target)) {
            throw new IllegalStateException("nobody has asked for a copy of block " + block + " at " + target);
        }
        work.counted().add(target);
        fleet.use(target.value(), blockBytes);
        changed(block);
    }

    private void changed(int block) {
        if (changed.size() < SchedulerParts.CHANGED_MAX) {
            changed.add(block);
        }
    }

    /** A further copy is made of a block that needs none. */
    void move(int block, ServerId target) {
        BlockWork work = take(block);
        put(block, work, Urgency.MOVED);
        work.intended().add(target);
        parts.intend(id(block), target, blockBytes);
    }

    /** Works for as long as the step takes, or until there is nothing to do. */
    void run(long fromNanos, long toNanos) {
        clock.nanos = fromNanos;
        while (clock.nanos < toNanos && !passes.isEmpty() && passDueNanos <= clock.nanos) {
            queuePage();
            clock.nanos += PAGE_NANOS;
        }
        clock.nanos = fromNanos;
        parts.servers(simulation.places());
        sendDue();
        while (clock.nanos < toNanos && (!changed.isEmpty() || (!works.isEmpty() && parts.nextDue() != null))) {
            judgeChanged();
            sweep();
            sendDue();
            clock.nanos += PAGE_NANOS;
        }
    }

    private void queuePage() {
        Pass pass = passes.element();
        int waiting = pass.lastCopies() ? queue(Urgency.LAST_COPY).size() : works.size();
        if (waiting >= SchedulerParts.WAITING_MAX) {
            passDueNanos = clock.nanos + SchedulerParts.QUEUED_LOOK_NANOS;
            return;
        }
        for (int i = 0; i < SchedulerParts.QUEUED_PAGE; i++) {
            int block = table.next(number, passCursor, pass.server());
            if (block < 0) {
                passes.remove();
                passCursor = 0;
                return;
            }
            passCursor = block + 1;
            queue(block, pass.lastCopies());
        }
    }

    private void queue(int block, boolean lastCopies) {
        BlockWork known = works.get(block);
        BlockWork work = known == null ? new BlockWork(table.holders(number, block)) : known;
        long good = work.counted().stream()
                .filter(server -> fleet.serves(server.value()))
                .count();
        if (wanted > 1 && good <= 1) {
            put(block, work, Urgency.LAST_COPY);
        } else if (!lastCopies && (work.urgency() == null || work.urgency() == Urgency.UNSCHEDULABLE)) {
            put(block, work, Urgency.UNJUDGED);
        }
    }

    private BlockWork take(int block) {
        return works.computeIfAbsent(block, absent -> new BlockWork(table.holders(number, block)));
    }

    private TreeSet<Integer> queue(Urgency urgency) {
        TreeSet<Integer> queue = queues.get(urgency);
        if (queue == null) {
            throw new IllegalStateException("no queue of " + urgency);
        }
        return queue;
    }

    private void put(int block, BlockWork work, Urgency urgency) {
        Urgency before = work.urgency();
        if (before != urgency) {
            if (before != null) {
                queue(before).remove(block);
            }
            queue(urgency).add(block);
            work.waitsAs(urgency);
        }
        works.put(block, work);
    }

    private void sendDue() {
        List<DueCopy> due = parts.takeDue();
        if (due.isEmpty()) {
            return;
        }
        SchedulerParts.Loads loads = parts.loads();
        for (DueCopy copy : due) {
            int block = block(copy.block());
            BlockWork work = works.get(block);
            if (work != null && work.intended().contains(copy.target())) {
                List<ServerId> sources = sources(work);
                ServerId source = loads.first(copy, sources, blockBytes);
                boolean isUrgent = wanted > 1 && readable(work) <= 1;
                if (asked.add(copy)) {
                    simulation
                            .transfers()
                            .begin(number, block, source.value(), copy.target().value(), isUrgent);
                }
            }
        }
    }

    /** As {@code CopyPuller}: servers that serve, and others only where none does. */
    private List<ServerId> sources(BlockWork work) {
        List<ServerId> serving = work.counted().stream()
                .filter(server -> fleet.serves(server.value()))
                .toList();
        return serving.isEmpty()
                ? work.counted().stream()
                        .filter(server -> fleet.standing(server.value()) == Standing.DRAINING)
                        .toList()
                : serving;
    }

    /** Good copies, and those on servers that drain. */
    long readable(BlockWork work) {
        return work.counted().stream()
                .filter(server -> fleet.serves(server.value()) || fleet.standing(server.value()) == Standing.DRAINING)
                .count();
    }

    private void judgeChanged() {
        List<Integer> page = new ArrayList<>();
        Iterator<Integer> blocks = changed.iterator();
        while (page.size() < SchedulerParts.JUDGED_PAGE && blocks.hasNext()) {
            page.add(blocks.next());
            blocks.remove();
        }
        Decisions decisions = new Decisions(null);
        for (int block : page) {
            if (works.containsKey(block) && !decisions.add(block)) {
                break;
            }
        }
        decisions.commit();
    }

    private void sweep() {
        Urgency urgency = parts.nextDue();
        if (urgency == null) {
            return;
        }
        List<Integer> page = queue(urgency).tailSet((int) parts.cursor(urgency), true).stream()
                .limit(SchedulerParts.JUDGED_PAGE)
                .toList();
        Decisions decisions = new Decisions(urgency);
        long upTo = 0;
        boolean isFull = false;
        for (int block : page) {
            isFull = !decisions.add(block);
            if (isFull) {
                break;
            }
            upTo = block + 1L;
        }
        decisions.commit();
        parts.advance(urgency, upTo, isFull, page.size() < SchedulerParts.JUDGED_PAGE, page.size());
    }

    /** What is decided of a page; see {@code CopyScheduler}. */
    private final class Decisions {
        private final CopyJudge judge = simulation.judge();
        private final @Nullable Urgency urgency;
        private final List<Intent> intents = new ArrayList<>();
        private int copies;

        Decisions(@Nullable Urgency urgency) {
            this.urgency = urgency;
        }

        private record Intent(int block, Make make) {}

        /** False where there is no room for the block's copies. */
        boolean add(int block) {
            BlockWork work = take(block);
            List<KnownCopy> known = work.copies();
            Verdict verdict = simulation
                    .meter()
                    .measure(
                            Planner.JUDGE,
                            () -> judge.judge(
                                    wanted, known, server -> false, id(block).value()));
            if (verdict instanceof Healthy) {
                healthy(block, work);
            } else if (verdict instanceof Make make) {
                return make(block, make);
            } else if (verdict instanceof GiveUp giveUp) {
                put(block, work, Urgency.UNJUDGED);
                giveUp(block, work, giveUp);
            } else if (verdict instanceof Wait wait) {
                put(block, work, classOf(wait));
            } else if (verdict instanceof Extra && urgency == Urgency.LAST_COPY) {
                put(block, work, Urgency.UNDER_REPLICATED);
            }
            return true;
        }

        private static Urgency classOf(Wait wait) {
            if (wait.untilServersChange()) {
                return Urgency.UNSCHEDULABLE;
            }
            return wait.urgent() ? Urgency.LAST_COPY : Urgency.UNDER_REPLICATED;
        }

        private void healthy(int block, BlockWork work) {
            boolean hasSilentCopy =
                    work.counted().stream().anyMatch(server -> fleet.standing(server.value()) == Standing.SILENT);
            if (hasSilentCopy) {
                put(block, work, Urgency.UNJUDGED);
                return;
            }
            Urgency before = work.urgency();
            if (before != null) {
                queue(before).remove(block);
            }
            works.remove(block);
            table.put(number, block, work.holders());
        }

        private boolean make(int block, Make make) {
            int more = make.targets().size();
            if (copies + more > parts.room(make.urgent()) && parts.count() + copies > 0) {
                return false;
            }
            copies += more;
            intents.add(new Intent(block, make));
            return true;
        }

        private void giveUp(int block, BlockWork work, GiveUp verdict) {
            work.counted().remove(verdict.server());
            fleet.use(verdict.server().value(), -blockBytes);
            changed(block);
        }

        void commit() {
            for (Intent intent : intents) {
                BlockWork work = take(intent.block());
                put(intent.block(), work, intent.make().urgent() ? Urgency.LAST_COPY : Urgency.UNDER_REPLICATED);
                for (ServerId target : intent.make().targets()) {
                    work.intended().add(target);
                    parts.intend(id(intent.block()), target, blockBytes);
                }
            }
        }
    }
}
