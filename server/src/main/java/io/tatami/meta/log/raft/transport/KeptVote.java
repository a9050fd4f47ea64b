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
 * A second name of Ratis's file {@code raft-meta}, as it was when a vote or an acknowledgement of a term last left this
 * server. Ratis writes each vote and term to a new file that takes the first name, so the second one stays with what
 * was written before. What a full disk has left empty was told nobody: what is kept is then the last that was.
 */
public final class KeptVote {
    private static final String VOTE = "raft-meta";
    private static final String KEPT = "raft-meta.kept";
    private static final String NEXT = "raft-meta.keeping";

    /** A group may be opened again while the last request before that ends: an object for each directory. */
    private static final Map<Path, Object> LOCKS = new ConcurrentHashMap<>();

    private KeptVote() {}

    /**
     * Keeps what is in Ratis's file now, durably when this returns. Safe for use by many threads.
     *
     * @param directory of the group's log
     * @return its term
     * @throws IOException also where the file has no vote and term; what was kept before still is
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
        // Of what is kept, as Ratis may write another meanwhile.
        long term = term(next);
        Files.move(next, directory.resolve(KEPT), StandardCopyOption.ATOMIC_MOVE);
        DurableFile.syncDirectory(directory);
        return term;
    }

    /** Whether Ratis has written a vote and a term, or tried to. */
    public static boolean isThere(Path directory) {
        return Files.exists(directory.resolve(VOTE));
    }

    /** Whether Ratis tried in vain. Only where {@link #isThere}. */
    public static boolean isEmpty(Path directory) throws IOException {
        return Files.size(directory.resolve(VOTE)) == 0;
    }

    /**
     * Gives what was kept the name of Ratis's file, durably when this returns. Before Ratis opens the log.
     *
     * @param directory of the group's log
     * @param least the term of the log's last entry: a server that is the only one of its group, and asks nobody for
     *     votes, has entries of terms that were not kept
     * @return false where nothing was kept, or only what is older
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
