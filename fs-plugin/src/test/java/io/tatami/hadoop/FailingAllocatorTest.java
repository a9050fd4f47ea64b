package io.tatami.hadoop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.IntFunction;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileRange;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A vectored read whose allocator throws completes every range. */
class FailingAllocatorTest {
    private static final Path FILE = new Path("/failing-allocator");
    private static final int LENGTH = 3_000_000;

    private final AtomicReference<Thread> allocating = new AtomicReference<>();
    private TatamiFileSystem fs = new TatamiFileSystem();

    @BeforeEach
    void write() throws IOException {
        TatamiCluster cluster = TatamiCluster.shared();
        fs = cluster.newFileSystem(cluster.configuration());
        try (FSDataOutputStream out = fs.create(FILE)) {
            out.write(new byte[LENGTH]);
        }
    }

    @AfterEach
    void disconnect() throws IOException {
        fs.close();
    }

    private static List<FileRange> ranges() {
        return List.of(
                FileRange.createFileRange(0, 10),
                FileRange.createFileRange(20, 10),
                FileRange.createFileRange(LENGTH - 10, 10));
    }

    private IntFunction<ByteBuffer> throwing(Error error) {
        return length -> {
            allocating.set(Thread.currentThread());
            throw error;
        };
    }

    private static void assertEachFailsWith(Error error, List<FileRange> ranges) {
        for (FileRange range : ranges) {
            ExecutionException failed =
                    assertThrows(ExecutionException.class, () -> range.getData().get(1, TimeUnit.MINUTES));
            assertSame(error, failed.getCause());
        }
    }

    @Test
    void anErrorOnAThreadOfThePoolCompletesTheRanges() throws IOException {
        Error error = new OutOfMemoryError("no buffer");
        List<FileRange> ranges = ranges();
        try (FSDataInputStream in = fs.open(FILE)) {
            in.readVectored(ranges, throwing(error));
            assertEachFailsWith(error, ranges);
        }
        assertNotSame(Thread.currentThread(), allocating.get());
    }

    @Test
    void aReadOfAClosedFileSystemIsRefusedAtOnce() throws IOException {
        FSDataInputStream in = fs.open(FILE);
        fs.close();
        IOException refused =
                assertThrows(IOException.class, () -> in.readVectored(ranges(), throwing(new AssertionError())));
        assertEquals("Filesystem closed", refused.getMessage());
    }
}
