package io.tatami.meta.state;

import org.jspecify.annotations.Nullable;

/**
 * A group's records as of one moment: what {@code decide} reads. A view does not change under its reader.
 * Implementations may be used by one thread at a time.
 *
 * <p>Arrays that go in or come out belong to nobody: neither side changes one after it was handed over.
 */
public interface View {
    /** The value of {@code key}, or null where there is none. */
    byte @Nullable [] get(byte[] key);

    /**
     * The records with {@code from <= key < to}, keys compared as unsigned bytes, in rising order. The cursor is read
     * and closed before the view is used for anything that changes a draft.
     */
    Cursor scan(byte[] from, byte[] to);

    /** A walk over records; closed by whoever asked for it. */
    interface Cursor extends AutoCloseable {
        /** Moves to the next record; false where there is none. The first call moves to the first. */
        boolean next();

        /** The key of the current record. */
        byte[] key();

        /** The value of the current record. */
        byte[] value();

        @Override
        void close();
    }
}
