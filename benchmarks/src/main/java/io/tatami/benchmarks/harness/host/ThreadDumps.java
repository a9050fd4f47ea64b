package io.tatami.benchmarks.harness.host;

import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** Shows what Java processes are doing, for one that is silent. */
public final class ThreadDumps {
    private static final long SECONDS_MAX = 20;

    private ThreadDumps() {}

    /** Appends the stacks of a process, and of those that it started, to a file. Nothing where they have ended. */
    public static void append(ProcessHandle process, Path log) throws InterruptedException {
        for (ProcessHandle each : Stream.concat(Stream.of(process), process.descendants())
                .filter(ThreadDumps::isJava)
                .toList()) {
            append(each.pid(), log);
        }
    }

    private static boolean isJava(ProcessHandle process) {
        return process.info().command().filter(path -> path.endsWith("/java")).isPresent();
    }

    /** The same of one process. */
    public static void append(long pid, Path log) throws InterruptedException {
        Path jcmd = Path.of(System.getProperty("java.home"), "bin", "jcmd");
        try {
            Process dump = new ProcessBuilder(jcmd.toString(), Long.toString(pid), "Thread.print")
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
                    .start();
            if (!dump.waitFor(SECONDS_MAX, TimeUnit.SECONDS)) {
                dump.destroyForcibly();
            }
        } catch (IOException e) {
            System.err.println("no stacks of process " + pid + ": " + e);
        }
    }
}
