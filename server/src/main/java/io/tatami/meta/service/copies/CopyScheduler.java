package io.tatami.meta.service.copies;

import io.tatami.base.BlockId;
import io.tatami.base.Clock;
import io.tatami.base.FileId;
import io.tatami.base.ServerId;
import io.tatami.cluster.CopyJudge;
import io.tatami.cluster.CopyJudge.GiveUp;
import io.tatami.cluster.CopyJudge.Healthy;
import io.tatami.cluster.CopyJudge.KnownCopy;
import io.tatami.cluster.CopyJudge.Make;
import io.tatami.cluster.CopyJudge.Verdict;
import io.tatami.cluster.CopyJudge.Wait;
import io.tatami.cluster.ServersView.Standing;
import io.tatami.meta.op.copies.GiveUpCopy;
import io.tatami.meta.op.copies.IntendCopies;
import io.tatami.meta.op.copies.KnownCopies;
import io.tatami.meta.op.copies.ReadNeeds;
import io.tatami.meta.op.copies.SettleNeeds;
import io.tatami.meta.service.Group;
import io.tatami.meta.service.GroupPeers;
import io.tatami.meta.service.PartContext;
import io.tatami.meta.service.RequestOrigin;
import io.tatami.meta.service.copies.PullsInFlight.Pull;
import io.tatami.meta.service.copies.ServerStandings.Seen;
import io.tatami.meta.state.BlockCopies;
import io.tatami.meta.state.BlockCopies.Copy;
import io.tatami.meta.state.Needs.Urgency;
import io.tatami.meta.state.ShardState;
import io.tatami.meta.state.wire.IntendCopiesReply;
import io.tatami.meta.state.wire.IntendCopiesRequest;
import io.tatami.meta.state.wire.NeededBlock;
import io.tatami.meta.state.wire.NeedsPageRequest;
import io.tatami.meta.state.wire.SettleNeedsRequest;
import io.tatami.protocol.wire.CopiesMadeRequest;
import io.tatami.protocol.wire.CopiesStatusReply;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Works through the blocks whose copies are to be looked at: those with one good copy left first, then those with too
 * few, then those that were not judged, and when servers have changed those that nothing has helped. Each is judged by
 * {@link CopyJudge}; what that says is logged, and only then asked of block servers. A block stays in the queue until
 * it is found to have the copies that it is to have, so a new leader finds all of them, with the copies that the one
 * before it has asked for.
 *
 * <p>Nothing is done by a map that is older than {@value GiveUpCopy#MAP_AGE_MILLIS_MAX} ms.
 */
final class CopyScheduler {
    static final int PAGE = 256;

    /** Blocks that have changed and are to be judged at once; others are found in their class. */
    static final int CHANGED_MAX = 4_096;

    private static final int STUCK_MAX = 32;

    /** A block that is queued ends the rest. */
    private static final Duration REST = Duration.ofMinutes(1);

    private static final Duration LOOK = Duration.ofSeconds(1);

    private final Group<ShardState> group;
    private final GroupPeers peers;
    private final ServerStandings standings;
    private final PullsInFlight pulls;
    private final BlockWaits waits;
    private final NeedSweeps sweeps;
    private final WaitingHealth health = new WaitingHealth();
    private final HealRate rate;
    private final CopyPuller puller;
    private final CopyTrimmer trimmer;
    private final ReadNeeds read = new ReadNeeds();
    private final SettleNeeds settle = new SettleNeeds();
    private final IntendCopies intend = new IntendCopies();

    /** Guarded by itself. */
    private final Set<BlockId> changed = new LinkedHashSet<>();

    CopyScheduler(PartContext<ShardState> parts, ServerStandings standings, int inFlightMax) {
        Clock clock = parts.clock();
        this.group = parts.group();
        this.peers = parts.peers();
        this.standings = standings;
        this.pulls = new PullsInFlight(clock, inFlightMax);
        this.waits = new BlockWaits(clock);
        this.sweeps = new NeedSweeps(clock);
        this.rate = new HealRate(clock);
        this.puller = new CopyPuller(group, peers, pulls, waits, this::changed);
        this.trimmer = new CopyTrimmer(group, peers, clock, waits, this::changed);
    }

    /** A server has reported; that is logged. Called by any thread. */
    void reported(CopiesMadeRequest report) {
        ServerId server = new ServerId(report.getServerId());
        for (CopiesMadeRequest.Item item : report.getItemList()) {
            BlockId block = new BlockId(item.getBlockId());
            long bytes = pulls.remove(new Pull(block, new Copy(server, item.getCopyNumber())));
            if (item.getError() == 0 && bytes >= 0) {
                rate.made(bytes);
            } else if (item.getError() != 0) {
                waits.refused(block, server);
                waits.note(block, FileId.NONE, "block server " + server + " made no copy: " + item.getMessage());
            }
            changed(block);
        }
    }

    private void changed(BlockId block) {
        synchronized (changed) {
            if (changed.size() < CHANGED_MAX) {
                changed.add(block);
            }
        }
    }

    /** What a block waits for; empty where that is not known. Called by any thread. */
    String reason(BlockId block) {
        return waits.reason(block);
    }

    /** What the leader knows beside the records. Called by any thread. */
    void addTo(CopiesStatusReply.Builder status) {
        status.setIntendedCopies(pulls.count())
                .setIntendedBytes(pulls.bytes())
                .addAllStuck(waits.stuck(STUCK_MAX))
                .setBrake(standings.look(peers.map()).brake())
                .addAllWaiting(health.counts());
        rate.addTo(status);
    }

    /** The background task. */
    CompletableFuture<Duration> run() {
        if (peers.mapAgeMillis() > GiveUpCopy.MAP_AGE_MILLIS_MAX) {
            return CompletableFuture.completedFuture(LOOK);
        }
        Seen seen = standings.look(peers.map());
        sweeps.servers(seen.places(), seen.brake());
        dropLost(seen);
        return puller.sendDue()
                .thenCompose(sent -> judgeChanged(seen))
                .thenCompose(judged -> sweep(seen))
                .thenCompose(rest -> puller.sendDue().thenApply(sent -> hasChanged() ? Duration.ZERO : rest));
    }

    /** As {@link PullsInFlight#roomForMoves}. */
    int roomForMoves() {
        return pulls.roomForMoves();
    }

    /**
     * Has copies made of blocks that need none, for another one to go. Completes with the blocks of which one is
     * intended now.
     *
     * @param moves no more than there is room for
     */
    CompletableFuture<List<NeededBlock>> move(IntendCopiesRequest moves) {
        if (moves.getItemCount() == 0) {
            return CompletableFuture.completedFuture(List.of());
        }
        return group.submit(intend, RequestOrigin.SERVICE, moves).thenApply(reply -> {
            reply.getItemList().forEach(this::adopt);
            return reply.getItemList();
        });
    }

    /** Whether copies are being made now. */
    boolean isMaking() {
        return pulls.count() > 0;
    }

    /** Copies that another leader has asked for are asked for again. */
    private void adopt(NeededBlock needed) {
        BlockId block = new BlockId(needed.getBlockId());
        for (Copy copy : BlockCopies.intended(needed.getBlock())) {
            pulls.add(new Pull(block, copy), needed.getBlock().getLength());
        }
    }

    private boolean hasChanged() {
        synchronized (changed) {
            return !changed.isEmpty();
        }
    }

    /** Copies are not waited for of servers that are dead or are to have none. */
    private void dropLost(Seen seen) {
        List<Pull> lost = new ArrayList<>();
        seen.byId().forEach((server, standing) -> {
            if (standing != Standing.SERVES && standing != Standing.MAINTENANCE) {
                lost.addAll(pulls.of(server));
            }
        });
        puller.fail(lost);
    }

    private CompletableFuture<Void> judgeChanged(Seen seen) {
        NeedsPageRequest.Builder request = NeedsPageRequest.newBuilder();
        synchronized (changed) {
            Iterator<BlockId> blocks = changed.iterator();
            while (request.getBlockIdCount() < PAGE && blocks.hasNext()) {
                request.addBlockId(blocks.next().value());
                blocks.remove();
            }
        }
        if (request.getBlockIdCount() == 0) {
            return CompletableFuture.completedFuture(null);
        }
        return group.read(read, RequestOrigin.SERVICE, request.build())
                .thenCompose(page -> judge(seen, page.getItemList(), null).done());
    }

    /**
     * One page of the most urgent class that is due. Completes with the rest: long only if all classes were looked at
     * just now, as a block may have been queued since a class was.
     */
    private CompletableFuture<Duration> sweep(Seen seen) {
        Urgency urgency = sweeps.nextDue();
        if (urgency == null) {
            return CompletableFuture.completedFuture(LOOK);
        }
        NeedsPageRequest request = NeedsPageRequest.newBuilder()
                .setUrgency(urgency.number())
                .setAfterBlockId(sweeps.cursor(urgency))
                .setLimit(PAGE)
                .build();
        return group.read(read, RequestOrigin.SERVICE, request).thenCompose(page -> {
            Judged judged = judge(seen, page.getItemList(), urgency);
            boolean isLast = page.getItemCount() < PAGE;
            sweeps.advance(urgency, judged.upTo(), judged.isFull(), isLast, page.getItemCount());
            if (isLast && !judged.isFull()) {
                health.sweepEnds(urgency);
            }
            return judged.done().thenApply(done -> restAfterSweep());
        });
    }

    private Duration restAfterSweep() {
        if (sweeps.nextDue() != null) {
            return Duration.ZERO;
        }
        return sweeps.foundNothing() && pulls.count() == 0 ? REST : LOOK;
    }

    /**
     * What came of a page.
     *
     * @param upTo the last block that was judged; 0 for none
     * @param isFull there was no room for the copies of the next one
     * @param done completes when what was decided is logged
     */
    private record Judged(long upTo, boolean isFull, CompletableFuture<Void> done) {}

    /** @param urgency the class that the blocks wait in; null where that may be any */
    private Judged judge(Seen seen, List<NeededBlock> blocks, @Nullable Urgency urgency) {
        Decisions decisions = new Decisions(seen, urgency);
        long upTo = 0;
        for (NeededBlock needed : blocks) {
            if (!decisions.add(needed)) {
                return new Judged(upTo, true, decisions.commit());
            }
            upTo = needed.getBlockId();
        }
        return new Judged(upTo, false, decisions.commit());
    }

    /** What is decided of some blocks. */
    private final class Decisions {
        private final Seen seen;
        private final CopyJudge judge;
        private final @Nullable Urgency urgency;
        private final SettleNeedsRequest.Builder settled = SettleNeedsRequest.newBuilder();
        private final IntendCopiesRequest.Builder intended = IntendCopiesRequest.newBuilder();
        private int copies;

        Decisions(Seen seen, @Nullable Urgency urgency) {
            this.seen = seen;
            this.judge = new CopyJudge(seen.view());
            this.urgency = urgency;
        }

        /** False where there is no room for the block's copies. */
        boolean add(NeededBlock needed) {
            BlockId block = new BlockId(needed.getBlockId());
            if (!needed.hasBlock()) {
                done(needed);
                return true;
            }
            adopt(needed);
            List<KnownCopy> copies = KnownCopies.of(needed);
            Verdict verdict =
                    judge.judge(needed.getWanted(), copies, server -> waits.isRefused(block, server), block.value());
            if (verdict instanceof Healthy && !hasSilentCopy(needed)) {
                done(needed);
                return true;
            }
            boolean isTaken = take(needed, verdict);
            if (isTaken && urgency != null) {
                health.add(urgency, judge.health(needed.getWanted(), copies));
            }
            return isTaken;
        }

        private boolean take(NeededBlock needed, Verdict verdict) {
            BlockId block = new BlockId(needed.getBlockId());
            if (verdict instanceof Healthy) {
                move(needed, Urgency.UNJUDGED);
            } else if (verdict instanceof Make make) {
                return make(needed, make);
            } else if (verdict instanceof GiveUp giveUp) {
                if (waits.isDue(block)) {
                    trimmer.begin(needed, giveUp);
                }
                move(needed, Urgency.UNJUDGED);
            } else if (verdict instanceof Wait wait) {
                waits.note(block, new FileId(needed.getFileId()), wait.reason());
                move(needed, classOf(wait));
            } else if (urgency == Urgency.LAST_COPY) {
                move(needed, Urgency.UNDER_REPLICATED);
            }
            return true;
        }

        private static Urgency classOf(Wait wait) {
            if (wait.untilServersChange()) {
                return Urgency.UNSCHEDULABLE;
            }
            return wait.urgent() ? Urgency.LAST_COPY : Urgency.UNDER_REPLICATED;
        }

        /** It is one too many when its server comes back, and is given up when that is lost. */
        private boolean hasSilentCopy(NeededBlock needed) {
            return BlockCopies.counted(needed.getBlock()).stream()
                    .anyMatch(copy -> seen.byId().get(copy.server()) == Standing.SILENT);
        }

        private boolean make(NeededBlock needed, Make make) {
            Urgency as = make.urgent() ? Urgency.LAST_COPY : Urgency.UNDER_REPLICATED;
            if (!waits.isDue(new BlockId(needed.getBlockId()))) {
                move(needed, as);
                return true;
            }
            if (copies + make.targets().size() > pulls.room(make.urgent()) && pulls.count() + copies > 0) {
                return false;
            }
            copies += make.targets().size();
            IntendCopiesRequest.Item.Builder item =
                    IntendCopiesRequest.Item.newBuilder().setSeen(needed).setUrgency(as.number());
            make.targets().forEach(server -> item.addServerId(server.value()));
            intended.addItem(item);
            return true;
        }

        private void done(NeededBlock needed) {
            waits.forget(new BlockId(needed.getBlockId()));
            settled.addItem(SettleNeedsRequest.Item.newBuilder().setSeen(needed).setDone(true));
        }

        private void move(NeededBlock needed, Urgency to) {
            if (to != urgency) {
                settled.addItem(
                        SettleNeedsRequest.Item.newBuilder().setSeen(needed).setUrgency(to.number()));
            }
        }

        CompletableFuture<Void> commit() {
            CompletableFuture<?> taken = settled.getItemCount() == 0
                    ? CompletableFuture.completedFuture(null)
                    : group.submit(settle, RequestOrigin.SERVICE, settled.build());
            CompletableFuture<?> made = intended.getItemCount() == 0
                    ? CompletableFuture.completedFuture(null)
                    : group.submit(intend, RequestOrigin.SERVICE, intended.build())
                            .thenAccept(this::add);
            return CompletableFuture.allOf(taken, made);
        }

        private void add(IntendCopiesReply reply) {
            reply.getItemList().forEach(CopyScheduler.this::adopt);
        }
    }
}
