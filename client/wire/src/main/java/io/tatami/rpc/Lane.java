package io.tatami.rpc;

import io.tatami.base.Check;

/**
 * Tells apart the connections of one client to one address. Calls share {@link #CONTROL}; bulk streams run on lanes of
 * their own, because a side that takes nothing stops its whole connection.
 *
 * @param number 0 for control, above 0 for bulk
 */
public record Lane(int number) {
    public static final Lane CONTROL = new Lane(0);

    public Lane {
        Check.check(number >= 0, "lane %d is negative", number);
    }

    /** The bulk lane {@code index}, 0 and above. */
    public static Lane bulk(int index) {
        return new Lane(index + 1);
    }
}
