package io.tatami.block.volume.space;

import io.tatami.base.TatamiException;
import io.tatami.block.volume.space.ExtentAllocator.End;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.NullMarked;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/**
 * One extent released and another taken on a volume of 4 TiB that is in use: blocks of all lengths, holes among them.
 */
@NullMarked
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class ExtentAllocatorBenchmark {
    private static final long VOLUME_BYTES = 4L << 40;
    private static final long BLOCK_BYTES = 256L << 20;
    private static final int CHURN = 20_000;

    /** How much of the volume is taken. */
    @Param({"50", "85"})
    public int percentFull;

    private final Random random = new Random(7);
    private final List<Extent> taken = new ArrayList<>();
    private ExtentAllocator allocator = new ExtentAllocator(new Extent(0, VOLUME_BYTES), 0);

    /** Fills the volume and ages it. */
    @Setup(Level.Iteration)
    public void age() throws TatamiException {
        taken.clear();
        allocator = new ExtentAllocator(new Extent(0, VOLUME_BYTES), 0);
        while (allocator.freeBytes() > VOLUME_BYTES / 100 * (100 - percentFull)) {
            take();
        }
        for (int i = 0; i < CHURN; i++) {
            releaseOneAndTakeAnother();
        }
    }

    @Benchmark
    public int releaseOneAndTakeAnother() throws TatamiException {
        int index = random.nextInt(taken.size());
        Extent last = taken.remove(taken.size() - 1);
        Extent gone = index == taken.size() ? last : taken.set(index, last);
        allocator.release(gone);
        take();
        return taken.size();
    }

    /** A whole block, or as often one that ends where its file did. */
    private void take() throws TatamiException {
        boolean whole = random.nextBoolean();
        long bytes = whole ? BLOCK_BYTES : 1 + (random.nextLong() & (BLOCK_BYTES - 1));
        taken.add(allocator.allocate(bytes, 1, whole ? End.LOW : End.HIGH));
    }
}
