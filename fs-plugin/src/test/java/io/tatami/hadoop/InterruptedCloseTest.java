package io.tatami.hadoop;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A close that was interrupted is done by the next one, whatever of it the cluster has done already. */
class InterruptedCloseTest {
    private static final Path FILE = new Path("/InterruptedCloseTest/file");

    /** The interrupt comes so much later each time, and so in each of the steps of a close. */
    private static final long STEP_NANOS = TimeUnit.MICROSECONDS.toNanos(20);

    private final byte[] bytes = new byte[1_500_000];
    private TatamiFileSystem fs;

    @BeforeEach
    void open() throws IOException {
        new Random(5).nextBytes(bytes);
        Configuration configuration = TatamiCluster.shared().configuration();
        // A thread that reads its reply off a connection of its own is not interrupted in that.
        configuration.setInt("tatami.rpc.direct.max", 0);
        fs = TatamiCluster.shared().newFileSystem(configuration);
    }

    @AfterEach
    void close() throws IOException {
        fs.close();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 100, 100_000, 1_500_000})
    void aSecondCloseSucceedsWhereverTheFirstWasInterrupted(int length) throws Exception {
        int interrupted = 0;
        for (int step = 0; step < 150; step++) {
            FSDataOutputStream out = fs.create(FILE, true);
            out.write(bytes, 0, length);
            interrupted += closeInterrupted(out, step * STEP_NANOS) ? 1 : 0;

            out.close();
            out.close();

            assertTrue(fs.isFileClosed(FILE));
            try (FSDataInputStream in = fs.open(FILE)) {
                assertArrayEquals(Arrays.copyOf(bytes, length), in.readAllBytes(), "step " + step);
            }
        }
        assertTrue(interrupted > 0);
    }

    private static boolean closeInterrupted(FSDataOutputStream out, long afterNanos) throws Exception {
        Thread closing = Thread.currentThread();
        Thread interrupting = new Thread(() -> {
            long endNanos = System.nanoTime() + afterNanos;
            while (System.nanoTime() < endNanos) {
                Thread.onSpinWait();
            }
            closing.interrupt();
        });
        if (afterNanos == 0) {
            // However fast the machine is: before the first thing that the close waits for.
            closing.interrupt();
        }
        interrupting.start();
        boolean isInterrupted = false;
        try {
            out.close();
        } catch (InterruptedIOException e) {
            isInterrupted = true;
        }
        while (interrupting.isAlive()) {
            Thread.onSpinWait();
        }
        boolean unused = Thread.interrupted();
        return isInterrupted;
    }
}
