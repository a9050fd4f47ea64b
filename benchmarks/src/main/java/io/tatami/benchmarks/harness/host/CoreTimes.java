package io.tatami.benchmarks.harness.host;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * What all cores of this machine have done since its start, for all programs, in ticks of the kernel's.
 *
 * @param busy of {@code all}
 */
public record CoreTimes(long busy, long all) {
    private static final Path STAT = Path.of("/proc/stat");

    /** The columns of proc(5) up to {@code steal}; what is behind them is counted in the first two already. */
    private static final int COLUMNS = 8;

    private static final int IDLE = 3;
    private static final int IO_WAIT = 4;

    public static CoreTimes now() throws IOException {
        return parse(Files.readAllLines(STAT).get(0));
    }

    /** @param line the one of proc(5)'s {@code stat} that begins with {@code cpu} */
    static CoreTimes parse(String line) {
        String[] words = line.trim().split("\\s+");
        long[] ticks = Arrays.stream(words)
                .skip(1)
                .limit(COLUMNS)
                .mapToLong(Long::parseLong)
                .toArray();
        long all = Arrays.stream(ticks).sum();
        return new CoreTimes(all - ticks[IDLE] - ticks[IO_WAIT], all);
    }

    /** Of the time since then, on average of all cores; 0 where none has gone. */
    public double busyPercentSince(CoreTimes begin) {
        return all == begin.all ? 0 : 100.0 * (busy - begin.busy) / (all - begin.all);
    }
}
