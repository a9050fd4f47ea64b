package io.tatami.block.volume;

import io.tatami.base.Clock;
import io.tatami.base.TatamiException;
import io.tatami.block.device.FailStop;
import io.tatami.block.device.HangingDevice;
import io.tatami.block.device.IoThreads;
import io.tatami.block.device.SimDisk;
import io.tatami.block.device.SimFaults;
import io.tatami.block.volume.format.SuperblockFormat;
import io.tatami.block.volume.format.VolumeFormatter;
import io.tatami.block.volume.index.FlushedEnds;
import io.tatami.block.volume.index.SimIndexStore;
import java.util.Random;

/** A volume with threads and buffers of its own on a disk in memory that can be made to hang. */
public final class HangingVolume implements AutoCloseable {
    private final HangingDevice device;
    private final IoThreads threads = IoThreads.start("hanging", 2);
    private final Volume volume;

    /** Formatted and opened, with room for {@code dataBytes} of blocks. */
    public HangingVolume(long dataBytes, VolumeResources resources) throws TatamiException {
        this(dataBytes, resources, Clock.SYSTEM);
    }

    /** @param clock by which accesses are timed */
    public HangingVolume(long dataBytes, VolumeResources resources, Clock clock) throws TatamiException {
        SimFaults faults = new SimFaults();
        Random random = new Random(1);
        device = new HangingDevice(new SimDisk(SuperblockFormat.DATA_OFFSET + dataBytes, faults));
        SimIndexStore store = new SimIndexStore(faults, random);
        new VolumeFormatter(SimVolume.CLUSTER, random).format(device, store);
        volume = new VolumeOpener(SimVolume.CLUSTER, resources, clock)
                .open(device, store, FlushedEnds.none(), threads, new FailStop("hanging volume"));
    }

    public Volume volume() {
        return volume;
    }

    public HangingDevice device() {
        return device;
    }

    @Override
    public void close() throws TatamiException {
        device.goOn();
        volume.close();
        // Closed already while it hung, the volume has left its threads.
        threads.close();
    }
}
