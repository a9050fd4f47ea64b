package io.tatami.benchmarks.workload.scan;

import io.tatami.benchmarks.harness.host.LoopDevice;
import io.tatami.benchmarks.harness.peer.Peer;
import io.tatami.server.lab.host.Program;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;

/**
 * ext4 or XFS on a device of its own, with the defaults of both but for what would go on in the background. Hadoop's
 * clients reach it by Hadoop's file system of local files, without the checksums that this can keep beside them.
 */
final class MountedFileSystem implements Peer {
    private static final long UNMOUNT_LIMIT_SECONDS = 20;
    private static final long POLL_MILLIS = 200;

    private final String name;
    private final Path directory;
    private boolean isMounted = true;

    private MountedFileSystem(String name, Path directory) {
        this.name = name;
        this.directory = directory;
    }

    /** Whether the program that makes {@code name} is there, or could be installed. */
    static boolean canBeMade(String name) throws InterruptedException {
        return Program.isAvailable("mkfs." + name, "-V", name.equals("xfs") ? "xfsprogs" : "e2fsprogs");
    }

    /**
     * Makes one and mounts it.
     *
     * @param name {@code ext4} or {@code xfs}
     * @param directory is made
     */
    static MountedFileSystem mount(String name, LoopDevice device, Path directory)
            throws IOException, InterruptedException {
        Program.run(makingOn(name, device).toArray(String[]::new));
        Files.createDirectories(directory);
        Program.run("mount", "-t", name, device.path().toString(), directory.toString());
        return new MountedFileSystem(name, directory);
    }

    /**
     * Nothing is discarded, which would take the device's space from it again, and nothing is left to be written later.
     */
    private static List<String> makingOn(String name, LoopDevice device) {
        String path = device.path().toString();
        return name.equals("xfs")
                ? List.of("mkfs.xfs", "-q", "-K", path)
                : List.of("mkfs.ext4", "-q", "-E", "nodiscard,lazy_itable_init=0,lazy_journal_init=0", path);
    }

    Path directory() {
        return directory;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public Configuration configuration() {
        Configuration configuration = new Configuration();
        configuration.set("fs.defaultFS", "file:///");
        configuration.set("fs.file.impl", "org.apache.hadoop.fs.RawLocalFileSystem");
        return configuration;
    }

    /** None: the kernel works in the client's time. */
    @Override
    public List<ProcessHandle> servers() {
        return List.of();
    }

    /** Those who had files open on it may be about to end only. */
    @Override
    public void close() throws IOException {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(UNMOUNT_LIMIT_SECONDS);
        try {
            while (isMounted) {
                try {
                    Program.run("umount", directory.toString());
                    isMounted = false;
                } catch (IOException e) {
                    if (System.nanoTime() - deadline > 0) {
                        throw e;
                    }
                    Thread.sleep(POLL_MILLIS);
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while unmounting " + directory, e);
        }
    }
}
