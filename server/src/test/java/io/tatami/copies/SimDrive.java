package io.tatami.copies;

import io.tatami.base.Clock;
import io.tatami.base.TatamiException;
import io.tatami.block.device.SimDisk;
import io.tatami.block.device.SimFaults;
import io.tatami.block.volume.SimVolume;
import io.tatami.block.volume.Volume;
import io.tatami.block.volume.VolumeResources;
import io.tatami.block.volume.VolumeSettings;
import io.tatami.block.volume.format.SuperblockFormat;
import io.tatami.block.volume.format.VolumeFormatter;
import io.tatami.block.volume.index.FlushedEnds;
import io.tatami.block.volume.index.SimIndexStore;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Random;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A disk of a host with what lies beside it, formatted as a volume: it outlives the processes that open it. A process
 * that ends leaves what it wrote; a power cut leaves what was flushed.
 */
final class SimDrive implements AutoCloseable {
    static final UUID CLUSTER = new UUID(5, 6);

    /** Shared by all simulations of a JVM, of which one runs at a time: slabs are too large to be made for each. */
    private static final VolumeResources BUFFERS = VolumeResources.withBuffers(16, 16);

    private static final VolumeSettings SETTINGS = new VolumeSettings(1, 2, 0, 0);

    private final Clock clock;
    private final Random random;
    private final SimFaults faults = new SimFaults();
    private final SimDisk disk;
    private final SimIndexStore store;
    private final UUID id;
    private final Path directory;
    private final String name;
    private UUID boot = new UUID(0, 1);
    private int starts;
    private boolean isIndexFull;
    private SimFaults.@Nullable Fault armed;

    /** @param directory for the file with the ends of flushed blocks */
    SimDrive(String name, long dataBytes, Path directory, Clock clock, Random random) throws TatamiException {
        this.name = name;
        this.clock = clock;
        this.random = random;
        this.directory = directory;
        this.disk = new SimDisk(SuperblockFormat.DATA_OFFSET + dataBytes, faults);
        this.store = new SimIndexStore(faults, random);
        this.id = new VolumeFormatter(CLUSTER, random).format(disk, store);
    }

    /** Lets the {@code nth} access from now on fail, 0 for the next. Nothing more can happen to one without power. */
    void arm(int nth, SimFaults.Fault fault) {
        if (faults.isPowerOff()) {
            return;
        }
        armed = fault;
        faults.arm(nth, fault);
    }

    /** Runs {@code watch} before each access from now on; it may arm a fault for it. */
    void watch(Runnable watch) {
        faults.watch(watch);
    }

    /** Takes note of what was armed and has happened since the last call; null for nothing. */
    SimFaults.@Nullable Fault takeStruck() {
        SimFaults.Fault struck = armed;
        if (struck == null || !faults.hasStruck()) {
            return null;
        }
        armed = null;
        return struck;
    }

    /** Writes to the disk's data find no room from now on, or they find it again. */
    void fill(boolean isFull) {
        disk.setFull(isFull);
    }

    /** Writes to the index find no room from now on, or they find it again. */
    void fillIndex(boolean isFull) {
        isIndexFull = isFull;
        store.setFull(isFull);
    }

    boolean isIndexFull() {
        return isIndexFull;
    }

    /**
     * Opens the volume for a process. The process before keeps the file it writes to; the new one has what was in it.
     */
    Volume open(SimPlug plug) throws TatamiException {
        Path before = ends();
        starts++;
        Path now = ends();
        try {
            if (Files.exists(before)) {
                Files.copy(before, now);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        VolumeResources resources = new VolumeResources(
                BUFFERS.writeBuffers(), BUFFERS.readBuffers(), SETTINGS, (block, offsetBytes) -> {});
        FlushedEnds ends = FlushedEnds.read(now, id, Optional.of(boot));
        return SimVolume.open(
                CLUSTER, resources, clock, new SimVolume.Parts(plug.device(disk), plug.index(store), ends));
    }

    private Path ends() {
        return directory.resolve(name + "-" + starts);
    }

    /** Removes what the drive has left on the machine's own disk. */
    @Override
    public void close() {
        for (; starts > 0; starts--) {
            try {
                Files.deleteIfExists(ends());
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    /** The power has gone, and is there again. */
    void losePower() {
        disk.losePower(random);
        boot = new UUID(0, boot.getLeastSignificantBits() + 1);
        mend();
    }

    /** No fault is left that was not permanent. */
    void mend() {
        armed = null;
        faults.powerOn();
        fill(false);
        fillIndex(false);
    }

    /** How many buffers no volume has: all, unless a simulation has failed. */
    static int freeBuffers() {
        return BUFFERS.writeBuffers().freeBuffers() + BUFFERS.readBuffers().freeBuffers();
    }
}
