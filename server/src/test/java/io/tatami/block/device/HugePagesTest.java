package io.tatami.block.device;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.jna.Native;
import com.sun.jna.Pointer;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HugePagesTest {
    private static final int PAGES = 4;
    private static final int SMALL_PAGE_BYTES = 4 << 10;
    private static final int SMALL_IN_LARGE = HugePages.BYTES / SMALL_PAGE_BYTES;

    /** Of the entries of the kernel's page map, and the bits of one that number the frame. */
    private static final int ENTRY_BYTES = 8;

    private static final long FRAME_MASK = (1L << 55) - 1;

    @Test
    void memoryKeepsItsBytesWhenItIsMoved() throws IOException {
        ByteBuffer memory = ByteBuffer.allocateDirect((PAGES + 1) * HugePages.BYTES);
        byte[] bytes = random(memory.capacity());
        memory.put(0, bytes);

        boolean moved = HugePages.collapse(memory);

        byte[] after = new byte[bytes.length];
        memory.get(0, after);
        assertArrayEquals(bytes, after);
        assumeTrue(moved, "this host has no pages of 2 MiB to give");
        int start = Math.floorMod(-memory.alignmentOffset(0, HugePages.BYTES), HugePages.BYTES);
        assertEveryPageIsOnePiece(memory.slice(start, PAGES * HugePages.BYTES));
    }

    @Test
    void memoryOfLessThanAPageStaysWhereItIs() {
        assertFalse(HugePages.collapse(ByteBuffer.allocateDirect(HugePages.BYTES - 1)));
    }

    @Test
    void aFileInMemoryKeepsItsBytesForThoseWhoHaveMappedItAlready() throws IOException {
        Path shared = Path.of("/dev/shm");
        assumeTrue(Files.isWritable(shared), "no file system in memory");
        Path file = Files.createTempFile(shared, "tatami-test", null);
        try {
            byte[] bytes = random(PAGES * HugePages.BYTES);
            Files.write(file, bytes);
            try (FileChannel channel = FileChannel.open(file)) {
                ByteBuffer mapped = channel.map(FileChannel.MapMode.READ_ONLY, 0, bytes.length);

                boolean moved = HugePages.collapse(file, bytes.length);

                byte[] after = new byte[bytes.length];
                mapped.get(after);
                assertArrayEquals(bytes, after);
                assumeTrue(moved, "this host has no pages of 2 MiB to give");
                assertEveryPageIsOnePiece(channel.map(FileChannel.MapMode.READ_ONLY, 0, bytes.length));
            }
        } finally {
            Files.delete(file);
        }
    }

    @Test
    void aFileThatIsNotThereIsNotMoved(@TempDir Path directory) {
        assertFalse(HugePages.collapse(directory.resolve("missing"), HugePages.BYTES));
    }

    /** What lies at neighbouring addresses lies side by side in the machine's memory too, within every 2 MiB. */
    private static void assertEveryPageIsOnePiece(ByteBuffer memory) throws IOException {
        long address = Pointer.nativeValue(Native.getDirectBufferPointer(memory));
        int small = memory.capacity() / SMALL_PAGE_BYTES;
        ByteBuffer entries = ByteBuffer.allocate(small * ENTRY_BYTES).order(ByteOrder.nativeOrder());
        for (int at = 0; at < memory.capacity(); at += SMALL_PAGE_BYTES) {
            memory.get(at);
        }
        try (FileChannel pagemap = FileChannel.open(Path.of("/proc/self/pagemap"))) {
            pagemap.read(entries, address / SMALL_PAGE_BYTES * ENTRY_BYTES);
        }
        assertEquals(0, entries.remaining());
        for (int page = 0; page < small; page++) {
            long frame = entries.getLong(page * ENTRY_BYTES) & FRAME_MASK;
            assumeTrue(frame != 0, "only root may see where memory lies");
            long first = entries.getLong(page / SMALL_IN_LARGE * SMALL_IN_LARGE * ENTRY_BYTES) & FRAME_MASK;
            assertEquals(first + page % SMALL_IN_LARGE, frame);
        }
    }

    private static byte[] random(int length) {
        byte[] bytes = new byte[length];
        new Random(length).nextBytes(bytes);
        return bytes;
    }
}
