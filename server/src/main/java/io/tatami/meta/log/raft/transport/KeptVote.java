package io.tatami.meta.log.raft.transport;

import io.tatami.files.DurableFile;
import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A second name for Ratis's file {@code raft-meta}: a hard link, renewed before a vote or an acknowledgement of a term
 * leaves this server. Ratis never changes that file; it writes a new one and renames it over the first name, so the
 * second name still has the older content. If a full disk has left the new file empty, no other server was told of its
 * vote or term, and the older content is what this server last told.
 */
public final class KeptVote {
    private static final String VOTE = "raft-meta";
    private static final String KEPT = "raft-meta.kept";
    private static final String NEXT = "raft-meta.keeping";

    /** A lock for each directory. A group may be opened again before the last request of its former life has ended. */
    private static final Map<Path, Object> LOCKS = new ConcurrentHashMap<>();

    private KeptVote() {}

    /**
     * Keeps what is in Ratis's file now, durably when this returns. Safe for use by many threads.
     *
     * @param directory of the group's log
     * @return its term
     * @throws IOException if the file cannot be linked, or has no vote and term; the second name is unchanged then
     */
    public static long keep(Path directory) throws IOException {
        synchronized (LOCKS.computeIfAbsent(directory, first -> new Object())) {
            return keepNext(directory);
        }
    }

    private static long keepNext(Path directory) throws IOException {
        Path next = directory.resolve(NEXT);
        boolean unused = Files.deleteIfExists(next);
        Files.createLink(next, directory.resolve(VOTE));
        // Not of Ratis's file, which Ratis may replace meanwhile.
        long term = term(next);
        Files.move(next, directory.resolve(KEPT), StandardCopyOption.ATOMIC_MOVE);
        DurableFile.syncDirectory(directory);
        return term;
    }

    /** Whether Ratis has written a vote and a term, or tried to. */
    public static boolean isThere(Path directory) {
        return Files.exists(directory.resolve(VOTE));
    }

    /** Whether Ratis's file has no content, as a full disk leaves it. It must exist ({@link #isThere}). */
    public static boolean isEmpty(Path directory) throws IOException {
        return Files.size(directory.resolve(VOTE)) == 0;
    }

    /**
     * Replaces Ratis's file by the kept one. The replacement is durable when this returns. Must be called before Ratis
     * opens the log.
     *
     * @param directory of the group's log
     * @param least the term of the log's last entry: a server that is the only one of its group, and asks nobody for
     *     votes, has entries of terms that were not kept
     * @return false where nothing was kept, or only a vote of an earlier term than {@code least}
     */
    public static boolean restore(Path directory, long least) throws IOException {
        Path kept = directory.resolve(KEPT);
        if (!Files.exists(kept) || term(kept) < least) {
            return false;
        }
        Path next = directory.resolve(NEXT);
        boolean unused = Files.deleteIfExists(next);
        Files.createLink(next, kept);
        Files.move(next, directory.resolve(VOTE), StandardCopyOption.ATOMIC_MOVE);
        DurableFile.syncDirectory(directory);
        return true;
    }

    private static long term(Path vote) throws IOException {
        Properties read = new Properties();
        try (Reader text = Files.newBufferedReader(vote)) {
            read.load(text);
        }
        try {
            return Long.parseLong(read.getProperty("term", ""));
        } catch (NumberFormatException e) {
            throw new IOException(vote + " has no term, as a full disk leaves it", e);
        }
    }
}
