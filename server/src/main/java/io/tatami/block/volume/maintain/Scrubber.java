package io.tatami.block.volume.maintain;

import io.tatami.base.ChunkChecksum;
import io.tatami.base.Clock;
import io.tatami.base.Detail;
import io.tatami.base.ErrorCode;
import io.tatami.base.Generation;
import io.tatami.base.TatamiException;
import io.tatami.block.device.Device;
import io.tatami.block.volume.BlockReader;
import io.tatami.block.volume.ReadUnit;
import io.tatami.block.volume.StoredBlock;
import io.tatami.block.volume.Volume;
import io.tatami.block.volume.VolumeResources;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Checks superblock and index of a volume, then reads all durable bytes of its blocks in the order of their addresses,
 * below the page cache, and checks them; the volume's {@link VolumeResources.DamageListener} hears of what fails of
 * those. Runs passes on a thread of its own, no faster than it is told to. Its methods may be called by any thread.
 */
public final class Scrubber implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Scrubber.class);

    /** What may come of reading a block that others change; the next one is not concerned. */
    private static final Set<ErrorCode> SKIPPED =
            EnumSet.of(ErrorCode.NO_SUCH_BLOCK, ErrorCode.INVALID_ARGUMENT, ErrorCode.BUSY);

    private final Volume volume;
    private final PacedPass pass;
    private Progress progress = new Progress(0, 0, 0, 0, "");

    /** @param bytesPerSecondMax what it may read; at least 1 */
    public Scrubber(Volume volume, Clock clock, long bytesPerSecondMax) {
        this.volume = volume;
        this.pass = new PacedPass("scrubber-" + volume.id(), clock, bytesPerSecondMax);
    }

    /**
     * How far the pass under way is, or how the last one ended.
     *
     * @param totalBytes what the volume held when the pass began
     * @param skippedBlocks blocks that could not be read to their end: deleted, cut or moved meanwhile
     * @param damagedChunks chunks whose bytes are wrong, and units of 4 MiB that cannot be read
     * @param structureDamage what is damaged of superblock and index; empty for nothing
     */
    public record Progress(
            long scrubbedBytes, long totalBytes, long damagedChunks, long skippedBlocks, String structureDamage) {}

    /** Begins a pass, unless one is under way. */
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
     * @throws TatamiException IO_ERROR or UNAVAILABLE once the volume has stopped; damage is not thrown
     */
    public Progress scrub() throws TatamiException {
        List<StoredBlock> blocks = volume.blocksByAddress();
        long total = blocks.stream().mapToLong(StoredBlock::durableBytes).sum();
        report(new Progress(0, total, 0, 0, scrubStructure()));
        pass.begin();
        for (StoredBlock stored : blocks) {
            long at = 0;
            while (at < stored.durableBytes() && mayGoOn()) {
                at = scrub(stored, at);
            }
        }
        return progress();
    }

    private String scrubStructure() throws TatamiException {
        List<String> damages;
        try {
            damages = volume.findStructureDamage();
        } catch (TatamiException e) {
            volume.throwIfStopped();
            damages = List.of(String.valueOf(e.getMessage()));
        }
        damages.forEach(damage -> LOG.error("scrub of volume {}: {}", volume.id(), damage));
        return String.join("; ", damages);
    }

    /** Reads a block from an offset up to its end or the first damage; tells where to go on. */
    private long scrub(StoredBlock stored, long offsetBytes) throws TatamiException {
        long at = offsetBytes;
        try (BlockReader reader =
                volume.readInBackground(stored.block(), Generation.NONE, at, stored.durableBytes() - at)) {
            while (mayGoOn()) {
                try (ReadUnit unit = reader.next()) {
                    if (unit == null) {
                        break;
                    }
                    int length = unit.data().remaining();
                    at += length;
                    add(length, 0, 0);
                }
            }
            return at;
        } catch (TatamiException e) {
            return afterFailure(stored, at, e);
        }
    }

    /** @param at where what failed begins */
    private long afterFailure(StoredBlock stored, long at, TatamiException e) throws TatamiException {
        if (e.code() == ErrorCode.CORRUPT) {
            LOG.warn("scrub: {}", e.getMessage());
            add(0, 1, 0);
            // Without a place it is the index's checksums that are damaged: none of the block can be checked.
            return e.detail() instanceof Detail.DamagedChunk chunk
                    ? chunk.offsetBytes() + ChunkChecksum.CHUNK_BYTES
                    : stored.durableBytes();
        }
        volume.throwIfStopped();
        if (e.code() == ErrorCode.IO_ERROR) {
            LOG.warn("scrub: block {} cannot be read at {}: {}", stored.block(), at, e.getMessage());
            add(0, 1, 0);
            return at / Device.UNIT_BYTES * Device.UNIT_BYTES + Device.UNIT_BYTES;
        }
        if (!SKIPPED.contains(e.code())) {
            throw e;
        }
        LOG.info("scrub: block {} is skipped: {}", stored.block(), e.getMessage());
        add(0, 0, 1);
        return stored.durableBytes();
    }

    private void runPass() {
        try {
            Progress end = scrub();
            LOG.info("scrub of volume {} ended: {}", volume.id(), end);
        } catch (TatamiException e) {
            LOG.warn("scrub of volume {} ended early", volume.id(), e);
        }
    }

    private boolean mayGoOn() {
        return pass.mayGoOn(progress().scrubbedBytes());
    }

    private synchronized void report(Progress current) {
        progress = current;
    }

    private synchronized void add(long bytes, long damaged, long skipped) {
        progress = new Progress(
                progress.scrubbedBytes + bytes,
                progress.totalBytes,
                progress.damagedChunks + damaged,
                progress.skippedBlocks + skipped,
                progress.structureDamage);
    }
}
