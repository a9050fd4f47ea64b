package io.tatami.benchmarks.workload.jobs;

import io.tatami.benchmarks.harness.yarn.HadoopTool;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.examples.terasort.TeraGen;
import org.apache.hadoop.examples.terasort.TeraSort;
import org.apache.hadoop.examples.terasort.TeraValidate;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/** Hadoop's TeraGen, TeraSort and TeraValidate; what was sorted is what was generated. */
final class TeraJobs {
    private static final int ROW_BYTES = 100;

    private final Configuration configuration;
    private final Path directory;

    TeraJobs(Configuration configuration, Path directory) {
        this.configuration = configuration;
        this.directory = directory;
    }

    /** @throws IOException where a job fails, rows are out of order, or others than those generated */
    String run(int rows) throws Exception {
        Path generated = new Path(directory, "generated");
        Path sorted = new Path(directory, "sorted");
        Path report = new Path(directory, "report");
        HadoopTool.run(
                configuration, new TeraGen(), "-Dmapreduce.job.maps=2", String.valueOf(rows), generated.toString());
        HadoopTool.run(
                configuration, new TeraSort(), "-Dmapreduce.job.reduces=2", generated.toString(), sorted.toString());
        HadoopTool.run(configuration, new TeraValidate(), sorted.toString(), report.toString());
        String expected = "checksum\t" + checksum(generated, rows);
        String told = report(report);
        if (!told.equals(expected)) {
            throw new IOException("TeraValidate tells \"" + told + "\", not \"" + expected + "\"");
        }
        return rows + " rows were generated and sorted by key; " + told.replace('\t', ' ');
    }

    /** The sum of the rows' CRC32, as TeraValidate tells it, of rows read here and by no job. */
    private String checksum(Path generated, int rows) throws IOException {
        FileSystem fs = generated.getFileSystem(configuration);
        BigInteger sum = BigInteger.ZERO;
        int read = 0;
        byte[] row = new byte[ROW_BYTES];
        for (FileStatus file : fs.listStatus(generated, path -> path.getName().startsWith("part-"))) {
            try (FSDataInputStream in = fs.open(file.getPath())) {
                for (long left = file.getLen(); left > 0; left -= ROW_BYTES) {
                    in.readFully(row);
                    CRC32 crc = new CRC32();
                    crc.update(row);
                    sum = sum.add(BigInteger.valueOf(crc.getValue()));
                    read++;
                }
            }
        }
        if (read != rows) {
            throw new IOException("TeraGen made " + read + " rows, not " + rows);
        }
        return sum.toString(16);
    }

    private String report(Path report) throws IOException {
        FileSystem fs = report.getFileSystem(configuration);
        StringBuilder text = new StringBuilder();
        for (FileStatus file : fs.listStatus(report, path -> path.getName().startsWith("part-"))) {
            try (FSDataInputStream in = fs.open(file.getPath())) {
                text.append(new String(in.readAllBytes(), StandardCharsets.UTF_8));
            }
        }
        return text.toString().trim();
    }
}
