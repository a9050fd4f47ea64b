package io.tatami.block.volume.space;

import io.tatami.block.volume.space.ExtentAllocator.End;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.SplittableRandom;

/**
 * Writers and deletions on one volume, in virtual time. Writers stream block after block; a file that ends short gives
 * the rest of its last block back. Files go when their time has come, and the next to go goes early where the volume
 * would get fuller than it may. Hour 0 is when it first was as full.
 */
final class Churn {
    static final long BLOCK_BYTES = 256L << 20;
    static final long NEEDED_BYTES = 4L << 20;
    private static final int WRITERS = 12;
    private static final double HOUR_SECONDS = 3_600;

    private final ChurnMix mix;
    private final BookedVolume volume;
    private final double usedMax;
    private final PriorityQueue<Event> events = new PriorityQueue<>(Comparator.comparingDouble(Event::atSeconds));
    private final PriorityQueue<Kept> files = new PriorityQueue<>(Comparator.comparingDouble(Kept::endSeconds));
    private double nowSeconds;
    private long reserved;
    private long whole;
    private long refused;

    private record Event(double atSeconds, Runnable action) {}

    /** A file that is closed, and when it goes. */
    private record Kept(double endSeconds, List<Extent> extents) {}

    /** A file that is being written. */
    private record Stream(long leftBytes, double bytesPerSecond, List<Extent> extents) {}

    /** One hour: streaming reservations, how many got a whole block or none at all, and the volume at its end. */
    record Hour(int hour, long reserved, long whole, long refused, BookedVolume.Shape shape) {
        double wholeShare() {
            return reserved == 0 ? 1 : (double) whole / reserved;
        }
    }

    /** @param usedMax the share of the volume that is kept in use */
    Churn(BookedVolume volume, long seed, double usedMax) {
        this.volume = volume;
        this.mix = new ChurnMix(new SplittableRandom(seed));
        this.usedMax = usedMax;
        for (int i = 0; i < WRITERS; i++) {
            after(mix.pauseSeconds(), this::beginFile);
        }
        after(mix.packedPauseSeconds(), this::writePacked);
    }

    /** Fills the volume, then does what happens in so many hours. */
    List<Hour> run(int hours) {
        while (!volume.isFuller(usedMax)) {
            step();
        }
        double start = nowSeconds;
        List<Hour> curve = new ArrayList<>();
        for (int hour = 1; hour <= hours; hour++) {
            reserved = 0;
            whole = 0;
            refused = 0;
            while (nowSeconds < start + hour * HOUR_SECONDS) {
                step();
            }
            curve.add(new Hour(hour, reserved, whole, refused, volume.shape()));
        }
        return curve;
    }

    /** Lets the files that are being written end, and deletes all. */
    void deleteAll() {
        for (Event event : events) {
            if (event.action() instanceof Finish finish) {
                volume.giveBack(finish.extent, 0);
                finish.stream.extents().forEach(extent -> volume.giveBack(extent, 0));
            }
        }
        events.clear();
        files.forEach(this::delete);
        files.clear();
    }

    private void step() {
        Event event = events.remove();
        nowSeconds = event.atSeconds();
        event.action().run();
    }

    private void after(double seconds, Runnable action) {
        events.add(new Event(nowSeconds + seconds, action));
    }

    private void beginFile() {
        beginBlock(new Stream(mix.streamedBytes(), mix.bytesPerSecond(), new ArrayList<>()));
    }

    private void beginBlock(Stream stream) {
        makeRoom();
        Extent extent = volume.allocate(BLOCK_BYTES, NEEDED_BYTES, End.LOW);
        reserved++;
        if (extent == null) {
            refused++;
            keep(stream.extents());
            after(mix.pauseSeconds(), this::beginFile);
            return;
        }
        whole += extent.lengthBytes() == BLOCK_BYTES ? 1 : 0;
        long length = Math.min(stream.leftBytes(), extent.lengthBytes());
        after(length / stream.bytesPerSecond(), new Finish(stream, extent, length));
    }

    /** The end of a block, and the next one or the end of the file. */
    private final class Finish implements Runnable {
        private final Stream stream;
        private final Extent extent;
        private final long lengthBytes;

        Finish(Stream stream, Extent extent, long lengthBytes) {
            this.stream = stream;
            this.extent = extent;
            this.lengthBytes = lengthBytes;
        }

        @Override
        public void run() {
            volume.giveBack(extent, lengthBytes);
            stream.extents().add(extent.head(lengthBytes));
            long left = stream.leftBytes() - lengthBytes;
            if (left > 0) {
                beginBlock(new Stream(left, stream.bytesPerSecond(), stream.extents()));
            } else {
                keep(stream.extents());
                after(mix.pauseSeconds(), Churn.this::beginFile);
            }
        }
    }

    private void writePacked() {
        makeRoom();
        long length = mix.packedBytes();
        Extent extent = volume.allocate(length, length, End.HIGH);
        if (extent != null) {
            keep(List.of(extent));
        }
        after(mix.packedPauseSeconds(), this::writePacked);
    }

    private void keep(List<Extent> extents) {
        files.add(new Kept(nowSeconds + mix.lifeSeconds(), extents));
    }

    private void makeRoom() {
        while (!files.isEmpty() && (files.element().endSeconds() < nowSeconds || volume.isFuller(usedMax))) {
            delete(files.remove());
        }
    }

    private void delete(Kept file) {
        file.extents().forEach(extent -> volume.giveBack(extent, 0));
    }
}
