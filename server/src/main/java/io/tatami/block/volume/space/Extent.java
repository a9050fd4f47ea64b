package io.tatami.block.volume.space;

import io.tatami.base.Check;
import io.tatami.block.device.Device;

/** A contiguous range of a volume, aligned to 4 KiB at both ends; may be empty. Offsets are from the device's start. */
public record Extent(long offsetBytes, long lengthBytes) {
    public static final Extent EMPTY = new Extent(0, 0);

    public Extent {
        Check.check(
                offsetBytes >= 0 && lengthBytes >= 0 && (offsetBytes | lengthBytes) % Device.ALIGNMENT_BYTES == 0,
                "extent of %d bytes at %d",
                lengthBytes,
                offsetBytes);
    }

    public long endBytes() {
        return offsetBytes + lengthBytes;
    }

    public boolean isEmpty() {
        return lengthBytes == 0;
    }

    /** The first {@code keptBytes}, rounded up to the alignment. */
    public Extent head(long keptBytes) {
        long kept = Device.alignUp(keptBytes);
        return kept == 0 ? EMPTY : new Extent(offsetBytes, kept);
    }

    /** What {@link #head} leaves. */
    public Extent rest(long keptBytes) {
        long kept = Device.alignUp(keptBytes);
        return new Extent(offsetBytes + kept, lengthBytes - kept);
    }
}
