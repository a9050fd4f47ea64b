package io.tatami.meta.service.host;

import static io.tatami.meta.service.host.LoopHarness.origin;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.tatami.files.CrashPoint;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * I1 and I5 over real halts: a process is stopped at each durable step of a batch, and a ledger of what it had answered
 * is compared with what is there afterwards. The request that was under way is sent again and must be done once in all.
 */
final class GroupCrashTest {
    private static final List<String> POINTS = List.of(
            "meta.batch.before-commit",
            "meta.log.before-write",
            "meta.log.after-write",
            "meta.apply.before-write",
            "meta.apply.after-write",
            "meta.log.zeros-written",
            "meta.log.file-written",
            "meta.log.file-made",
            "meta.log.store-written-out",
            "meta.log.file-dropped",
            "meta.batch.after-commit");

    @TempDir
    private Path directory = Path.of("");

    @Test
    void whatWasAnsweredIsThereAfterAHaltAtEachStepAndNothingIsDoneTwice() throws Exception {
        long done = 0;
        int nth = 1;
        for (String point : POINTS) {
            Path output = directory.resolve(point + ".out");
            assertEquals(CrashPoint.EXIT_CODE, run(point + ":" + nth, done + 1, output), point);
            done = checkLedger(Files.readAllLines(output, UTF_8), done);
            nth += 3;
        }
    }

    private int run(String crashAt, long firstNumber, Path output) throws IOException, InterruptedException {
        Process child = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx128m",
                        "-XX:+UseSerialGC",
                        "-XX:TieredStopAtLevel=1",
                        "-D" + CrashPoint.PROPERTY + "=" + crashAt,
                        "-cp",
                        System.getProperty("java.class.path"),
                        CrashWorkload.class.getName(),
                        directory.toString(),
                        Long.toString(firstNumber))
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        return child.waitFor();
    }

    /** The counter after the ledger's requests and the one that was under way, which is sent again. */
    private long checkLedger(List<String> ledger, long before) throws Exception {
        long done = before;
        for (String line : ledger) {
            if (line.matches("\\d+ \\d+")) {
                done++;
                assertEquals(done + " " + done, line);
            }
        }
        try (LoopHarness group = new LoopHarness(directory)) {
            if (done > before) {
                assertEquals(
                        done,
                        group.sendOnce(origin(CrashWorkload.SESSION, done, Math.max(0, done - 2)), Increment.of(1))
                                .join()
                                .getFiles(),
                        "an answered request is remembered");
            }
            long again = group.sendOnce(origin(CrashWorkload.SESSION, done + 1, Math.max(0, done - 1)), Increment.of(1))
                    .join()
                    .getFiles();
            assertEquals(done + 1, again, "the request under way is done once");
            return again;
        }
    }
}
