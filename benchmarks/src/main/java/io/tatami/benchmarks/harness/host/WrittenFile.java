package io.tatami.benchmarks.harness.host;

import io.tatami.server.lab.host.Program;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A file for a volume that has been written once, as those of a volume in use have been. Space that is taken but not
 * written yet costs a change of the file system's own metadata with the first write. Closing removes the file.
 */
public final class WrittenFile implements AutoCloseable {
    private static final int CALL_MEBIBYTES = 4;

    private final Path path;

    private WrittenFile(Path path) {
        this.path = path;
    }

    /** @param path is made, or made anew */
    public static WrittenFile make(Path path, long mebibytes) throws IOException, InterruptedException {
        Files.deleteIfExists(path);
        WrittenFile file = new WrittenFile(path);
        try {
            Files.createDirectories(path.toAbsolutePath().resolveSibling("."));
            Program.run("fallocate", "--length", mebibytes + "MiB", path.toString());
            Program.run(
                    "dd",
                    "if=/dev/zero",
                    "of=" + path,
                    "bs=" + CALL_MEBIBYTES + "M",
                    "count=" + mebibytes / CALL_MEBIBYTES,
                    "oflag=direct",
                    "conv=notrunc,fsync",
                    "status=none");
            return file;
        } catch (IOException | InterruptedException e) {
            file.close();
            throw e;
        }
    }

    public Path path() {
        return path;
    }

    @Override
    public void close() throws IOException {
        Files.deleteIfExists(path);
    }
}
