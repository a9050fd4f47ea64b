package io.tatami.client.meta;

import io.tatami.base.Check;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * The numbers of a session's requests, rising from 1, and the low-water mark: the number up to which nobody waits for a
 * reply any more. A request that was given up counts as ended: a server that sees it later finds its number below the
 * mark and refuses it. Safe for use by many threads.
 */
final class RequestNumbers {
    private final SortedSet<Long> open = new TreeSet<>();
    private long last;

    /** The next number, open from now on. */
    synchronized long begin() {
        open.add(++last);
        return last;
    }

    /** Nobody waits for this number's reply any more. */
    synchronized void end(long number) {
        Check.check(open.remove(number), "request %d ended twice", number);
    }

    synchronized long lowWaterMark() {
        return open.isEmpty() ? last : open.first() - 1;
    }
}
