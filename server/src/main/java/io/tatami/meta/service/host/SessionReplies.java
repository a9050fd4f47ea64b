package io.tatami.meta.service.host;

import java.util.TreeSet;

/** Which replies of one session are remembered. Owned by the group's thread. */
final class SessionReplies {
    private final TreeSet<Long> numbers = new TreeSet<>();
    private long floor;
    private long lowWaterMark;
    private long lastHeardNanos;

    SessionReplies(long nowNanos) {
        lastHeardNanos = nowNanos;
    }

    /** The request numbers whose replies are stored, rising. */
    TreeSet<Long> numbers() {
        return numbers;
    }

    /** As it is stored: what was at or below it is forgotten. */
    long floor() {
        return floor;
    }

    void setFloor(long number) {
        floor = number;
    }

    /** The client has the replies up to this number; at or above the floor. */
    long lowWaterMark() {
        return Math.max(lowWaterMark, floor);
    }

    void heard(long mark, long nowNanos) {
        lowWaterMark = Math.max(lowWaterMark, mark);
        lastHeardNanos = nowNanos;
    }

    long lastHeardNanos() {
        return lastHeardNanos;
    }
}
