package io.tatami.block.volume;

import io.tatami.base.Check;
import io.tatami.block.device.Device;

/** A contiguous range of a volume, aligned to 4 KiB at both ends; may be empty. Offsets are from the device's start. */
record Extent(long offsetBytes, long lengthBytes) {
    static final Extent EMPTY = new Extent(0, 0);

    Extent {
        Check.check(
                offsetBytes >= 0 && lengthBytes >= 0 && (offsetBytes | lengthBytes) % Device.ALIGNMENT_BYTES == 0,
                "extent of %d bytes at %d",
                lengthBytes,
                offsetBytes);
    }

    long endBytes() {
        return offsetBytes + lengthBytes;
    }

    boolean isEmpty() {
        return lengthBytes == 0;
    }

    /** The first {@code keptBytes}, rounded up to the alignment. */
    Extent head(long keptBytes) {
        long kept = Device.alignUp(keptBytes);
        return kept == 0 ? EMPTY : new Extent(offsetBytes, kept);
    }

    /** What {@link #head} leaves. */
    Extent rest(long keptBytes) {
        long kept = Device.alignUp(keptBytes);
        return new Extent(offsetBytes + kept, lengthBytes - kept);
    }
}
