package io.tatami.benchmarks.harness.host;

import io.tatami.server.lab.host.Program;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;
import java.util.concurrent.TimeUnit;

/**
 * What the disk itself gives: fio with O_DIRECT in units of 4 MiB on one file, the better of plain system calls and
 * io_uring at depth 4. Where fio is not there it is installed from Debian's packages, which needs root; else there is
 * no ceiling and the results say so.
 */
public final class DeviceCeiling {
    /** By how much the ceilings before and after a round may differ for the round to count. */
    public static final double SPREAD_MAX = 0.15;

    private static final List<List<String>> ENGINES =
            List.of(List.of("--ioengine=psync"), List.of("--ioengine=io_uring", "--iodepth=4"));
    private static final int FIO_BANDWIDTH_FIELD_READ = 6;
    private static final int FIO_BANDWIDTH_FIELD_WRITE = 47;
    private static final long LIMIT_SECONDS = 300;

    private final Path file;
    private final String size;

    /** Bytes a second of one sequential writer and of one sequential reader. */
    public record Speed(double writeBytesPerSecond, double readBytesPerSecond) {
        /**
         * Whether a round between the two counts: in neither direction do they differ by more than {@link #SPREAD_MAX}.
         */
        public boolean isNear(Speed other) {
            return spread(writeBytesPerSecond, other.writeBytesPerSecond) <= SPREAD_MAX
                    && spread(readBytesPerSecond, other.readBytesPerSecond) <= SPREAD_MAX;
        }

        private static double spread(double left, double right) {
            return Math.abs(left - right) / Math.max(left, right);
        }
    }

    /**
     * @param directory on the disk in question
     * @param mebibytes how much is written and read
     */
    public DeviceCeiling(Path directory, int mebibytes) {
        this.file = directory.resolve("ceiling.fio");
        this.size = mebibytes + "m";
    }

    /** Makes fio available; false where it is not and cannot be. */
    public static boolean isAvailable() throws InterruptedException {
        return Program.isAvailable("fio", "--version", "fio");
    }

    /** Measures both directions; the file is rewritten in place when it is there already, and stays. */
    public Speed measure() throws IOException, InterruptedException {
        if (!Files.exists(file)) {
            run("write", ENGINES.get(0));
        }
        return new Speed(best("write"), best("read"));
    }

    /** Removes the file. */
    public void remove() throws IOException {
        Files.deleteIfExists(file);
    }

    private double best(String direction) throws IOException, InterruptedException {
        OptionalDouble best = OptionalDouble.empty();
        for (List<String> engine : ENGINES) {
            double speed = run(direction, engine);
            best = OptionalDouble.of(Math.max(speed, best.orElse(0)));
        }
        return best.orElseThrow();
    }

    private double run(String direction, List<String> engine) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(
                "fio",
                "--name=ceiling",
                "--filename=" + file,
                "--rw=" + direction,
                "--bs=4m",
                "--direct=1",
                "--size=" + size,
                "--end_fsync=1",
                "--refill_buffers",
                "--minimal"));
        command.addAll(engine);
        Process process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        String line;
        try (BufferedReader reader =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            line = reader.readLine();
        }
        if (!process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS) || process.exitValue() != 0 || line == null) {
            process.destroyForcibly();
            throw new IOException("fio failed: " + String.join(" ", command));
        }
        int field = direction.equals("read") ? FIO_BANDWIDTH_FIELD_READ : FIO_BANDWIDTH_FIELD_WRITE;
        return Double.parseDouble(line.split(";", -1)[field]) * 1024;
    }
}
