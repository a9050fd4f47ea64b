package io.tatami.block.volume;

import io.tatami.base.BlockId;
import io.tatami.base.Check;
import io.tatami.base.Clock;
import io.tatami.base.Generation;
import io.tatami.base.TatamiException;
import io.tatami.block.device.AlignedBufferPool;
import io.tatami.block.device.Device;
import io.tatami.block.device.FailStop;
import io.tatami.block.device.IoThreads;
import io.tatami.block.device.SimDisk;
import io.tatami.block.device.SimFaults;
import io.tatami.block.volume.format.SuperblockFormat;
import io.tatami.block.volume.format.VolumeFormatter;
import io.tatami.block.volume.index.BlockIndexFormat;
import io.tatami.block.volume.index.FlushedEnds;
import io.tatami.block.volume.index.IndexStore;
import io.tatami.block.volume.index.SimIndexStore;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A volume on a simulated disk and a simulated index, which a test may crash and open again. All I/O runs on the
 * calling thread, so that a seed repeats it access by access.
 */
public final class SimVolume implements AutoCloseable {
    /**
     * Shared by all simulated volumes of a JVM: slabs are too large to be made for each. One volume at a time uses
     * them.
     */
    private static final VolumeResources BUFFERS = VolumeResources.withBuffers(8, 8);

    public static final UUID CLUSTER = new UUID(1, 2);

    private final Clock clock;
    private final Random random;
    private final SimFaults faults = new SimFaults();
    private final SimDisk disk;
    private final SimIndexStore store;
    private final List<String> damages = new ArrayList<>();
    private final UUID id;
    private @Nullable Path flushedEnds;
    private UUID boot = new UUID(0, 1);
    private Volume volume;

    /** A formatted and opened volume with room for {@code dataBytes} of blocks. */
    public SimVolume(long dataBytes, long seed) throws TatamiException {
        this(dataBytes, seed, Clock.SYSTEM);
    }

    /** @param clock by which accesses are timed */
    public SimVolume(long dataBytes, long seed, Clock clock) throws TatamiException {
        this.clock = clock;
        this.random = new Random(seed);
        this.disk = new SimDisk(SuperblockFormat.DATA_OFFSET + dataBytes, faults);
        this.store = new SimIndexStore(faults, random);
        this.id = new VolumeFormatter(CLUSTER, random).format(disk, store);
        this.volume = openAgain();
    }

    /** The volume as it was opened last. */
    public Volume volume() {
        return volume;
    }

    public SimFaults faults() {
        return faults;
    }

    public SimDisk disk() {
        return disk;
    }

    /** What the damage listener heard, as "block offset". */
    public List<String> damages() {
        return damages;
    }

    public SimIndexStore store() {
        return store;
    }

    /** Opens the volume again, with a file for what is flushed and not synced, which does not outlive a cut. */
    SimVolume withFlushedEnds(Path file) throws TatamiException {
        close();
        flushedEnds = file;
        volume = openAgain();
        return this;
    }

    /** Ends the process that has the volume, and opens it in the next one; the host goes on. */
    Volume endProcess() throws TatamiException {
        close();
        volume = openAgain();
        return volume;
    }

    /** Cuts the power, if it is not off already, and opens what is left of the volume. */
    public Volume crash() throws TatamiException {
        close();
        disk.losePower(random);
        faults.powerOn();
        boot = new UUID(0, boot.getLeastSignificantBits() + 1);
        volume = openAgain();
        return volume;
    }

    /**
     * {@link #crash()}, with the power going again at one of the accesses that opening makes.
     *
     * @param access which one, 0 for the first
     * @return whether the volume was opened all the same, because it makes fewer
     */
    public boolean crashAndCutOpening(long access) throws TatamiException {
        close();
        disk.losePower(random);
        faults.powerOn();
        faults.arm(access, SimFaults.Fault.POWER_CUT);
        try {
            volume = openAgain();
            return true;
        } catch (TatamiException e) {
            if (!faults.hasStruck()) {
                throw e;
            }
            return false;
        }
    }

    /** Deletes all blocks, and fails where that does not leave all room free and the index empty. */
    void requireEmptyOnceAllIsDeleted(String when) throws TatamiException {
        for (StoredBlock stored : volume.blocks()) {
            volume.delete(stored.block(), Generation.MAX);
        }
        VolumeStatistics statistics = volume.statistics();
        Check.check(
                statistics.freeBytes() == statistics.capacityBytes()
                        && statistics.largestFreeExtentBytes() == statistics.capacityBytes(),
                "%s left room taken: %s",
                when,
                statistics);
        Check.check(store.entries().size() == 2, "%s left index entries", when);
        Check.check(
                BlockIndexFormat.isSum(store.entries().get(BlockIndexFormat.SUM_KEY), BlockIndexFormat.SUM_START),
                "%s left a wrong sum",
                when);
    }

    /** Closes the volume, and fails where a buffer did not come back. */
    @Override
    public void close() throws TatamiException {
        volume.close();
        checkAllFree(BUFFERS.writeBuffers());
        checkAllFree(BUFFERS.readBuffers());
    }

    private static void checkAllFree(AlignedBufferPool pool) {
        Check.check(pool.freeBuffers() == pool.buffers(), "only %d buffers came back", pool.freeBuffers());
    }

    private Volume openAgain() throws TatamiException {
        VolumeSettings settings = new VolumeSettings(1, 3, 0, 0);
        VolumeResources resources = new VolumeResources(
                BUFFERS.writeBuffers(),
                BUFFERS.readBuffers(),
                settings,
                (block, offsetBytes) -> damages.add(block + " " + offsetBytes));
        Path file = flushedEnds;
        FlushedEnds ends = file == null ? FlushedEnds.none() : FlushedEnds.read(file, id, Optional.of(boot));
        return open(new VolumeOpener(CLUSTER, resources, clock), new Parts(disk, store, ends));
    }

    /** What a simulated volume consists of. */
    public record Parts(Device disk, IndexStore store, FlushedEnds ends) {}

    /** Opens a volume of another simulation, by its clock. */
    public static Volume open(UUID cluster, VolumeResources resources, Clock clock, Parts parts)
            throws TatamiException {
        return open(new VolumeOpener(cluster, resources, clock), parts);
    }

    private static Volume open(VolumeOpener opener, Parts parts) throws TatamiException {
        return opener.open(
                parts.disk(), parts.store(), parts.ends(), IoThreads.onCaller(), new FailStop("simulated volume"));
    }

    /** A range of the visible bytes. */
    public static byte[] read(Volume volume, BlockId block, long offsetBytes, int length) throws TatamiException {
        try (BlockReader reader = volume.read(block, Generation.NONE, offsetBytes, length)) {
            return readAll(reader, length);
        }
    }

    public static byte[] readAll(BlockReader reader, int length) throws TatamiException {
        ByteBuffer bytes = ByteBuffer.allocate(length);
        while (true) {
            try (ReadUnit unit = reader.next()) {
                if (unit == null) {
                    return bytes.array();
                }
                bytes.put(unit.data().duplicate());
            }
        }
    }

    public static byte[] readAll(Volume volume, BlockId block) throws TatamiException {
        StoredBlock stored = volume.find(block).orElseThrow();
        return read(volume, block, 0, (int) stored.visibleBytes());
    }
}
