package io.tatami.hadoop;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.tatami.files.CrashPoint;
import java.util.Collections;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Threads that write to a file while another one waits for its flush. */
class FlushBesideWritesTest {
    private static final Path FILE = new Path("/FlushBesideWritesTest");
    private static final int FIRST_BYTES = 300_000;

    private final byte[] bytes = new byte[FIRST_BYTES + 2_000];
    private final CountDownLatch atFlush = new CountDownLatch(1);
    private final CountDownLatch goOn = new CountDownLatch(1);
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private FileSystem fileSystem;

    @BeforeEach
    void open() throws Exception {
        assumeTrue(System.getProperty("tatami.test.servers", "one").equals("one"), "the server is in another process");
        new Random(8).nextBytes(bytes);
        fileSystem = FileSystem.newInstance(TatamiCluster.shared().configuration());
    }

    @AfterEach
    void close() throws Exception {
        goOn.countDown();
        CrashPoint.listen(null);
        threads.shutdown();
        if (fileSystem != null) {
            fileSystem.delete(FILE, false);
            fileSystem.close();
        }
    }

    /** The server comes to its next flush, and stays there. */
    private void holdFlush() {
        CrashPoint.listen(name -> {
            if (name.equals("service.write.before-flush")) {
                atFlush.countDown();
                awaitGoOn();
            }
        });
    }

    private void awaitGoOn() {
        try {
            assertTrue(goOn.await(2, TimeUnit.MINUTES));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private Future<Void> start(Callable<Void> work) {
        return threads.submit(work);
    }

    private static Void flush(FSDataOutputStream out, boolean durably) throws Exception {
        if (durably) {
            out.hsync();
        } else {
            out.hflush();
        }
        return null;
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aWriteIsTakenWhileAFlushIsWaitedFor(boolean durably) throws Exception {
        try (FSDataOutputStream out = fileSystem.create(FILE)) {
            out.write(bytes, 0, FIRST_BYTES);
            out.hflush();
            out.write(bytes, FIRST_BYTES, 1_000);
            holdFlush();
            Future<Void> flushing = start(() -> flush(out, durably));
            assertTrue(atFlush.await(1, TimeUnit.MINUTES));

            start(() -> {
                        out.write(bytes, FIRST_BYTES + 1_000, 1_000);
                        return null;
                    })
                    .get(1, TimeUnit.MINUTES);
            assertFalse(flushing.isDone());
            goOn.countDown();
            flushing.get(1, TimeUnit.MINUTES);
        }
        assertFileIs(bytes);
    }

    @Test
    void manyThreadsWriteAndFlushOneFile() throws Exception {
        try (FSDataOutputStream out = fileSystem.create(FILE)) {
            Callable<Void> work = () -> {
                for (int i = 0; i < 100; i++) {
                    out.write(7);
                    flush(out, i % 10 == 0);
                }
                return null;
            };
            for (Future<Void> done : threads.invokeAll(Collections.nCopies(8, work))) {
                done.get(1, TimeUnit.MINUTES);
            }
            try (FSDataInputStream in = fileSystem.open(FILE)) {
                assertEquals(800, in.readAllBytes().length);
            }
        }
    }

    private void assertFileIs(byte[] expected) throws Exception {
        try (FSDataInputStream in = fileSystem.open(FILE)) {
            assertArrayEquals(expected, in.readAllBytes());
        }
    }
}
