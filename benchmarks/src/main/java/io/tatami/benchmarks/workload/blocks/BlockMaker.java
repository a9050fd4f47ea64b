package io.tatami.benchmarks.workload.blocks;

import io.tatami.base.BlockId;
import io.tatami.base.Generation;
import io.tatami.base.TatamiException;
import io.tatami.benchmarks.harness.report.Progress;
import io.tatami.block.volume.BlockWriter;
import io.tatami.block.volume.Volume;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** Fills a volume with small blocks, as writers of a block server do: each one is finished, and so on the device. */
final class BlockMaker {
    private static final int WRITERS = 32;
    private static final int REPORT_SECONDS = 10;

    private final Volume volume;
    private final long blocks;
    private final int blockBytes;
    private final AtomicLong begun = new AtomicLong();

    BlockMaker(Volume volume, long blocks, int blockBytes) {
        this.volume = volume;
        this.blocks = blocks;
        this.blockBytes = blockBytes;
    }

    /** The block with a number, the first of which is 1. */
    static BlockId block(long number) {
        return BlockId.of(0, 0, number);
    }

    /** Below the first block. */
    static long beforeFirst() {
        return block(1).value() - 1;
    }

    void run() throws Exception {
        Progress progress = new Progress();
        ExecutorService writers = Executors.newFixedThreadPool(WRITERS);
        List<Future<?>> work = new ArrayList<>();
        try {
            for (int writer = 0; writer < WRITERS; writer++) {
                work.add(writers.submit(this::write));
            }
            writers.shutdown();
            while (!writers.awaitTermination(REPORT_SECONDS, TimeUnit.SECONDS)) {
                progress.tell("%d of %d blocks are made", Math.min(blocks, begun.get()), blocks);
            }
            for (Future<?> part : work) {
                part.get();
            }
        } finally {
            writers.shutdownNow();
        }
    }

    private Void write() throws TatamiException {
        byte[] bytes = new byte[blockBytes];
        for (long number = begun.incrementAndGet(); number <= blocks; number = begun.incrementAndGet()) {
            try (BlockWriter writer = volume.create(block(number), Generation.FIRST, blockBytes, true)) {
                writer.append(ByteBuffer.wrap(bytes), null);
                writer.finish();
            }
        }
        return null;
    }
}
