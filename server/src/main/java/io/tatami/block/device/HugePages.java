package io.tatami.block.device;

import com.sun.jna.LastErrorException;
import com.sun.jna.Library;
import com.sun.jna.Native;
import com.sun.jna.NativeLong;
import com.sun.jna.Pointer;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Moves memory that devices read and write into pages of 2 MiB. In pages of 4 KiB, which lie anywhere, a unit of 4 MiB
 * is 1,024 pieces, and a device that takes 128 pieces in a request, as many do, is given eight requests for it.
 *
 * <p>Uses {@code madvise(MADV_COLLAPSE)} of Linux 6.1, which works whatever the host's setting for transparent huge
 * pages. Where there is no such call, or no free run of 2 MiB, the memory stays as it is: nothing but speed depends on
 * it. Safe for use by many threads, also while others use the memory.
 */
public final class HugePages {
    /** The bytes of a page. */
    static final int BYTES = 2 << 20;

    private static final Logger LOG = LoggerFactory.getLogger(HugePages.class);

    private static final int MADV_COLLAPSE = 25;
    private static final int PROT_NONE = 0;
    private static final int PROT_READ = 1;
    private static final int MAP_SHARED = 0x01;
    private static final int MAP_FIXED = 0x10;
    private static final int MAP_RESERVED = 0x02 | 0x20 | 0x4000; // private, anonymous, of no swap
    private static final int O_RDONLY_CLOEXEC = 0x80000;

    /** Pages that another has in hand for a moment are passed over. */
    private static final int TRIES = 3;

    private static final @Nullable LinuxCalls CALLS = load();

    private HugePages() {}

    /** What is needed of the C library. */
    private interface LinuxCalls extends Library {
        int madvise(Pointer address, NativeLong bytes, int advice) throws LastErrorException;

        int open(String path, int flags) throws LastErrorException;

        int close(int descriptor) throws LastErrorException;

        Pointer mmap(
                @Nullable Pointer address,
                NativeLong bytes,
                int protection,
                int flags,
                int descriptor,
                NativeLong offset)
                throws LastErrorException;

        int munmap(Pointer address, NativeLong bytes) throws LastErrorException;
    }

    private static @Nullable LinuxCalls load() {
        try {
            return Native.load("c", LinuxCalls.class);
        } catch (LinkageError e) {
            LOG.info("buffers stay in pages of 4 KiB, as the C library cannot be called: {}", e.toString());
            return null;
        }
    }

    /**
     * Moves the whole pages of 2 MiB that lie in {@code memory}; its bytes stay what they are.
     *
     * @param memory direct
     * @return whether all of them were moved
     */
    static boolean collapse(ByteBuffer memory) {
        LinuxCalls calls = CALLS;
        int skipped = Math.floorMod(-memory.alignmentOffset(0, BYTES), BYTES);
        long bytes = wholePages(memory.capacity() - skipped);
        if (calls == null || bytes <= 0) {
            return false;
        }
        return collapse(calls, Native.getDirectBufferPointer(memory).share(skipped), bytes);
    }

    /**
     * Moves the pages of a file on a file system in memory. Those who have mapped it, or do so later, see the same
     * pages.
     *
     * @param fileBytes the file's, or those at its beginning that are to be moved
     * @return whether all whole pages of 2 MiB among them were moved
     */
    public static boolean collapse(Path file, long fileBytes) {
        LinuxCalls calls = CALLS;
        long bytes = wholePages(fileBytes);
        if (calls == null || bytes <= 0) {
            return false;
        }
        try {
            int descriptor = calls.open(file.toString(), O_RDONLY_CLOEXEC);
            try {
                return collapseMapped(calls, descriptor, bytes);
            } finally {
                calls.close(descriptor);
            }
        } catch (LastErrorException e) {
            LOG.debug("{} stays in small pages", file, e);
            return false;
        }
    }

    /**
     * A page of a file can be made a huge one where it is mapped at a multiple of its size: that takes room to choose
     * from.
     */
    private static boolean collapseMapped(LinuxCalls calls, int descriptor, long bytes) {
        NativeLong reservedBytes = new NativeLong(bytes + BYTES);
        NativeLong zero = new NativeLong(0);
        Pointer reserved = calls.mmap(null, reservedBytes, PROT_NONE, MAP_RESERVED, -1, zero);
        try {
            Pointer aligned = reserved.share(Math.floorMod(-Pointer.nativeValue(reserved), BYTES));
            Pointer mapped =
                    calls.mmap(aligned, new NativeLong(bytes), PROT_READ, MAP_SHARED | MAP_FIXED, descriptor, zero);
            return collapse(calls, mapped, bytes);
        } finally {
            calls.munmap(reserved, reservedBytes);
        }
    }

    private static boolean collapse(LinuxCalls calls, Pointer start, long bytes) {
        for (int attempt = 1; attempt <= TRIES; attempt++) {
            try {
                calls.madvise(start, new NativeLong(bytes), MADV_COLLAPSE);
                return true;
            } catch (LastErrorException e) {
                LOG.debug("{} bytes were not moved into pages of 2 MiB, attempt {}", bytes, attempt, e);
            }
        }
        return false;
    }

    private static long wholePages(long bytes) {
        return bytes / BYTES * BYTES;
    }
}
