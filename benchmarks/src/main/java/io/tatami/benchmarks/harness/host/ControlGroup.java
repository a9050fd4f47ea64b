package io.tatami.benchmarks.harness.host;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/** A group of processes under one of cgroup v1's controllers. Making one needs root. */
public final class ControlGroup implements AutoCloseable {
    private static final Path ROOT = Path.of("/sys/fs/cgroup");
    private static final long LIMIT_SECONDS = 10;
    private static final long PAUSE_MILLIS = 20;

    private final Path parent;
    private final Path group;

    private ControlGroup(Path parent, Path group) {
        this.parent = parent;
        this.group = group;
    }

    /** Whether this machine has the controller, and this process may use it. */
    public static boolean isAvailable(String controller) {
        return Files.isWritable(ROOT.resolve(controller).resolve("cgroup.procs"));
    }

    /** @param name of groups of this process no two may have the same */
    public static ControlGroup make(String controller, String name) throws IOException {
        Path parent = ROOT.resolve(controller);
        Path group =
                parent.resolve("tatami-" + name + "-" + ProcessHandle.current().pid());
        Files.createDirectory(group);
        return new ControlGroup(parent, group);
    }

    /** Puts a process with all its threads into the group, and those that it starts from now on. */
    public void add(ProcessHandle process) throws IOException {
        write("cgroup.procs", Long.toString(process.pid()));
    }

    public void write(String file, String text) throws IOException {
        Files.writeString(group.resolve(file), text);
    }

    public String read(String file) throws IOException {
        return Files.readString(group.resolve(file)).strip();
    }

    /** Its processes, which may be ending just now, go back to the group above. Does nothing the second time. */
    @Override
    public void close() throws IOException {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(LIMIT_SECONDS);
        while (Files.exists(group)) {
            try {
                for (String pid : Files.readAllLines(group.resolve("cgroup.procs"))) {
                    Files.writeString(parent.resolve("cgroup.procs"), pid);
                }
                // A control group is a directory whose files cannot be deleted, and need not be.
                Files.deleteIfExists(group);
            } catch (IOException e) {
                if (System.nanoTime() - deadline > 0) {
                    throw e;
                }
                pause();
            }
        }
    }

    private static void pause() throws IOException {
        try {
            Thread.sleep(PAUSE_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while a control group's processes end", e);
        }
    }
}
