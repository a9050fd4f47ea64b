package io.tatami.crash;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.client.TatamiClient;
import io.tatami.client.model.TatamiPath;
import io.tatami.files.CrashPoint;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * Crashes a node at one point after the other. The node of each point looks first at what the crash before has left, on
 * the same directory; only the points of a first start have a directory each. Used by one thread.
 */
final class CrashRun {
    private static final int ROUNDS_FOR_NTH = 2;
    private static final int ROUNDS_FOR_ANY = 4;
    private static final long BACKGROUND_MILLIS = 6_000;

    private final Path directory;
    private final PointPlan plan;
    private final Random random;
    private final Consumer<String> log;
    private final NodeProcess.Place place;
    private final CrashCourse course;
    private final TreeSet<String> hit = new TreeSet<>();
    private final TreeSet<String> missed = new TreeSet<>();
    private String last = "nothing";

    /** @param log is told a line for each point */
    CrashRun(Path directory, PointPlan plan, long seed, Consumer<String> log) {
        this.directory = directory;
        this.plan = plan;
        this.random = new Random(seed);
        this.log = log;
        this.place = NodeProcess.Place.in(directory.resolve("node"));
        this.course = new CrashCourse(seed);
    }

    /** The points at which a node was halted. */
    TreeSet<String> hit() {
        return hit;
    }

    /** The points that were asked for and not passed. */
    TreeSet<String> missed() {
        return missed;
    }

    void crashAt(String point) throws IOException, InterruptedException {
        long begunNanos = System.nanoTime();
        String how;
        if (plan.founding().contains(point)) {
            how = crashFirstStart(point);
        } else if (plan.starting().contains(point)) {
            how = crashStart(point);
        } else {
            how = crashWork(point);
            // What is done once after each start, in the background, may be over when a node serves.
            how = how.isEmpty() ? crashStart(point) : how;
        }
        boolean wasHit = !how.isEmpty();
        (wasHit ? hit : missed).add(point);
        log.accept((wasHit ? "hit    " : "missed ") + point + " " + how + " "
                + (System.nanoTime() - begunNanos) / 1_000_000 + " ms, " + course.acknowledged()
                + " operations acknowledged");
    }

    /** Looks at what the last crash has left. */
    void end() throws IOException, InterruptedException {
        try (NodeProcess node = NodeProcess.start(place)) {
            course.verify(node, "after " + last);
            node.stop();
        }
    }

    private String crashWork(String point) throws IOException, InterruptedException {
        try (NodeProcess node = NodeProcess.start(place)) {
            course.verify(node, "after " + last);
            long nth = 1L + random.nextInt((int) Math.min(500, plan.working().getOrDefault(point, 1L)));
            assertTrue(node.arm(point, nth), "the node ended by itself");
            if (course.work(node, ROUNDS_FOR_NTH) || !node.arm(point, 1)) {
                return ended(node, point, "in work, pass " + nth);
            }
            if (course.work(node, ROUNDS_FOR_ANY) || node.endsWithin(BACKGROUND_MILLIS)) {
                return ended(node, point, "in work, first pass");
            }
            node.kill();
            last = "a kill, as " + point + " was not passed";
            return "";
        }
    }

    /** Not looked at first: this is a crash in the recovery from the one before. */
    private String crashStart(String point) throws IOException, InterruptedException {
        try (NodeProcess node = NodeProcess.start(place, point)) {
            if (node.serves() && !node.endsWithin(BACKGROUND_MILLIS)) {
                node.kill();
                last = "a kill, as " + point + " was not passed";
                return "";
            }
            return ended(node, point, "in a start");
        }
    }

    private String crashFirstStart(String point) throws IOException, InterruptedException {
        Path fresh = directory.resolve("fresh-" + point);
        NodeProcess.Place there = NodeProcess.Place.in(fresh);
        try (NodeProcess node = NodeProcess.start(there, point)) {
            if (node.serves() && !node.endsWithin(BACKGROUND_MILLIS)) {
                return "";
            }
            assertEquals(CrashPoint.EXIT_CODE, node.awaitExit(), point);
        }
        CrashCourse first = new CrashCourse(random.nextLong());
        try (NodeProcess node = NodeProcess.start(there)) {
            try (TatamiClient client = CrashCourse.connect(node)) {
                for (String made : List.of("/tmp", "/user/" + System.getProperty("user.name"))) {
                    assertTrue(client.status(TatamiPath.of(made), true).isDirectory(), made);
                }
            }
            first.work(node, 1);
            node.kill();
        }
        try (NodeProcess node = NodeProcess.start(there)) {
            first.verify(node, "after a kill, after " + point + " of the first start");
            node.stop();
        }
        remove(fresh);
        return "in a first start";
    }

    private String ended(NodeProcess node, String point, String how) {
        assertEquals(CrashPoint.EXIT_CODE, node.awaitExit(), point);
        last = point + " " + how;
        return how;
    }

    static void remove(Path directory) throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }
}
