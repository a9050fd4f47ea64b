package io.tatami.crash;

import static org.junit.jupiter.api.Assumptions.abort;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * An ext4 file system in a file, mounted for the length of a test. Needs root: the test is skipped, with the reason,
 * where that is missing. Used by one thread.
 */
public final class LoopMount implements AutoCloseable {
    private static final int COPIES_MAX = 50;

    private final Path image;
    private final Path directory;
    private boolean mounted;

    private LoopMount(Path image, Path directory) throws IOException {
        this.image = image;
        this.directory = directory;
        Files.createDirectories(directory);
        run("mount", "-o", "loop", image.toString(), directory.toString());
        mounted = true;
    }

    /** Makes the file system. */
    public static LoopMount make(Path image, long sizeBytes, Path directory) throws IOException {
        if (!"root".equals(System.getProperty("user.name"))) {
            abort("mounting a file system needs root");
        }
        try (RandomAccessFile file = new RandomAccessFile(image.toFile(), "rw")) {
            file.setLength(sizeBytes);
        }
        run("mkfs.ext4", "-q", "-F", image.toString());
        try {
            return new LoopMount(image, directory);
        } catch (IOException e) {
            return abort("no loop mount: " + e.getMessage());
        }
    }

    /** Mounts a file system that was made before; its journal is replayed. */
    public static LoopMount mount(Path image, Path directory) throws IOException {
        return new LoopMount(image, directory);
    }

    public Path directory() {
        return directory;
    }

    /**
     * What the device holds at one moment, and nothing of what the kernel still keeps from it. The kernel may write
     * while the copy is made, so that is made again until it is equal to the device afterwards: then nothing was
     * written from the end of the copying to the beginning of the comparison.
     */
    public void copyTo(Path copy) throws IOException {
        for (int tries = 1; true; tries++) {
            run("cp", "--sparse=always", image.toString(), copy.toString());
            try {
                run("cmp", image.toString(), copy.toString());
                return;
            } catch (IOException e) {
                if (tries == COPIES_MAX) {
                    throw e;
                }
            }
        }
    }

    @Override
    public void close() throws IOException {
        if (mounted) {
            run("umount", directory.toString());
            mounted = false;
        }
    }

    static void run(String... command) throws IOException {
        Process process =
                new ProcessBuilder(List.of(command)).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).trim();
        try {
            if (process.waitFor() != 0) {
                throw new IOException(String.join(" ", command) + ": " + output);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }
}
