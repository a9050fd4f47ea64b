package io.tatami.benchmarks.workload.chaos;

import java.io.IOException;
import java.util.List;
import org.apache.hadoop.fs.BlockLocation;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/** Fills the disk of the node on which it runs, by files of one copy, until one of them lies elsewhere. */
final class DiskFilling {
    private static final int FILES_MAX = 4_000;
    private static final int FILE_BYTES = 4 << 20;

    private final FileSystem fs;
    private final String node;
    private final Path directory;

    DiskFilling(FileSystem fs, String node) {
        this.fs = fs;
        this.node = node;
        this.directory = new Path("/filling-" + node);
    }

    /** How many files there are when the disk takes no more. */
    String fill() throws IOException {
        byte[] bytes = new byte[FILE_BYTES];
        for (int number = 0; number < FILES_MAX; number++) {
            SeededContent.fill(number + 1, 0, bytes, bytes.length);
            Path path = new Path(directory, "f" + number);
            try (FSDataOutputStream out = fs.create(path, true)) {
                out.write(bytes);
            } catch (IOException e) {
                return number + " files of 4 MiB, then " + e;
            }
            BlockLocation[] blocks = fs.getFileBlockLocations(path, 0, FILE_BYTES);
            if (!List.of(blocks[0].getHosts()).contains(node)) {
                return number + " files of 4 MiB, then one elsewhere";
            }
        }
        return FILES_MAX + " files of 4 MiB, and room for more";
    }

    String empty() throws IOException {
        fs.delete(directory, true);
        return "";
    }
}
