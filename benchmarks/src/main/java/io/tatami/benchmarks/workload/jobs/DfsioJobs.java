package io.tatami.benchmarks.workload.jobs;

import io.tatami.benchmarks.harness.yarn.HadoopTool;
import java.io.IOException;
import java.nio.file.Files;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.TestDFSIO;

/** Hadoop's TestDFSIO as a job; speed is measured by {@code bench dfsio}, here it only has to work. */
final class DfsioJobs {
    private static final long MIB = 1 << 20;

    private final Configuration configuration;
    private final Path directory;
    private final java.nio.file.Path results;

    /** @param results a local file that TestDFSIO appends its report to */
    DfsioJobs(Configuration configuration, Path directory, java.nio.file.Path results) {
        this.configuration = new Configuration(configuration);
        this.configuration.set("test.build.data", directory.toString());
        this.directory = directory;
        this.results = results;
    }

    /** @throws IOException where a job fails or not all bytes are there */
    String run(int files, int mebibytesEach) throws Exception {
        run("-write", files, mebibytesEach);
        FileSystem fs = directory.getFileSystem(configuration);
        long bytes = 0;
        for (FileStatus file : fs.listStatus(new Path(directory, "io_data"))) {
            bytes += file.getLen();
        }
        long expected = files * mebibytesEach * MIB;
        if (bytes != expected) {
            throw new IOException("TestDFSIO wrote " + bytes + " bytes, not " + expected);
        }
        run("-read", files, mebibytesEach);
        long reports = Files.readAllLines(results).stream()
                .filter(line -> line.contains("Number of files: " + files))
                .count();
        if (reports != 2) {
            throw new IOException("TestDFSIO left " + reports + " reports:\n" + Files.readString(results));
        }
        return files + " files of " + mebibytesEach + " MiB were written and read";
    }

    private void run(String what, int files, int mebibytesEach) throws Exception {
        HadoopTool.run(
                configuration,
                new TestDFSIO(),
                what,
                "-nrFiles",
                String.valueOf(files),
                "-size",
                mebibytesEach + "MB",
                "-resFile",
                results.toString());
    }
}
