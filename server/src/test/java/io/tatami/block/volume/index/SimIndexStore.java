package io.tatami.block.volume.index;

import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.block.device.SimFaults;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * An index store in memory: a batch is durable when the call returns, and when it fails, all or nothing of it, by a
 * seeded choice. Safe for use by many threads.
 */
public final class SimIndexStore implements IndexStore {
    private final NavigableMap<byte[], byte[]> entries = new TreeMap<>(Arrays::compareUnsigned);
    private final NavigableMap<byte[], byte[]> before = new TreeMap<>(Arrays::compareUnsigned);
    private boolean full;
    private final SimFaults faults;
    private final RandomGenerator random;
    private long usableBytes = Long.MAX_VALUE;

    public SimIndexStore(SimFaults faults, RandomGenerator random) {
        this.faults = faults;
        this.random = random;
    }

    @Override
    public synchronized byte @Nullable [] get(byte[] key) throws TatamiException {
        throwIfReadFails();
        return entries.get(key);
    }

    @Override
    public synchronized void scan(byte[] prefix, Visitor visitor) throws TatamiException {
        throwIfReadFails();
        for (Map.Entry<byte[], byte[]> entry : entries.tailMap(prefix).entrySet()) {
            if (!Arrays.equals(prefix, 0, prefix.length, entry.getKey(), 0, prefix.length)) {
                return;
            }
            visitor.visit(entry.getKey(), entry.getValue());
        }
    }

    @Override
    public void write(List<Change> changes) throws TatamiException {
        write(changes, null);
    }

    @Override
    public synchronized void write(List<Change> changes, @Nullable Addition addition) throws TatamiException {
        if (full) {
            throw new TatamiException(ErrorCode.NO_SPACE, "simulated: the index's file system is full");
        }
        SimFaults.Fault fault = faults.next();
        boolean fails = fault == SimFaults.Fault.POWER_CUT || fault == SimFaults.Fault.IO_ERROR;
        if (!fails || random.nextBoolean()) {
            changes.forEach(this::apply);
            if (addition != null) {
                apply(new Change(addition.key(), sum(entries.get(addition.key()), addition.amount())));
            }
        }
        if (fails) {
            throw failed("write");
        }
    }

    /** From here on writes find no room; or they find it again. */
    public synchronized void setFull(boolean isFull) {
        full = isFull;
    }

    private void apply(Change change) {
        byte[] old = entries.get(change.key());
        if (old != null) {
            before.put(change.key(), old);
        }
        byte[] value = change.value();
        if (value == null) {
            entries.remove(change.key());
        } else {
            entries.put(change.key(), value);
        }
    }

    private static byte[] sum(byte @Nullable [] number, long amount) {
        ByteBuffer sum = ByteBuffer.allocate(Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        long old = number == null
                ? 0
                : ByteBuffer.wrap(number).order(ByteOrder.LITTLE_ENDIAN).getLong();
        return sum.putLong(old + amount).array();
    }

    /** Memory has no checksums of its own. */
    @Override
    public List<String> findDamage() throws TatamiException {
        throwIfReadFails();
        return List.of();
    }

    @Override
    public synchronized long usableBytes() {
        return usableBytes;
    }

    @Override
    public void close() {
        // The entries outlive those who use them: a test opens them again.
    }

    public synchronized void setUsableBytes(long bytes) {
        usableBytes = bytes;
    }

    /** The values themselves, for tests that damage them. */
    public synchronized NavigableMap<byte[], byte[]> entries() {
        return entries;
    }

    /** What keys had before they were written or deleted last. */
    public synchronized NavigableMap<byte[], byte[]> entriesBefore() {
        return before;
    }

    private void throwIfReadFails() throws TatamiException {
        SimFaults.Fault fault = faults.next();
        if (fault == SimFaults.Fault.POWER_CUT || fault == SimFaults.Fault.IO_ERROR) {
            throw failed("read");
        }
    }

    private static TatamiException failed(String what) {
        return new TatamiException(ErrorCode.IO_ERROR, "simulated: cannot " + what + " the index");
    }
}
