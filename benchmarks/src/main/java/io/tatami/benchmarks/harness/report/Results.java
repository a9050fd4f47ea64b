package io.tatami.benchmarks.harness.report;

import io.tatami.base.Clock;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.LocalDateTime;
import java.time.format.DateTimeFormatter;
import java.util.Arrays;
import java.util.List;

/**
 * The raw figures of one benchmark run: printed as they come, and kept in a file of comma-separated values. On a
 * terminal it is also told how far the run is.
 */
public final class Results implements AutoCloseable {
    private final Path file;
    private final PrintWriter writer;
    private final TurnLine turnLine = new TurnLine(Screen.OF_PROCESS);

    /**
     * Begins a file, with a remark of what the environment gives servers and clients of Tatami ({@code TATAMI_OPTS}).
     *
     * @param directory made where it is missing; the file's name is the workload and the time
     */
    public Results(Path directory, String workload, List<String> columns) throws IOException {
        Files.createDirectories(directory);
        String time = LocalDateTime.now().format(DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss"));
        this.file = directory.resolve(workload + "-" + time + ".csv");
        this.writer = new PrintWriter(
                Files.newBufferedWriter(file, StandardCharsets.UTF_8, StandardOpenOption.CREATE_NEW), true);
        writer.println(String.join(",", columns));
        String options = System.getenv("TATAMI_OPTS");
        if (options != null && !options.isBlank()) {
            remark("TATAMI_OPTS: " + options);
        }
    }

    /** Adds a row; values with commas are not for here. */
    public void row(Object... values) {
        String line =
                String.join(",", Arrays.stream(values).map(String::valueOf).toList());
        writer.println(line);
        Screen.OF_PROCESS.print(System.out, line);
    }

    /** A line that is no row: what was compared and how. */
    public void remark(String text) {
        writer.println("# " + text);
        Screen.OF_PROCESS.print(System.out, text);
    }

    /**
     * The progress of the run, shown on a terminal from now on.
     *
     * @param rounds how many there are
     * @param each turns of a round
     */
    public RoundTurns turns(int rounds, int each) {
        RoundTurns turns = new RoundTurns(rounds, each, Clock.SYSTEM);
        turnLine.follow(turns);
        return turns;
    }

    public Path file() {
        return file;
    }

    /** The middle value; the mean of the two middle ones of an even number. */
    public static double median(List<Double> values) {
        double[] sorted =
                values.stream().mapToDouble(Double::doubleValue).sorted().toArray();
        int middle = sorted.length / 2;
        return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    }

    @Override
    public void close() {
        turnLine.close();
        writer.close();
    }
}
