package io.tatami.meta.state;

import org.jspecify.annotations.Nullable;

/**
 * A layer over a group's stored records, which is seen before them. A {@link View} is the database with layers over it;
 * each layer sees only those below it. From the top:
 *
 * <pre>
 *  layer       class             holds                                   seen by                    until
 *  operation   Draft             the writes of the operation             the operation              it is refused, or its batch
 *                                                                                                   takes them
 *  recent      RecentRecords     nothing of its own: the records that    the group's thread         others were used since
 *                                were read or changed last
 *  batch       Draft             the writes of the earlier requests of   later requests of the      the batch is durable and
 *                                the batch                               batch                      applied, or the group stops
 *  volatile    VolatileRecords   records of kind ~, from the moment at   all                        the leader's term ends
 *                                which a request is accepted
 *  singletons  SingletonRecords  nothing of its own: records of kind m,  all but snapshots          the store is closed
 *                                as they are applied
 *  unwritten   UnwrittenChanges  entries that are applied and that       all but snapshots          RocksDB has them: before any
 *                                RocksDB has not been given                                         walk, and before a snapshot
 *  database    StoreView         what RocksDB was given                  all
 * </pre>
 *
 * <p>A change is decided on all layers. A read is decided on durable records: on the group's thread, between two
 * batches, with <i>recent</i> below <i>volatile</i>; on another thread without <i>recent</i>; or on a snapshot of the
 * database with <i>volatile</i> over it.
 *
 * <p>The operation, the batch and the unwritten entries are the same thing, {@link Changes}. The other layers are not.
 * <i>Volatile</i> holds records that are nowhere below it, in a map that many threads read. <i>Recent</i> and
 * <i>singletons</i> change nothing of what is seen, and exist for speed. <i>Recent</i> is for one thread, is bounded,
 * and holds records that are not durable yet. <i>Singletons</i> is for all threads, and holds applied records only.
 */
@FunctionalInterface
public interface Layer {
    /** The records of {@code below}, seen through this layer. The view follows the changes of both. */
    View over(View below);

    /** A view with look-ups of its own; its walks are those of {@code below}. */
    static View lookups(View below, Lookup lookup) {
        return new View() {
            @Override
            public byte @Nullable [] get(byte[] key) {
                return lookup.get(key);
            }

            @Override
            public Cursor scan(byte[] from, byte[] to) {
                return below.scan(from, to);
            }
        };
    }

    /** As {@link View#get}. */
    @FunctionalInterface
    interface Lookup {
        byte @Nullable [] get(byte[] key);
    }
}
