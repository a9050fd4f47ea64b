package io.tatami.block.service.volumes;

import io.tatami.block.device.HangPatience;
import io.tatami.block.volume.Volume;
import java.util.ArrayList;
import java.util.List;

/**
 * Waits for what a server has under way on its volumes and told to end: for as long as that takes, but not on volumes
 * that hang. All volumes are waited for together, so that several that hang take no longer than one. For one thread.
 */
public final class OrderlyEnd {
    /** Looks of {@link HangPatience}: what has not ended then waits for something else than the device. */
    private static final int LOOKS_MAX = 600;

    private final List<VolumeSet.ServedVolume> waiting;
    private final List<Part> parts;
    private int looks;

    /** Something that is under way on volumes, and was told to end. */
    @FunctionalInterface
    public interface Part {
        /** Whether it has ended on a volume, within {@code limitMillis}; no longer than that is waited. */
        boolean awaitEnd(Volume volume, long limitMillis) throws InterruptedException;
    }

    private OrderlyEnd(List<VolumeSet.ServedVolume> volumes, List<Part> parts) {
        this.waiting = new ArrayList<>(volumes);
        this.parts = parts;
    }

    /**
     * Returns once all has ended on each volume that does not hang, or after a minute; an interrupt is kept for later.
     *
     * @param parts waited for in this order on each volume
     * @return the volumes on which something has not ended
     */
    public static List<VolumeSet.ServedVolume> await(List<VolumeSet.ServedVolume> volumes, List<Part> parts) {
        OrderlyEnd end = new OrderlyEnd(volumes, parts);
        boolean unused = HangPatience.await(end::awaitAll, end::isInVain);
        return List.copyOf(end.waiting);
    }

    private boolean awaitAll(long limitMillis) throws InterruptedException {
        long leftMillis = limitMillis;
        for (VolumeSet.ServedVolume served : List.copyOf(waiting)) {
            if (awaitParts(served.volume(), leftMillis)) {
                waiting.remove(served);
            } else {
                leftMillis = 0;
            }
        }
        return waiting.isEmpty();
    }

    private boolean awaitParts(Volume volume, long limitMillis) throws InterruptedException {
        for (Part part : parts) {
            if (!part.awaitEnd(volume, limitMillis)) {
                return false;
            }
        }
        return true;
    }

    private boolean isInVain() {
        return ++looks > LOOKS_MAX
                || waiting.stream()
                        .allMatch(served -> served.volume().accessTimes().isHanging());
    }
}
