package io.tatami.block.service;

import io.tatami.block.device.HangPatience;
import io.tatami.block.volume.Volume;
import java.util.ArrayList;
import java.util.List;

/**
 * Waits, when a server stops, for what it has under way on its volumes: for as long as it takes, but not on those that hang.
 * All volumes are waited for together, so that several that hang take no longer than one. For one thread.
 */
final class OrderlyEnd {
    private final List<VolumeSet.ServedVolume> waiting;
    private final List<Part> parts;

    /** Something that is under way on volumes, and was told to end. */
    @FunctionalInterface
    interface Part {
        /** Whether it has ended on a volume, within {@code limitMillis}; no longer than that is waited. */
        boolean awaitEnd(Volume volume, long limitMillis) throws InterruptedException;
    }

    private OrderlyEnd(List<VolumeSet.ServedVolume> volumes, List<Part> parts) {
        this.waiting = new ArrayList<>(volumes);
        this.parts = parts;
    }

    /**
     * Returns once all has ended on each volume that does not hang; an interrupt is kept for later.
     *
     * @param parts waited for in this order on each volume
     * @return the volumes that hang, on which something has not ended
     */
    static List<VolumeSet.ServedVolume> await(List<VolumeSet.ServedVolume> volumes, List<Part> parts) {
        OrderlyEnd end = new OrderlyEnd(volumes, parts);
        boolean unused = HangPatience.await(end::awaitAll, end::allHang);
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

    private boolean allHang() {
        return waiting.stream().allMatch(served -> served.volume().accessTimes().isHanging());
    }
}
