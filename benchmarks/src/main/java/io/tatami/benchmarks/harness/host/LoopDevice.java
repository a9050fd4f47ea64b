package io.tatami.benchmarks.harness.host;

import io.tatami.server.lab.host.Program;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A file as a block device, past the page cache of the file system that the file is on. All are alike: of the same
 * size, with all of their space taken from that file system before anything is written. Closing removes the file.
 */
public final class LoopDevice implements AutoCloseable {
    private final Path file;
    private final Path device;

    private LoopDevice(Path file, Path device) {
        this.file = file;
        this.device = device;
    }

    /** @param file is made, or made anew */
    public static LoopDevice attach(Path file, int mebibytes) throws IOException, InterruptedException {
        Files.deleteIfExists(file);
        try {
            Program.run("fallocate", "--length", mebibytes + "MiB", file.toString());
            String device = Program.run("losetup", "--find", "--show", "--direct-io=on", file.toString());
            LoopDevice loop = new LoopDevice(file, Path.of(device));
            loop.checkDirect();
            return loop;
        } catch (IOException | InterruptedException e) {
            Files.deleteIfExists(file);
            throw e;
        }
    }

    /** The kernel goes on through its cache, and says nothing, where the file's own file system does not allow more. */
    private void checkDirect() throws IOException, InterruptedException {
        if (!setting("loop/dio").equals("1")) {
            close();
            throw new IOException("the kernel reads " + file + " through its page cache; put --work on ext4 or XFS");
        }
    }

    public Path path() {
        return device;
    }

    /** The kernel's number for it, as its events have it: major number times 2^20 plus minor number. */
    public long number() throws IOException {
        String[] numbers = setting("dev").split(":", -1);
        return (Long.parseLong(numbers[0]) << 20) + Long.parseLong(numbers[1]);
    }

    /** What the kernel tells of it in {@code /sys/block}. */
    public String setting(String name) throws IOException {
        return Files.readString(Path.of("/sys/block", device.getFileName().toString(), name))
                .strip();
    }

    @Override
    public void close() throws IOException {
        try {
            Program.run("losetup", "--detach", device.toString());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while detaching " + device, e);
        } finally {
            Files.deleteIfExists(file);
        }
    }
}
