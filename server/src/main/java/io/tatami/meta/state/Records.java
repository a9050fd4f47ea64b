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
        byte[] key = Keys.singleton("counter." + counter);
        long next = longOr(key, 0) + 1;
        writeLong(key, next);
        return next;
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
