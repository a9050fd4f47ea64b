package io.tatami.meta.log;

import io.tatami.base.Check;
import io.tatami.meta.state.Draft;
import java.util.NavigableMap;

/**
 * One batch of decisions: the records they change, remembered replies among them. Holds what was decided and not what
 * was asked, so that replicas of different releases cannot come apart.
 *
 * @param index of the entry before this one, plus one: the state that it was decided on
 * @param logMillis log time at the decision; never falls from one entry to the next
 * @param changes owned by the entry from here on
 */
public record LogEntry(long index, long logMillis, NavigableMap<byte[], Draft.Change> changes) {
    public LogEntry {
        Check.check(index > 0, "entry index %d is not above 0", index);
    }
}
