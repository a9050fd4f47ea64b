package io.tatami.benchmarks.workload.prefetch;

import com.sun.nio.file.ExtendedOpenOption;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.StandardOpenOption;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/**
 * What access plans are compared with: a cache on the fast device that is filled when a read misses, before the reader
 * gets its bytes, and gives up what was used least recently. Used by one thread.
 */
final class MissFilledCache implements AutoCloseable {
    static final int UNIT_BYTES = 4 << 20;
    private static final int ALIGNMENT_BYTES = 4 << 10;

    private final FileSystem fs;
    private final FileChannel device;
    private final Deque<Integer> free = new ArrayDeque<>();
    private final Map<Unit, Integer> slots = new LinkedHashMap<>(16, 0.75f, true);
    private final ByteBuffer buffer =
            ByteBuffer.allocateDirect(UNIT_BYTES + ALIGNMENT_BYTES).alignedSlice(ALIGNMENT_BYTES);

    private record Unit(Path file, long number) {}

    MissFilledCache(FileSystem fs, java.nio.file.Path device, long bytes) throws IOException {
        this.fs = fs;
        this.device =
                FileChannel.open(device, StandardOpenOption.READ, StandardOpenOption.WRITE, ExtendedOpenOption.DIRECT);
        for (int slot = 0; slot < bytes / UNIT_BYTES; slot++) {
            free.add(slot);
        }
    }

    /** Reads a file of whole units from its beginning to its end. */
    void scan(Path file) throws IOException {
        long units = fs.getFileStatus(file).getLen() / UNIT_BYTES;
        try (FSDataInputStream in = fs.open(file)) {
            for (long number = 0; number < units; number++) {
                read(in, new Unit(file, number));
            }
        }
    }

    private void read(FSDataInputStream in, Unit unit) throws IOException {
        buffer.clear().limit(UNIT_BYTES);
        Integer slot = slots.get(unit);
        if (slot != null) {
            while (buffer.hasRemaining()) {
                device.read(buffer, (long) slot * UNIT_BYTES + buffer.position());
            }
            return;
        }
        in.seek(unit.number() * UNIT_BYTES);
        while (buffer.hasRemaining()) {
            if (in.read(buffer) < 0) {
                throw new IOException(unit + " ends early");
            }
        }
        buffer.flip();
        int to = slotFor(unit);
        while (buffer.hasRemaining()) {
            device.write(buffer, (long) to * UNIT_BYTES + buffer.position());
        }
    }

    private int slotFor(Unit unit) {
        if (free.isEmpty()) {
            Iterator<Integer> oldest = slots.values().iterator();
            free.add(oldest.next());
            oldest.remove();
        }
        int slot = free.remove();
        slots.put(unit, slot);
        return slot;
    }

    @Override
    public void close() throws IOException {
        device.close();
    }
}
