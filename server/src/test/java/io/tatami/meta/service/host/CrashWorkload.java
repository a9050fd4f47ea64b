package io.tatami.meta.service.host;

import static io.tatami.meta.service.host.LoopHarness.origin;

import java.nio.file.Path;

/**
 * The child process of {@link GroupCrashTest}: sends numbered requests to a group and prints each reply once it has it,
 * until the crash point that its JVM was given halts it. Arguments: directory, number of the first request.
 */
public final class CrashWorkload {
    static final long SESSION = 7;
    private static final int REQUESTS_MAX = 20_000;

    private CrashWorkload() {}

    public static void main(String[] arguments) throws Exception {
        long first = Long.parseLong(arguments[1]);
        try (LoopHarness group = new LoopHarness(Path.of(arguments[0]))) {
            for (long number = first; number < first + REQUESTS_MAX; number++) {
                // One behind what was answered, so that the last answer may be asked for again after the halt.
                long reply = group.sendOnce(origin(SESSION, number, Math.max(0, number - 2)), Increment.of(1))
                        .join()
                        .getFiles();
                System.out.println(number + " " + reply);
                System.out.flush();
            }
        }
    }
}
