package io.tatami.linear.check;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A call with what came of it. Times are counts of one counter for all clients: an operation that returned below
 * another's invocation was over before that began.
 *
 * @param returned {@link #NEVER} where the outcome is unknown: then it may take effect at any time from its invocation
 *     on, or never
 * @param result as {@link FileTree} tells it; {@link #UNKNOWN} where it is
 */
public record Operation(int client, long invoked, long returned, Call call, String result) {
    public static final long NEVER = Long.MAX_VALUE;
    public static final String UNKNOWN = "?";

    private static final Pattern LINE = Pattern.compile("c(\\d+) (\\d+) (\\d+|-) (.*) -> (.*)");

    public boolean isUnknown() {
        return returned == NEVER;
    }

    /** The same as if its client had never heard of it again. */
    public Operation forgotten() {
        return new Operation(client, invoked, NEVER, call, UNKNOWN);
    }

    public Operation withResult(String other) {
        return new Operation(client, invoked, returned, call, other);
    }

    @Override
    public String toString() {
        return "c" + client + " " + invoked + " " + (isUnknown() ? "-" : returned) + " " + call + " -> " + result;
    }

    /** @throws IllegalArgumentException where {@link #toString} did not make the line */
    public static Operation parse(String line) {
        Matcher parts = LINE.matcher(line);
        if (!parts.matches()) {
            throw new IllegalArgumentException("not an operation of a history: " + line);
        }
        return new Operation(
                Integer.parseInt(parts.group(1)),
                Long.parseLong(parts.group(2)),
                parts.group(3).equals("-") ? NEVER : Long.parseLong(parts.group(3)),
                Call.parse(parts.group(4)),
                parts.group(5));
    }
}
