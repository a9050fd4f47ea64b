package io.tatami.base;

/**
 * The layout of ids that a shard mints by itself: they tell their home shard, and a shard that was restored from a
 * backup mints under a new epoch, so that it never gives an id twice.
 *
 * <pre>
 *  63 62        55 54        47 46                                        0
 * +--+------------+------------+------------------------------------------+
 * | 0|   shard    |   epoch    |                 counter                  |
 * +--+------------+------------+------------------------------------------+
 * </pre>
 */
final class MintedId {
    static final int SHARD_SHIFT = 55;
    static final int EPOCH_SHIFT = 47;
    static final int FIELD_MASK = 0xff;
    static final long COUNTER_MAX = (1L << EPOCH_SHIFT) - 1;

    private MintedId() {}

    /**
     * @param shard 0 to 255
     * @param epoch the shard's restore epoch, 0 to 255
     * @param counter the shard's logged counter, 1 to {@link #COUNTER_MAX}
     */
    static long of(int shard, int epoch, long counter) {
        Check.check((shard & ~FIELD_MASK) == 0, "shard %d is out of range", shard);
        Check.check((epoch & ~FIELD_MASK) == 0, "epoch %d is out of range", epoch);
        Check.check(counter > 0 && counter <= COUNTER_MAX, "counter %d is out of range", counter);
        return (long) shard << SHARD_SHIFT | (long) epoch << EPOCH_SHIFT | counter;
    }

    static int shard(long id) {
        return (int) (id >>> SHARD_SHIFT) & FIELD_MASK;
    }
}
