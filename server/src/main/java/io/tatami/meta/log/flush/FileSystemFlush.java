package io.tatami.meta.log.flush;

import com.sun.jna.LastErrorException;
import com.sun.jna.Library;
import com.sun.jna.Native;
import com.sun.jna.NativeLibrary;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Flushes a whole file system by {@code syncfs(2)}: one pass over what is not written yet, one commit of the file
 * system's journal and one flush of the device's cache, however many files it is. What others have written on the same
 * file system is flushed too, and waited for.
 *
 * <p>Linux tells of an error in writing back once to each descriptor that was open then. So one descriptor is kept open
 * as long as this is, and after the first error every later flush fails too: the error may be that of any file whose
 * flush is still to come.
 */
final class FileSystemFlush implements TreeFlush {
    private static final Logger LOG = LoggerFactory.getLogger(FileSystemFlush.class);

    private static final int O_RDONLY_CLOEXEC = 0x80000;

    /** Before it the call did not tell of errors in writing back. */
    private static final int LINUX_MAJOR = 5;

    private static final int LINUX_MINOR = 8;
    private static final Pattern RELEASE = Pattern.compile("(\\d+)\\.(\\d+).*");

    private static final @Nullable LinuxCalls CALLS = load();

    private final TreeFlush elsewhere = new FileFlush();
    private final Path directory;
    private final LinuxCalls calls;
    private final int descriptor;
    private @Nullable IOException failure;
    private boolean closed;

    /** What is needed of the C library. */
    private interface LinuxCalls extends Library {
        int open(String path, int flags) throws LastErrorException;

        int syncfs(int descriptor) throws LastErrorException;

        int close(int descriptor) throws LastErrorException;
    }

    /** @param directory on the file system; exists */
    FileSystemFlush(Path directory) throws IOException {
        LinuxCalls loaded = CALLS;
        if (loaded == null) {
            throw new IOException("this system cannot flush the file system of " + directory + " as a whole");
        }
        this.calls = loaded;
        this.directory = directory;
        try {
            this.descriptor = calls.open(directory.toString(), O_RDONLY_CLOEXEC);
        } catch (LastErrorException e) {
            throw new IOException("cannot open " + directory + " to flush its file system: " + e.getMessage(), e);
        }
    }

    /** Whether this system has the call, and it tells of errors. */
    static boolean isAvailable() {
        return CALLS != null;
    }

    private static @Nullable LinuxCalls load() {
        String release = System.getProperty("os.name") + " " + System.getProperty("os.version");
        if (!tellsOfErrors(System.getProperty("os.name"), System.getProperty("os.version"))) {
            LOG.info("snapshots are flushed file by file: syncfs of {} does not tell of errors", release);
            return null;
        }
        try {
            String ignoredName =
                    NativeLibrary.getInstance("c").getFunction("syncfs").getName();
            assert !ignoredName.isEmpty();
            return Native.load("c", LinuxCalls.class);
        } catch (LinkageError e) {
            LOG.info("snapshots are flushed file by file, as syncfs cannot be called: {}", e.toString());
            return null;
        }
    }

    /** @param release such as {@code 6.1.0-18-amd64} */
    static boolean tellsOfErrors(String system, String release) {
        Matcher version = RELEASE.matcher(release);
        if (!"Linux".equals(system) || !version.matches()) {
            return false;
        }
        int major = Integer.parseInt(version.group(1));
        return major > LINUX_MAJOR || (major == LINUX_MAJOR && Integer.parseInt(version.group(2)) >= LINUX_MINOR);
    }

    /** One at a time: an error is told to one of two that overlap. */
    @Override
    public synchronized void flush(Path tree) throws IOException {
        if (closed) {
            throw new IOException("cannot flush " + tree + " any more: this server is closing");
        }
        if (!Files.getFileStore(tree).equals(Files.getFileStore(directory))) {
            elsewhere.flush(tree);
            return;
        }
        IOException first = failure;
        if (first != null) {
            throw new IOException(
                    "the file system of " + directory + " has lost writes, and maybe some of " + tree
                            + "; see to its device, and start this server again",
                    first);
        }
        try {
            calls.syncfs(descriptor);
        } catch (LastErrorException e) {
            failure = new IOException("cannot flush the file system of " + directory + ": " + e.getMessage(), e);
            throw failure;
        }
    }

    @Override
    public synchronized void close() {
        if (!closed) {
            closed = true;
            calls.close(descriptor);
        }
    }
}
