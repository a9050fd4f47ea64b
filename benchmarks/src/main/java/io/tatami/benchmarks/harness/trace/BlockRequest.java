package io.tatami.benchmarks.harness.trace;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A request that the kernel gave to a device, from a line of its trace such as
 *
 * <pre>{@code
 * Thread-7-1234 [001] ..... 51.000123: block_rq_issue: 7,0 R 1310720 () 2048 + 2560 none,0,0 [Thread-7]
 * }</pre>
 *
 * where older kernels leave out the priority before the name.
 *
 * @param seconds by the kernel's clock
 * @param kind the kernel's letters: {@code R} read, {@code W} write, {@code D} discard, {@code F} flush, and others for
 *     how
 * @param sector the first, in units of 512 bytes
 * @param sectors how many; 0 for a flush
 * @param process the name of the thread that gave it
 */
public record BlockRequest(double seconds, String kind, long sector, long sectors, String process) {
    public static final int SECTOR_BYTES = 512;

    private static final Pattern LINE = Pattern.compile(
            ".*?\\s(\\d+\\.\\d+): block_rq_issue: \\d+,\\d+ (\\S+) \\d+ \\(.*?\\) (\\d+) \\+ (\\d+) (?:\\S+,\\d+,\\d+ )?\\[(.*)\\]");

    /** Nothing where the line tells of something else. */
    static Optional<BlockRequest> parse(String line) {
        Matcher matcher = LINE.matcher(line);
        if (!matcher.matches()) {
            return Optional.empty();
        }
        return Optional.of(new BlockRequest(
                Double.parseDouble(matcher.group(1)),
                matcher.group(2),
                Long.parseLong(matcher.group(3)),
                Long.parseLong(matcher.group(4)),
                matcher.group(5)));
    }

    boolean isRead() {
        return kind.startsWith("R");
    }

    /** Without bytes of its own. */
    boolean isFlush() {
        return sectors == 0 && kind.startsWith("F");
    }

    /** The sector after the last. */
    long end() {
        return sector + sectors;
    }

    long bytes() {
        return sectors * SECTOR_BYTES;
    }
}
