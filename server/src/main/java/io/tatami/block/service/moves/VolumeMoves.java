package io.tatami.block.service.moves;

import io.tatami.base.BlockId;
import io.tatami.base.Clock;
import io.tatami.base.TatamiException;
import io.tatami.base.WaitLimit;
import io.tatami.block.device.Device;
import io.tatami.block.service.context.CopyRate;
import io.tatami.block.service.volumes.VolumeSet;
import io.tatami.block.service.volumes.VolumeSet.ServedVolume;
import io.tatami.block.volume.BlockTransfer;
import io.tatami.block.volume.StoredBlock;
import io.tatami.block.volume.Volume;
import io.tatami.protocol.wire.BlockServerStatusReply;
import io.tatami.protocol.wire.VolumeStatus;
import io.tatami.protocol.wire.WaitingBlock;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Moves blocks away from volumes that are drained, and from the fullest volume to the emptiest while these differ by
 * more than a limit, until they differ by less than half of it. At the start, and after a volume was added, what two
 * volumes have is settled first ({@link LocalCopies}). One block is moved at a time, or some short ones together, at
 * the rate of copies and in the background of the disks. Safe for use by many threads; one moves.
 */
public final class VolumeMoves {
    private static final Logger LOG = LoggerFactory.getLogger(VolumeMoves.class);

    /** How often {@link #look} is to be called. */
    public static final long LOOK_MILLIS = 1_000;

    private static final int PAGE = 256;
    private static final int WAITING_MAX = 16;

    /** After a look that found no block which fits. */
    private static final long BALANCE_REST_NANOS = TimeUnit.MINUTES.toNanos(1);

    /** After a move failed. */
    private static final long FAILURE_REST_NANOS = TimeUnit.SECONDS.toNanos(30);

    private static final String UNFINISHED = "it is being written, or its recovery is to come";
    private static final String DAMAGED = "it is damaged, and stays until its shard has another copy made";

    private static final BlockId LAST = new BlockId(Long.MAX_VALUE);
    private static final BlockId FIRST = new BlockId(0);

    private final VolumeSet volumes;
    private final Clock clock;
    private final CopyRate rate;
    private final double balanceFrom;
    private final long batchBytesMax;
    private final MoveTargets targets;
    private final LocalCopies copies;
    private final Map<Volume, MoveFigures> figures = new ConcurrentHashMap<>();

    private volatile boolean closed;
    private volatile String balancing = "";

    // Owned by the thread that moves.
    private boolean isBalancing;
    private long balanceRestUntilNanos;
    private long restUntilNanos;

    // Guarded by this.
    private boolean running;
    private boolean unsettled = true;

    /** What several volumes have is being settled, which reads any of them. */
    private boolean settling;

    private @Nullable Under underWay;

    /** A transfer. */
    private record Under(Volume from, Volume to) {}

    /**
     * @param rate shared with copies that are made for other servers
     * @param balancePercent how much two volumes differ, in percent of their room, when blocks begin to be moved; 0 for
     *     never
     */
    public VolumeMoves(VolumeSet volumes, Clock clock, CopyRate rate, int balancePercent) {
        this(volumes, clock, rate, balancePercent, Device.UNIT_BYTES);
    }

    /** @param batchBytes of short blocks that are moved together */
    VolumeMoves(VolumeSet volumes, Clock clock, CopyRate rate, int balancePercent, long batchBytes) {
        this.batchBytesMax = batchBytes;
        this.volumes = volumes;
        this.clock = clock;
        this.rate = rate;
        this.balanceFrom = balancePercent / 100.0;
        this.targets = new MoveTargets(volumes);
        this.copies = new LocalCopies(volumes, this::mayGoOn, rate::spend);
        this.balanceRestUntilNanos = clock.monotonicNanos();
        this.restUntilNanos = balanceRestUntilNanos;
    }

    /** Looks for something to be moved, on {@code threads}, unless that is under way. */
    public void look(Executor threads) {
        synchronized (this) {
            if (closed || running) {
                return;
            }
            running = true;
        }
        try {
            threads.execute(() -> {
                try {
                    moveAll();
                } finally {
                    forgetRemoved();
                    ended();
                }
            });
        } catch (RuntimeException e) {
            ended();
            throw e;
        }
    }

    private synchronized void ended() {
        running = false;
        notifyAll();
    }

    /** A volume was added: what it has may be on another one, too. */
    public synchronized void added() {
        unsettled = true;
    }

    /** Forgets a volume that is no longer served. */
    public void remove(Volume volume) {
        figures.remove(volume);
    }

    /** A pass may have had to do with a volume after it was removed. */
    private void forgetRemoved() {
        figures.keySet().removeIf(volume -> !volumes.serves(volume));
    }

    /** Ends the move under way soon; none begins after that. */
    public void close() {
        closed = true;
    }

    /** Whether nothing is moved from or to a volume, within {@code limitMillis}. */
    public synchronized boolean awaitEnd(Volume volume, long limitMillis) throws InterruptedException {
        WaitLimit limit = WaitLimit.ofMillis(limitMillis);
        long leftMillis = limitMillis;
        while (isUnderWay(volume) && leftMillis > 0) {
            wait(leftMillis);
            leftMillis = limit.leftMillis();
        }
        return !isUnderWay(volume);
    }

    private synchronized boolean isUnderWay(Volume volume) {
        Under now = underWay;
        // Between two transfers a pass looks at any volume; once this is closed it ends soon.
        boolean isBetween = closed && running && now == null;
        return settling || isBetween || (now != null && (now.from() == volume || now.to() == volume));
    }

    /** Tells how the moves are. */
    public void addTo(BlockServerStatusReply.Builder status) {
        long now = clock.monotonicNanos();
        for (VolumeStatus.Builder volume : status.getVolumeBuilderList()) {
            volumes.volumes().stream()
                    .filter(served -> served.volume().id().toString().equals(volume.getVolumeId()))
                    .findFirst()
                    .ifPresent(served -> figures(served.volume()).addTo(volume, now));
        }
        status.setBalancing(balancing);
    }

    private MoveFigures figures(Volume volume) {
        return figures.computeIfAbsent(volume, added -> new MoveFigures());
    }

    private boolean mayGoOn() {
        rate.await(() -> closed);
        return !closed;
    }

    /** Goes on until nothing can be moved now. */
    void moveAll() {
        if (clock.monotonicNanos() - restUntilNanos < 0) {
            return;
        }
        try {
            settle();
            boolean isMoving = true;
            while (isMoving && !closed) {
                isMoving = false;
                for (ServedVolume served : volumes.volumes()) {
                    isMoving |= drain(served);
                }
                isMoving |= balance();
            }
        } catch (TatamiException e) {
            LOG.warn("blocks are not moved between volumes now", e);
            restUntilNanos = clock.monotonicNanos() + FAILURE_REST_NANOS;
        }
    }

    private void settle() {
        synchronized (this) {
            if (!unsettled) {
                return;
            }
            unsettled = false;
        }
        boolean done = false;
        settling(true);
        try {
            done = copies.settleAll();
        } finally {
            settling(false);
            if (!done) {
                added();
            }
        }
    }

    private synchronized void settling(boolean whether) {
        settling = whether;
        notifyAll();
    }

    /** One pass over a volume that is drained. Returns whether something was moved. */
    private boolean drain(ServedVolume served) throws TatamiException {
        Volume volume = served.volume();
        MoveFigures progress = figures(volume);
        if (!volume.isClosedToNew() || volume.statistics().blocks() == 0) {
            progress.ended();
            return false;
        }
        progress.drains(clock.monotonicNanos());
        if (!volume.isReadable() || volume.accessTimes().isHanging()) {
            progress.waits(
                    "the volume " + (volume.isReadable() ? "hangs" : "has failed")
                            + "; give its copies up with 'tatami admin volume remove --give-up' where other servers have more",
                    List.of());
            return false;
        }
        Pass pass = new Pass(volume, null);
        pass.run();
        progress.waits(pass.reason, pass.waiting);
        return pass.movedBlocks > 0;
    }

    /** One pass from the fullest volume to the emptiest. Returns whether something was moved. */
    private boolean balance() throws TatamiException {
        Optional<MoveTargets.Pair> unequal = targets.mostUnequal();
        double difference = unequal.map(MoveTargets.Pair::difference).orElse(0.0);
        isBalancing = balanceFrom > 0 && difference > (isBalancing ? balanceFrom / 2 : balanceFrom);
        if (!isBalancing || unequal.isEmpty() || clock.monotonicNanos() - balanceRestUntilNanos < 0) {
            balancing = isBalancing ? balancing : "";
            return false;
        }
        MoveTargets.Pair pair = unequal.get();
        String what = String.format(
                Locale.ROOT,
                "blocks are moved from %s (%.1f %% full) to %s (%.1f %% full)",
                pair.fullest().path(),
                100 * MoveTargets.fullness(pair.fullest().volume()),
                pair.emptiest().path(),
                100 * MoveTargets.fullness(pair.emptiest().volume()));
        balancing = what;
        Pass pass = new Pass(pair.fullest().volume(), pair);
        pass.run();
        if (pass.movedBlocks == 0) {
            balanceRestUntilNanos = clock.monotonicNanos() + BALANCE_REST_NANOS;
            balancing = what + "; none can be moved now";
        }
        return pass.movedBlocks > 0;
    }

    /** Goes through the blocks of a volume by rising id. */
    private final class Pass {
        private final Volume from;
        private final MoveTargets.@Nullable Pair pair;
        private final List<WaitingBlock> waiting = new ArrayList<>();
        private final List<StoredBlock> batch = new ArrayList<>();
        private long batchBytes;
        private int movedBlocks;
        private String reason = "";
        private boolean over;

        /** @param pair to be made equal; null where all blocks are to go */
        Pass(Volume from, MoveTargets.@Nullable Pair pair) {
            this.from = from;
            this.pair = pair;
        }

        void run() throws TatamiException {
            BlockId after = FIRST;
            List<StoredBlock> page = from.blocks(after, LAST, PAGE);
            while (!page.isEmpty() && isWanted()) {
                for (StoredBlock stored : page) {
                    add(stored);
                }
                flush();
                after = page.get(page.size() - 1).block();
                page = from.blocks(after, LAST, PAGE);
            }
        }

        private boolean isWanted() {
            if (over || closed) {
                return false;
            }
            MoveTargets.Pair unequal = pair;
            return unequal == null ? from.isClosedToNew() : unequal.difference() > balanceFrom / 2;
        }

        private void add(StoredBlock stored) throws TatamiException {
            long bytes = Device.alignUp(stored.durableBytes());
            if (!stored.finalized()) {
                waits(stored.block(), UNFINISHED);
            } else if (stored.damaged()) {
                waits(stored.block(), DAMAGED);
            } else if (isWanted() && fits(batchBytes + bytes)) {
                if (batchBytes + bytes > batchBytesMax) {
                    flush();
                }
                batch.add(stored);
                batchBytes += bytes;
            }
        }

        private boolean fits(long bytes) {
            MoveTargets.Pair unequal = pair;
            return unequal == null || unequal.staysInOrder(bytes);
        }

        private void flush() throws TatamiException {
            if (batch.isEmpty()) {
                return;
            }
            List<StoredBlock> moving = List.copyOf(batch);
            long bytes = batchBytes;
            batch.clear();
            batchBytes = 0;
            ServedVolume to = target(moving, bytes);
            if (to == null) {
                noRoom(moving);
            } else if (isWanted()) {
                move(moving, to.volume());
            }
        }

        private @Nullable ServedVolume target(List<StoredBlock> moving, long bytes) {
            long longest = moving.stream()
                    .mapToLong(stored -> Device.alignUp(stored.durableBytes()))
                    .max()
                    .orElse(0);
            MoveTargets.Pair unequal = pair;
            if (unequal == null) {
                return targets.best(from, longest, bytes).orElse(null);
            }
            return unequal.emptiest().volume().statistics().hasRoomForCopies(longest, bytes)
                    ? unequal.emptiest()
                    : null;
        }

        private void noRoom(List<StoredBlock> blocks) {
            over = true;
            reason =
                    "no other volume of the server has room below 90 %; add a volume with 'tatami admin volume add', or"
                            + " move blocks to other servers with 'tatami admin block drain'";
            blocks.forEach(stored -> waits(stored.block(), "no other volume has room for it"));
        }

        private void move(List<StoredBlock> moving, Volume to) throws TatamiException {
            List<BlockId> ids = moving.stream().map(StoredBlock::block).toList();
            Map<BlockId, BlockTransfer.Result> results = transfer(ids, to);
            for (StoredBlock stored : moving) {
                switch (results.getOrDefault(stored.block(), BlockTransfer.Result.ENDED)) {
                    case MOVED -> {
                        movedBlocks++;
                        figures(from).moved(stored.durableBytes());
                        figures(to).took(stored.durableBytes());
                    }
                    case UNFINISHED -> waits(stored.block(), UNFINISHED);
                    case DAMAGED -> waits(stored.block(), DAMAGED);
                    case PRESENT -> settle(stored.block());
                    case NO_ROOM -> waits(stored.block(), "no other volume has room for it in one piece");
                    case CHANGED -> waits(stored.block(), "it was changed meanwhile, and is tried again");
                    case GONE, ENDED -> {}
                }
            }
        }

        private void settle(BlockId block) {
            settling(true);
            try {
                copies.settle(block);
            } finally {
                settling(false);
            }
            if (!from.statistics().failure().isEmpty()) {
                waits(
                        block,
                        "another volume has it, and this one takes no writes: take it out with 'tatami admin volume"
                                + " remove --give-up'");
            } else if (from.has(block)) {
                waits(block, "another volume has a copy, and it is not known yet which one is to stay");
            } else {
                movedBlocks++;
            }
        }

        private void waits(BlockId block, String why) {
            if (reason.isEmpty()) {
                reason = why.startsWith("it ") ? "a block: " + why : why;
            }
            if (waiting.size() < WAITING_MAX) {
                waiting.add(WaitingBlock.newBuilder()
                        .setBlockId(block.value())
                        .setReason(why)
                        .build());
            }
        }

        private Map<BlockId, BlockTransfer.Result> transfer(List<BlockId> blocks, Volume to) throws TatamiException {
            begin(new Under(from, to));
            try {
                // One that was taken out before this began is not awaited, and may be closed.
                if (!volumes.serves(from) || !volumes.serves(to)) {
                    return Map.of();
                }
                return from.transferTo(to, new Paced(from, to)).move(blocks);
            } finally {
                begin(null);
            }
        }
    }

    private synchronized void begin(@Nullable Under transfer) {
        underWay = transfer;
        notifyAll();
    }

    /** A transfer at the rate of copies, for as long as both volumes are served. */
    private final class Paced implements BlockTransfer.Listener {
        private final Volume from;
        private final Volume to;

        Paced(Volume from, Volume to) {
            this.from = from;
            this.to = to;
        }

        @Override
        public boolean mayGoOn() {
            rate.await(this::isOver);
            return !isOver();
        }

        private boolean isOver() {
            return closed || !volumes.serves(from) || !volumes.serves(to);
        }

        @Override
        public void copied(int bytes) {
            rate.spend(bytes);
        }

        @Override
        public void arrived() {
            volumes.moved();
        }
    }
}
