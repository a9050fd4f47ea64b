package io.tatami.crash;

import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.client.TatamiClient;
import io.tatami.client.file.FileReader;
import io.tatami.client.file.ReadPolicy;
import io.tatami.client.model.PathStatus;
import io.tatami.client.model.TatamiPath;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/** What a cluster shows of a tree, every file closed and read to its end. Used by one thread. */
final class Observation {
    private static final long CLOSE_SECONDS_MAX = 60;
    private static final long POLL_MILLIS = 20;

    private final TatamiClient client;

    Observation(TatamiClient client) {
        this.client = client;
    }

    /** Everything at and below a directory; empty where it is not there. */
    TreeMap<String, Node> tree(String root) throws IOException, InterruptedException {
        TreeMap<String, Node> found = new TreeMap<>();
        TatamiPath path = TatamiPath.of(root);
        try {
            found.put(root, new Node.Directory(client.status(path, true).mode()));
        } catch (TatamiException e) {
            if (e.code() == ErrorCode.NOT_FOUND) {
                return found;
            }
            throw e;
        }
        list(path, found);
        return found;
    }

    private void list(TatamiPath directory, TreeMap<String, Node> found) throws IOException, InterruptedException {
        for (PathStatus entry : client.list(directory, false).toList()) {
            String path = entry.path().toString();
            if (entry.isDirectory()) {
                found.put(path, new Node.Directory(entry.mode()));
                list(entry.path(), found);
            } else if (entry.isSymlink()) {
                found.put(path, new Node.Link(entry.symlinkTarget()));
            } else {
                if (entry.isOpen()) {
                    close(path);
                }
                found.put(path, Node.Content.closed(entry.mode(), read(path)));
            }
        }
    }

    /** Takes the lease of a writer that is gone, and returns when the file is closed. */
    void close(String path) throws IOException, InterruptedException {
        long begunNanos = System.nanoTime();
        while (!client.recoverLease(TatamiPath.of(path))) {
            if (System.nanoTime() - begunNanos > TimeUnit.SECONDS.toNanos(CLOSE_SECONDS_MAX)) {
                throw new AssertionError(path + " stays open");
            }
            Thread.sleep(POLL_MILLIS);
        }
    }

    byte[] read(String path) throws IOException {
        try (FileReader reader = client.open(TatamiPath.of(path), ReadPolicy.ADAPTIVE)) {
            ByteBuffer all = ByteBuffer.allocate(Math.toIntExact(reader.lengthBytes()));
            int length = 0;
            while (all.hasRemaining() && length >= 0) {
                length = reader.read(all);
            }
            if (all.hasRemaining()) {
                throw new AssertionError(path + " ends at " + all.position() + ", and should at " + all.capacity());
            }
            return all.array();
        }
    }
}
