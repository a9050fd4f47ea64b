package io.tatami.client.file;

import io.tatami.base.Threads;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;

/**
 * Fills the ranges of vectored reads on a few threads that all readers of a client share. Ranges near each other in one
 * block are read over one stream; a range across blocks is read by itself.
 */
final class VectoredReads implements AutoCloseable {
    /** Runs that wait for a thread; beyond, the calling thread reads. */
    private static final int WAITING_MAX = 4_096;

    private static final long IDLE_SECONDS = 10;

    private final int gapBytes;
    private final int runBytesMax;
    private final ThreadPoolExecutor threads;

    /**
     * @param gapBytes ranges with no more between them are read together
     * @param runBytesMax unless they get longer than this together
     */
    VectoredReads(int threadCount, int gapBytes, int runBytesMax) {
        this.gapBytes = gapBytes;
        this.runBytesMax = runBytesMax;
        this.threads = new ThreadPoolExecutor(
                threadCount,
                threadCount,
                IDLE_SECONDS,
                TimeUnit.SECONDS,
                new ArrayBlockingQueue<>(WAITING_MAX),
                Threads.daemons("tatami-vectored"),
                (run, pool) -> run.run());
        threads.allowCoreThreadTimeOut(true);
    }

    /** @see FileReader#readRanges */
    void read(FileReader reader, List<ReadRange> ranges, IntFunction<ByteBuffer> allocate) throws IOException {
        List<ReadRange> sorted = new ArrayList<>(ranges);
        sorted.sort(Comparator.comparingLong(ReadRange::offsetBytes));
        requireValid(reader, sorted);
        for (List<ReadRange> run : runs(reader.content(), sorted)) {
            threads.execute(() -> readRun(reader, run, allocate));
        }
    }

    /** Ends the threads; what they read at the moment is read on, and later ranges are the calling thread's. */
    @Override
    public void close() {
        threads.shutdown();
    }

    private static void requireValid(FileReader reader, List<ReadRange> sorted) throws EOFException {
        long end = 0;
        for (ReadRange range : sorted) {
            if (range.endBytes() > reader.lengthBytes()) {
                throw new EOFException("a range of " + range.lengthBytes() + " bytes at " + range.offsetBytes()
                        + " ends beyond " + reader.describe());
            }
            if (range.offsetBytes() < end) {
                throw new IllegalArgumentException("ranges overlap at " + range.offsetBytes());
            }
            end = range.endBytes();
        }
    }

    private List<List<ReadRange>> runs(FileContent content, List<ReadRange> sorted) {
        List<List<ReadRange>> runs = new ArrayList<>();
        long start = 0;
        long end = -1;
        long blockEnd = 0;
        for (ReadRange range : sorted) {
            boolean joins = end >= 0
                    && range.offsetBytes() - end <= gapBytes
                    && range.endBytes() - start <= runBytesMax
                    && range.endBytes() <= blockEnd;
            if (!joins) {
                runs.add(new ArrayList<>());
                start = range.offsetBytes();
                blockEnd = blockEnd(content, range.offsetBytes());
            }
            runs.get(runs.size() - 1).add(range);
            end = range.endBytes();
        }
        return runs;
    }

    private static long blockEnd(FileContent content, long offset) {
        return content.inline() != null || offset == content.lengthBytes()
                ? content.lengthBytes()
                : content.blockAt(offset).endBytes();
    }

    private static void readRun(FileReader reader, List<ReadRange> run, IntFunction<ByteBuffer> allocate) {
        int done = 0;
        try {
            ReadRange first = run.get(0);
            ReadRange last = run.get(run.size() - 1);
            boolean isOneRange = run.size() == 1 || reader.content().inline() != null;
            if (isOneRange) {
                for (ReadRange range : run) {
                    ByteBuffer buffer = buffer(range, allocate);
                    reader.readFrom(range.offsetBytes(), buffer, true);
                    complete(range, buffer);
                    done++;
                }
                return;
            }
            long length = last.endBytes() - first.offsetBytes();
            try (SequentialRun stream = reader.runAt(first.offsetBytes(), length, true)) {
                for (ReadRange range : run) {
                    ByteBuffer buffer = buffer(range, allocate);
                    if (range.lengthBytes() > 0) {
                        stream.skipTo(range.offsetBytes());
                        stream.readFully(buffer);
                    }
                    complete(range, buffer);
                    done++;
                }
            }
        } catch (Throwable e) {
            // The allocator is the caller's code: whatever it throws, an Error too, belongs to whoever waits for the
            // range.
            run.subList(done, run.size()).forEach(range -> range.result().completeExceptionally(e));
        }
    }

    private static ByteBuffer buffer(ReadRange range, IntFunction<ByteBuffer> allocate) {
        ByteBuffer buffer = allocate.apply(range.lengthBytes());
        buffer.limit(buffer.position() + range.lengthBytes());
        return buffer.mark();
    }

    private static void complete(ReadRange range, ByteBuffer buffer) {
        range.result().complete(buffer.reset());
    }
}
