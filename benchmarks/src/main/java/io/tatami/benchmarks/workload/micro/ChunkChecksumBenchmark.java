package io.tatami.benchmarks.workload.micro;

import io.tatami.base.ChunkChecksum;
import java.nio.ByteBuffer;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/** The CRC32C of chunks, as every hop of the data path computes or checks it. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
public class ChunkChecksumBenchmark {
    private static final int FRAME_BYTES = 1 << 20;

    private final ByteBuffer frame = ByteBuffer.allocateDirect(FRAME_BYTES);
    private int left;
    private int right;

    /** Random bytes, as no shortcut may help. */
    @Setup
    public void fill() {
        byte[] bytes = new byte[FRAME_BYTES];
        new Random(1).nextBytes(bytes);
        frame.put(bytes).flip();
        left = ChunkChecksum.of(frame, 0, 1_000);
        right = ChunkChecksum.of(frame, 1_000, ChunkChecksum.CHUNK_BYTES - 1_000);
    }

    /** 16 chunks of 64 KiB. */
    @Benchmark
    public int[] frameOfOneMebibyte() {
        return ChunkChecksum.ofPieces(0, frame);
    }

    /** Two pieces of one chunk joined without their bytes. */
    @Benchmark
    public int concat() {
        return ChunkChecksum.concat(left, right, ChunkChecksum.CHUNK_BYTES - 1_000);
    }
}
