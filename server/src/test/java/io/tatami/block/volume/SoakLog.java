package io.tatami.block.volume;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A long run of seeds that can be broken off: each range of seeds that went well is a line of a log, with what it
 * counted, and the next run goes on behind the last line. Logs lie in {@code soak/} of the module, which git ignores
 * and a clean build keeps. {@code -Dtatami.soak.log} names another log, {@code -Dtatami.soak.seconds} ends a run early;
 * {@code -Dtatami.test.seed} does that seed alone and logs nothing.
 */
public final class SoakLog {
    private static final Pattern RANGE = Pattern.compile("seeds (\\d+) to (\\d+): (.*); .*");
    private static final Pattern COUNT = Pattern.compile("(\\d+) ([^,]+)");

    private final Path log;
    private final int rangeSeeds;
    private final Map<String, Long> totals = new TreeMap<>();
    private long nextSeed = 1;

    private SoakLog(Path log, int rangeSeeds) throws IOException {
        this.log = log;
        this.rangeSeeds = rangeSeeds;
        if (Files.exists(log)) {
            Files.readAllLines(log).forEach(this::learn);
        }
    }

    /** What one seed does; fails where it must not go on. */
    @FunctionalInterface
    public interface Seed {
        /** @param counts what is to be added up */
        void run(long seed, Map<String, Long> counts) throws Exception;
    }

    /**
     * Runs seeds from where the log ends up to {@code seeds}.
     *
     * @param name of the log where none is named
     * @param rangeSeeds how many make a line
     */
    public static void run(String name, int rangeSeeds, long seeds, Seed body) throws Exception {
        run(name, rangeSeeds, seeds, body, totals -> {});
    }

    /**
     * @param judge is given what all seeds counted, as the log has it, once they are done; fails where that is too
     *     little
     */
    public static void run(String name, int rangeSeeds, long seeds, Seed body, Consumer<Map<String, Long>> judge)
            throws Exception {
        Long only = Long.getLong("tatami.test.seed");
        if (only != null) {
            body.run(only, new TreeMap<>());
            return;
        }
        SoakLog soak = new SoakLog(Path.of(System.getProperty("tatami.soak.log", "soak/" + name)), rangeSeeds);
        long endNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(Long.getLong("tatami.soak.seconds", 1_000_000));
        while (soak.nextSeed <= seeds && System.nanoTime() < endNanos) {
            soak.runRange(Math.min(seeds, soak.nextSeed + soak.rangeSeeds - 1), body);
        }
        if (soak.nextSeed > seeds) {
            soak.append("all " + seeds + " seeds: " + text(soak.totals));
            judge.accept(soak.totals);
        }
    }

    private void runRange(long lastSeed, Seed body) throws Exception {
        long begunNanos = System.nanoTime();
        Map<String, Long> counts = new TreeMap<>();
        for (long seed = nextSeed; seed <= lastSeed; seed++) {
            body.run(seed, counts);
        }
        long seconds = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - begunNanos);
        String range = "seeds " + nextSeed + " to " + lastSeed + ": " + text(counts) + "; ";
        append(range + seconds + " s, " + Instant.now().truncatedTo(ChronoUnit.SECONDS) + ", commit " + commit());
        learn(range);
    }

    private void learn(String line) {
        Matcher range = RANGE.matcher(line);
        if (!range.matches()) {
            return;
        }
        nextSeed = Long.parseLong(range.group(2)) + 1;
        Matcher count = COUNT.matcher(range.group(3));
        while (count.find()) {
            totals.merge(count.group(2).strip(), Long.parseLong(count.group(1)), Long::sum);
        }
    }

    private static String text(Map<String, Long> counts) {
        StringBuilder text = new StringBuilder();
        counts.forEach((what, count) -> text.append(text.isEmpty() ? "" : ", ")
                .append(count)
                .append(' ')
                .append(what));
        return text.toString();
    }

    private void append(String line) {
        try {
            Files.createDirectories(log.toAbsolutePath().getParent());
            Files.writeString(log, line + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String commit() throws IOException {
        Process git = new ProcessBuilder("git", "rev-parse", "--short", "HEAD").start();
        return new String(git.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
    }
}
