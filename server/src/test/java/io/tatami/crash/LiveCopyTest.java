package io.tatami.crash;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Power cuts of a whole node. Everything it stores is on an ext4 file system in a file: that file, copied while the
 * node works, holds what had reached the device and nothing of what the kernel still kept. The copy is mounted, the
 * node started on it, and all that had been acknowledged must be there.
 *
 * <p>The node's process is stopped while the file is copied, because a power cut is one moment and a copy takes longer;
 * then it is killed and never runs again on what it wrote.
 */
final class LiveCopyTest {
    private static final long IMAGE_BYTES = 512L << 20;
    private static final int CUTS = 2;
    private static final int CUTS_SOAK = 100;
    /** Before each cut, however slow the machine is. */
    private static final int OPERATIONS_MIN = 6;

    private static final int MORE_MILLIS_MAX = 2_000;
    private static final int POLL_MILLIS = 5;
    private static final int ROUNDS_MAX = 1_000;

    @TempDir
    private Path directory = Path.of("");

    @Test
    void whatWasAcknowledgedIsOnTheDevice() throws Exception {
        cut(Long.getLong("tatami.test.seed", System.nanoTime() & 0xffff_ffffL), CUTS);
    }

    @Test
    @Tag("soak")
    void whatWasAcknowledgedIsOnTheDeviceAtManyCuts() throws Exception {
        cut(Long.getLong("tatami.test.seed", 1), CUTS_SOAK);
    }

    private void cut(long seed, int cuts) throws Exception {
        System.out.println("replay with -Dtatami.test.seed=" + seed);
        Random random = new Random(seed);
        CrashCourse course = new CrashCourse(seed);
        Path mountPoint = directory.resolve("mounted");
        Path image = directory.resolve("image-0");
        LoopMount.make(image, IMAGE_BYTES, mountPoint).close();
        for (int cut = 1; cut <= cuts; cut++) {
            Path copy = directory.resolve("image-" + cut);
            try (LoopMount mount = LoopMount.mount(image, mountPoint);
                    NodeProcess node = NodeProcess.start(
                            NodeProcess.Place.in(mount.directory().resolve("node")))) {
                course.verify(node, "after power cut " + (cut - 1) + " of seed " + seed);
                workUntilCut(course, node, random.nextInt(MORE_MILLIS_MAX), () -> mount.copyTo(copy));
            }
            Files.delete(image);
            image = copy;
            System.out.println("cut " + cut + " after " + course.acknowledged() + " operations acknowledged");
        }
        try (LoopMount mount = LoopMount.mount(image, mountPoint);
                NodeProcess node =
                        NodeProcess.start(NodeProcess.Place.in(mount.directory().resolve("node")))) {
            course.verify(node, "after power cut " + cuts + " of seed " + seed);
        }
        assertTrue(course.acknowledged() > cuts * 5L, "only " + course.acknowledged() + " operations");
    }

    /** What the moment of the cut does. */
    private interface Cut {
        void run() throws Exception;
    }

    private static void workUntilCut(CrashCourse course, NodeProcess node, long moreMillis, Cut cut) throws Exception {
        long enough = course.acknowledged() + OPERATIONS_MIN;
        ExecutorService worker = Executors.newSingleThreadExecutor();
        try {
            Future<Boolean> worked = worker.submit(() -> course.work(node, ROUNDS_MAX));
            while (course.acknowledged() < enough && !worked.isDone()) {
                Thread.sleep(POLL_MILLIS);
            }
            Thread.sleep(moreMillis);
            node.pause();
            cut.run();
            node.kill();
            assertTrue(worked.get(), "the workload came to an end before the power was cut");
        } finally {
            worker.shutdown();
        }
    }
}
