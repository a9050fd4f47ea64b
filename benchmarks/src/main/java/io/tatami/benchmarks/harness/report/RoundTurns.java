package io.tatami.benchmarks.harness.report;

import io.tatami.base.Clock;
import java.util.concurrent.TimeUnit;

/**
 * How far a benchmark is: its rounds, the turns of each round, and the time that is left. All turns count as equally
 * long. Safe for use by many threads.
 */
public final class RoundTurns {
    private final int rounds;
    private final int each;
    private final Clock clock;
    private int begun;
    private long firstNanos;
    private long currentNanos;

    /** @param each turns of a round */
    RoundTurns(int rounds, int each, Clock clock) {
        this.rounds = rounds;
        this.each = Math.max(1, each);
        this.clock = clock;
    }

    /** The next turn begins, and the one before has ended. */
    public synchronized void next() {
        currentNanos = clock.monotonicNanos();
        if (begun == 0) {
            firstNanos = currentNanos;
        }
        begun++;
    }

    /** For people; empty before the first turn. */
    synchronized String text() {
        if (begun == 0) {
            return "";
        }
        int before = begun - 1;
        String round = rounds == 1 ? "" : "round " + (before / each + 1) + " of " + rounds + ", ";
        String turn = each == 1 ? "" : "turn " + (before % each + 1) + " of " + each + ", ";
        return round + turn + time(clock.monotonicNanos() - firstNanos) + " so far, " + left();
    }

    private String left() {
        int before = begun - 1;
        if (before == 0) {
            return "the time left is not known yet";
        }
        long mean = (currentNanos - firstNanos) / before;
        long ofCurrent = Math.max(0, mean - (clock.monotonicNanos() - currentNanos));
        long ofOthers = mean * Math.max(0, rounds * each - begun);
        return "about " + time(ofCurrent + ofOthers) + " left";
    }

    private static String time(long nanos) {
        return Progress.time(TimeUnit.NANOSECONDS.toSeconds(nanos));
    }
}
