package io.tatami.meta.state;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.MessageLite;
import com.google.protobuf.Parser;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Typed access to a draft's records. A value that does not parse is a corrupt store and stops the group: it was checked
 * by RocksDB's checksums when it was read, so it was written wrong.
 */
public class Records {
    private final Draft draft;

    Records(Draft draft) {
        this.draft = draft;
    }

    /** The draft under this, for scans. */
    public final Draft draft() {
        return draft;
    }

    final <T extends MessageLite> @Nullable T read(byte[] key, Parser<T> parser) {
        byte[] value = draft.get(key);
        return value == null ? null : parse(value, parser);
    }

    final <T extends MessageLite> T readOr(byte[] key, T absent, Parser<T> parser) {
        T value = read(key, parser);
        return value == null ? absent : value;
    }

    final void write(byte[] key, MessageLite record) {
        draft.put(key, record.toByteArray());
    }

    /** Under a key that was just minted. */
    final void writeNew(byte[] key, MessageLite record) {
        draft.putNew(key, record.toByteArray());
    }

    final void remove(byte[] key) {
        draft.delete(key);
    }

    /** A number that is stored under a key of its own. */
    final long longOr(byte[] key, long absent) {
        byte[] value = draft.get(key);
        return value == null ? absent : ByteBuffer.wrap(value).getLong();
    }

    final void writeLong(byte[] key, long number) {
        draft.put(key, ByteBuffer.allocate(Long.BYTES).putLong(number).array());
    }

    /** Takes the next value of a counter that is stored under its own key; the first is 1. */
    final long next(String counter) {
        long next = last(counter) + 1;
        writeLong(counterKey(counter), next);
        return next;
    }

    /** The value of a counter that was taken last; 0 before the first. */
    final long last(String counter) {
        return longOr(counterKey(counter), 0);
    }

    private static byte[] counterKey(String counter) {
        return Keys.singleton("counter." + counter);
    }

    /** A stored record as its message. */
    public static <T extends MessageLite> T parse(byte[] value, Parser<T> parser) {
        try {
            return parser.parseFrom(value);
        } catch (InvalidProtocolBufferException e) {
            throw new IllegalStateException("a stored record does not parse", e);
        }
    }
}
