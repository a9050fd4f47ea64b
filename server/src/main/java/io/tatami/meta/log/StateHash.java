package io.tatami.meta.log;

import io.tatami.meta.state.Draft;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.zip.CRC32;
import java.util.zip.CRC32C;

/**
 * A running hash over a group's entries, by which replicas notice that they have come apart: CRC-32 and CRC-32C beside
 * each other, over the hash before and the entry. Their polynomials have no common factor, so together they are a CRC
 * of 64 bits: what differs once differs after every later entry, unless another difference happens to undo it. Two,
 * because Java computes each as fast as it reads memory.
 */
public final class StateHash {
    private static final int NO_VALUE = -1;

    private final CRC32 first = new CRC32();
    private final CRC32C second = new CRC32C();
    private final ByteBuffer head = ByteBuffer.allocate(3 * Long.BYTES);

    private StateHash() {}

    /**
     * The hash after an entry, given the same bytes in one row: the hash before it, its index and log time, eight bytes
     * each, and of each change, in the order of the keys, the lengths of key and value, four bytes each, where no value
     * has the length {@value #NO_VALUE}, the key and the value. Big-endian.
     */
    public static long over(ByteBuffer bytes) {
        StateHash hash = new StateHash();
        hash.first.update(bytes.duplicate());
        hash.second.update(bytes);
        return hash.value();
    }

    /** The hash after {@code entry}, given that before it. */
    public static long after(long before, LogEntry entry) {
        StateHash hash = new StateHash();
        hash.head.putLong(before).putLong(entry.index()).putLong(entry.logMillis());
        hash.addHead();
        for (Map.Entry<byte[], Draft.Change> change : entry.changes().entrySet()) {
            byte[] key = change.getKey();
            byte[] value = change.getValue().value();
            hash.head.putInt(key.length).putInt(value == null ? NO_VALUE : value.length);
            hash.addHead();
            hash.add(key);
            if (value != null) {
                hash.add(value);
            }
        }
        return hash.value();
    }

    private long value() {
        return first.getValue() << Integer.SIZE | second.getValue();
    }

    private void addHead() {
        first.update(head.array(), 0, head.position());
        second.update(head.array(), 0, head.position());
        head.clear();
    }

    private void add(byte[] bytes) {
        first.update(bytes);
        second.update(bytes);
    }
}
