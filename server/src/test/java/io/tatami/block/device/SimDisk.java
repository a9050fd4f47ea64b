package io.tatami.block.device;

import io.tatami.base.ErrorCode;
import io.tatami.base.ManualClock;
import io.tatami.base.TatamiException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.IntConsumer;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * A disk in memory that keeps only what was flushed: when its power goes, each sector written since is kept, dropped or
 * torn, as a seeded generator chooses. Sectors never written are zeros and cost nothing. A failed flush loses what was
 * to be flushed, as the kernel's page cache does, and later flushes succeed. Safe for use by many threads.
 */
public final class SimDisk implements Device {
    private static final int SECTOR_BYTES = ALIGNMENT_BYTES;
    private static final int TORN_UNIT_BYTES = 512;

    private final long sizeBytes;
    private final SimFaults faults;
    private boolean full;
    private final Map<Long, byte[]> durable = new HashMap<>();
    private final Map<Long, byte[]> unflushed = new TreeMap<>();
    /** What a sector held before it was written last. */
    private final Map<Long, byte[]> before = new HashMap<>();

    private final Set<Long> unreadable = new HashSet<>();
    private boolean flushesIgnored;
    private boolean flipsNextRead;
    private int failedReads;
    private IntConsumer timeTaker = bytes -> {};
    private @Nullable Runnable duringNextRead;

    public SimDisk(long sizeBytes, SimFaults faults) {
        this.sizeBytes = sizeBytes;
        this.faults = faults;
    }

    @Override
    public String name() {
        return "simulated disk";
    }

    @Override
    public long sizeBytes() {
        return sizeBytes;
    }

    @Override
    public synchronized void readFully(long offsetBytes, ByteBuffer into) throws TatamiException {
        SimFaults.Fault fault = faults.next();
        if (fault == SimFaults.Fault.POWER_CUT || fault == SimFaults.Fault.IO_ERROR) {
            failedReads++;
            throw failed("read");
        }
        timeTaker.accept(into.remaining());
        Runnable during = duringNextRead;
        duringNextRead = null;
        if (during != null) {
            during.run();
        }
        int first = into.position();
        for (long sector = offsetBytes / SECTOR_BYTES; into.hasRemaining(); sector++) {
            if (unreadable.contains(sector)) {
                throw failed("read");
            }
            into.put(current(sector));
        }
        if (flipsNextRead) {
            flipsNextRead = false;
            into.put(first, (byte) (into.get(first) ^ 1));
        }
    }

    @Override
    public synchronized void write(long offsetBytes, ByteBuffer from) throws TatamiException {
        if (full) {
            throw new TatamiException(ErrorCode.NO_SPACE, name() + " is a file whose file system is full");
        }
        SimFaults.Fault fault = faults.next();
        if (fault == SimFaults.Fault.NO_SPACE) {
            throw new TatamiException(ErrorCode.NO_SPACE, "simulated: no space");
        }
        timeTaker.accept(from.remaining());
        for (long sector = offsetBytes / SECTOR_BYTES; from.hasRemaining(); sector++) {
            byte[] bytes = new byte[SECTOR_BYTES];
            from.get(bytes);
            before.put(sector, current(sector));
            unreadable.remove(sector);
            unflushed.put(sector, bytes);
        }
        if (fault != null) {
            throw failed("write");
        }
    }

    @Override
    public synchronized void flush() throws TatamiException {
        SimFaults.Fault fault = faults.next();
        if (fault == SimFaults.Fault.POWER_CUT) {
            throw failed("flush");
        }
        if (fault == SimFaults.Fault.IO_ERROR) {
            unflushed.clear();
            throw failed("flush");
        }
        if (!flushesIgnored) {
            durable.putAll(unflushed);
            unflushed.clear();
        }
    }

    @Override
    public void close() {
        // The disk outlives those who use it: a test opens it again.
    }

    /** From here on writes find no room, as in a file that was not allocated in full; or they find it again. */
    public synchronized void setFull(boolean isFull) {
        full = isFull;
    }

    /** From now on the disk says that it flushed and does not: what a volume must never be built on. */
    public synchronized void ignoreFlushes() {
        flushesIgnored = true;
    }

    /** From now on reads and writes take time by a clock: as much for each, and for the bytes of each 4 MiB. */
    public synchronized void takeTime(ManualClock clock, Duration each, Duration unit) {
        timeTaker = bytes -> clock.advance(each.plus(unit.multipliedBy(bytes).dividedBy(UNIT_BYTES)));
    }

    /** Reads that failed by a fault that was armed. */
    public synchronized int failedReads() {
        return failedReads;
    }

    /** The next read has a wrong bit, and those after it have not, as where a bus and not the medium failed. */
    public synchronized void flipOnNextRead() {
        flipsNextRead = true;
    }

    /** What happens after the next read was begun and before it has a byte. */
    public synchronized void duringNextRead(Runnable event) {
        duringNextRead = event;
    }

    /** The power went: settles the fate of each sector not flushed. */
    public synchronized void losePower(RandomGenerator random) {
        for (Map.Entry<Long, byte[]> entry : unflushed.entrySet()) {
            switch (random.nextInt(3)) {
                case 0 -> durable.put(entry.getKey(), entry.getValue());
                case 1 -> tear(entry.getKey(), entry.getValue(), random);
                default -> {
                    // Dropped: what was durable before stays.
                }
            }
        }
        unflushed.clear();
    }

    /** Turns one bit over behind everybody's back. */
    public synchronized void flipBit(long offsetBytes, int bit) {
        byte[] bytes = current(offsetBytes / SECTOR_BYTES).clone();
        bytes[(int) (offsetBytes % SECTOR_BYTES)] ^= (byte) (1 << bit);
        poke(offsetBytes / SECTOR_BYTES, bytes);
    }

    /** The bytes of a sector of 4 KiB as they would be read. */
    public synchronized byte[] peek(long sector) {
        return current(sector).clone();
    }

    /** Puts a sector of 4 KiB in place, durably, behind everybody's back. */
    public synchronized void poke(long sector, byte[] bytes) {
        unflushed.remove(sector);
        durable.put(sector, bytes.clone());
    }

    /** What a sector held before it was written last: what it would hold if that write had been lost. */
    public synchronized byte[] peekBefore(long sector) {
        return before.getOrDefault(sector, new byte[SECTOR_BYTES]).clone();
    }

    /** Lets reads of a sector fail until it is written, or this is taken back. */
    public synchronized void setUnreadable(long sector, boolean fails) {
        if (fails) {
            unreadable.add(sector);
        } else {
            unreadable.remove(sector);
        }
    }

    private byte[] current(long sector) {
        byte[] written = unflushed.get(sector);
        return written != null ? written : durable.getOrDefault(sector, new byte[SECTOR_BYTES]);
    }

    /** Of a torn sector each 512 bytes are old or new, and one of them may be cut at any byte. */
    private void tear(long sector, byte[] written, RandomGenerator random) {
        byte[] torn = durable.getOrDefault(sector, new byte[SECTOR_BYTES]).clone();
        for (int at = 0; at < SECTOR_BYTES; at += TORN_UNIT_BYTES) {
            if (random.nextBoolean()) {
                System.arraycopy(written, at, torn, at, TORN_UNIT_BYTES);
            }
        }
        int at = random.nextInt(SECTOR_BYTES / TORN_UNIT_BYTES) * TORN_UNIT_BYTES;
        System.arraycopy(written, at, torn, at, random.nextInt(TORN_UNIT_BYTES));
        durable.put(sector, torn);
    }

    private static TatamiException failed(String what) {
        return new TatamiException(ErrorCode.IO_ERROR, "simulated: cannot " + what);
    }
}
