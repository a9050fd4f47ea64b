package io.tatami.block.volume.maintain;

import io.tatami.base.Clock;
import io.tatami.base.TatamiException;
import io.tatami.block.volume.BlockRelocator;
import io.tatami.block.volume.Volume;
import io.tatami.block.volume.space.CompactionPlanner;
import io.tatami.block.volume.space.CompactionPlanner.Move;
import io.tatami.block.volume.space.Extent;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes long free runs of the room that deleted short blocks have left: a region of which more than a third is dead is
 * emptied, its blocks moved into holes elsewhere. Runs passes on a thread of its own, no faster than it is told to, and
 * lets others go first at the device. Its methods may be called by any thread.
 *
 * <p>A block keeps its id, its generation and its bytes; a crash at any moment leaves it at the old place or at the new
 * one.
 */
public final class Compactor implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Compactor.class);

    /** What a streaming writer reserves, so that each region emptied is room for one. */
    public static final long REGION_BYTES = 256L << 20;

    /** So many blocks are locked at once at most. */
    private static final int BATCH_BLOCKS_MAX = 64;

    private static final long LOOK_MILLIS = 50;

    /** So often a batch gives way to others at the device before it has its turn. */
    private static final int LOOKS_MAX = 20;

    private final Volume volume;
    private final CompactionPlanner planner;
    private final PacedPass pass;
    private final int plansMax;
    private Progress progress = new Progress(0, 0, 0);

    /** @param bytesPerSecondMax what it may move; at least 1 */
    public Compactor(Volume volume, Clock clock, long bytesPerSecondMax) {
        this(volume, clock, bytesPerSecondMax, REGION_BYTES);
    }

    public Compactor(Volume volume, Clock clock, long bytesPerSecondMax, long regionBytes) {
        this.volume = volume;
        Extent area = volume.allocator().area();
        this.planner = new CompactionPlanner(area, regionBytes);
        this.plansMax = (int) (area.lengthBytes() / regionBytes) + 1;
        this.pass = new PacedPass("compactor-" + volume.id(), clock, bytesPerSecondMax);
    }

    /**
     * What was done since this object was made.
     *
     * @param emptiedRegions regions of which all blocks were moved out
     * @param deadBytes room in free runs shorter than a region, when it was last looked at
     */
    public record Progress(long movedBytes, long emptiedRegions, long deadBytes) {}

    /** Begins a pass, unless one is under way. It ends when there is nothing more to gain. */
    public void start() {
        pass.start(this::runPass);
    }

    public boolean isRunning() {
        return pass.isRunning();
    }

    public synchronized Progress progress() {
        return progress;
    }

    /** Has the pass under way end soon. */
    public void end() {
        pass.end();
    }

    /** Whether the pass that is to end has ended, within {@code limitMillis}. */
    public boolean awaitEnd(long limitMillis) throws InterruptedException {
        return pass.awaitEnd(limitMillis);
    }

    /** Ends the pass under way and waits until it has ended; an interrupt is kept for later. */
    @Override
    public void close() {
        pass.close();
    }

    /**
     * One pass, on the calling thread.
     *
     * @throws TatamiException as {@link BlockRelocator#move}; UNAVAILABLE once the volume was closed
     */
    public Progress compact() throws TatamiException {
        pass.begin();
        long bytesBefore = progress().movedBytes();
        boolean goesOn = true;
        // Each plan empties a region, unless others come between: this many are more than enough.
        for (int plans = 0; goesOn && plans < plansMax; plans++) {
            volume.throwIfStopped();
            List<Extent> freeRuns = volume.allocator().freeRuns();
            report(0, 0, planner.deadBytes(freeRuns));
            Optional<CompactionPlanner.Plan> plan = planner.plan(volume.placedBlocks(), freeRuns);
            goesOn = plan.isPresent() && carryOut(plan.get(), bytesBefore);
        }
        report(0, 0, planner.deadBytes(volume.allocator().freeRuns()));
        return progress();
    }

    /** False once the pass is to end. */
    private boolean carryOut(CompactionPlanner.Plan plan, long bytesBefore) throws TatamiException {
        LOG.debug("volume {}: {} bytes of {} are dead", volume.id(), plan.deadBytes(), plan.region());
        int moved = 0;
        for (List<Move> batch : batches(plan.moves())) {
            if (!mayGoOn(progress().movedBytes() - bytesBefore)) {
                return false;
            }
            long movedBytes = volume.relocator().movedBytes();
            moved += volume.relocator().move(batch);
            report(volume.relocator().movedBytes() - movedBytes, 0, progress().deadBytes());
        }
        boolean emptied = moved == plan.moves().size();
        report(0, emptied ? 1 : 0, progress().deadBytes());
        // Where nothing could be moved the next pass may have more luck; after a part of it another plan is worth
        // making.
        return emptied || (moved > 0 && pass.rest(LOOK_MILLIS));
    }

    private static List<List<Move>> batches(List<Move> moves) {
        List<List<Move>> batches = new ArrayList<>();
        List<Move> batch = new ArrayList<>();
        long bytes = 0;
        for (Move move : moves) {
            long length = move.from().lengthBytes();
            if (bytes + length > BlockRelocator.BYTES_MAX || batch.size() == BATCH_BLOCKS_MAX) {
                batches.add(batch);
                batch = new ArrayList<>();
                bytes = 0;
            }
            batch.add(move);
            bytes += length;
        }
        batches.add(batch);
        return batches;
    }

    private boolean mayGoOn(long movedBytes) {
        boolean goesOn = pass.mayGoOn(movedBytes);
        for (int looks = 0; goesOn && looks < LOOKS_MAX && volume.isBusy(); looks++) {
            goesOn = pass.rest(LOOK_MILLIS);
        }
        return goesOn;
    }

    private void runPass() {
        Progress before = progress();
        try {
            Progress end = compact();
            if (end.movedBytes() > before.movedBytes()) {
                LOG.info("compaction of volume {}: {} since the start", volume.id(), end);
            }
        } catch (TatamiException e) {
            LOG.warn("compaction of volume {} ended early", volume.id(), e);
        }
    }

    private synchronized void report(long movedBytes, int emptied, long deadBytes) {
        progress = new Progress(progress.movedBytes + movedBytes, progress.emptiedRegions + emptied, deadBytes);
    }
}
