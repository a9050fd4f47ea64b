package io.tatami.meta.log.raft;

import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.files.CrashPoint;
import io.tatami.files.DurableFile;
import io.tatami.meta.log.raft.snapshot.GroupSnapshots;
import io.tatami.meta.state.wire.ProgressRecord;
import io.tatami.meta.store.GroupStore;
import io.tatami.meta.store.StoreMemory;
import io.tatami.meta.store.StoreSnapshot;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/**
 * The store of a replica in its place on disk, and how a snapshot takes that place. The store's own log is not used:
 * what a crash takes of it is in the Raft log. Changed by one thread; the store may be asked for, and read, by any.
 */
final class ReplicaStore implements AutoCloseable {
    private final Path path;
    private final StoreMemory memory;
    /** Shared by who reads; exclusive where the store is closed, so that it can be opened again at once. */
    private final ReadWriteLock inUse = new ReentrantReadWriteLock();

    private volatile GroupStore store;
    private boolean closed;

    /** Opens what is there, or makes an empty store. */
    ReplicaStore(Path path, StoreMemory memory) throws TatamiException {
        this.path = path;
        this.memory = memory;
        this.store = GroupStore.openOrCreate(path, memory);
    }

    /** @param store open in {@code path} */
    ReplicaStore(Path path, GroupStore store, StoreMemory memory) {
        this.path = path;
        this.memory = memory;
        this.store = store;
    }

    GroupStore get() {
        return store;
    }

    /** Reads a snapshot; the store is there until that is over. */
    void read(RaftReplica.Reading reading) throws TatamiException {
        inUse.readLock().lock();
        try (StoreSnapshot snapshot = store.snapshot()) {
            reading.read(snapshot.view());
        } finally {
            inUse.readLock().unlock();
        }
    }

    /**
     * Puts a snapshot in the store's place, after it was read and compared with its checksums. After a crash there is
     * the old store, the new, or none, and the snapshot.
     *
     * @throws TatamiException CORRUPT where it is damaged; then the store is as it was
     */
    void replaceBy(GroupSnapshots.Snapshot snapshot) throws TatamiException, IOException {
        Path fresh = fresh(path);
        Path old = old(path);
        GroupSnapshots.delete(fresh);
        GroupSnapshots.delete(old);
        GroupSnapshots.copyTo(fresh, snapshot);
        CrashPoint.hit("meta.snapshot.copied");
        verify(fresh, snapshot);
        inUse.writeLock().lock();
        try {
            store.close();
            Files.move(path, old);
            CrashPoint.hit("meta.snapshot.old-aside");
            Files.move(fresh, path);
            DurableFile.syncDirectory(path.resolveSibling("."));
            CrashPoint.hit("meta.snapshot.in-place");
            store = GroupStore.open(path, memory);
        } finally {
            inUse.writeLock().unlock();
        }
        GroupSnapshots.delete(old);
    }

    /** Deletes a store that is closed, and what a crash may have left beside it. */
    static void delete(Path path) throws IOException {
        GroupSnapshots.delete(fresh(path));
        GroupSnapshots.delete(old(path));
        GroupSnapshots.delete(path);
    }

    private static Path fresh(Path path) {
        return path.resolveSibling(path.getFileName() + ".new");
    }

    private static Path old(Path path) {
        return path.resolveSibling(path.getFileName() + ".old");
    }

    private void verify(Path fresh, GroupSnapshots.Snapshot snapshot) throws TatamiException {
        try (GroupStore copy = GroupStore.open(fresh, memory)) {
            copy.verify();
            ProgressRecord progress = copy.progress();
            if (progress.getAppliedIndex() != snapshot.appliedIndex()
                    || progress.getStateHash() != snapshot.stateHash()) {
                throw new TatamiException(
                        ErrorCode.CORRUPT,
                        "the snapshot " + snapshot.path() + " does not contain the state that its header names: entry "
                                + progress.getAppliedIndex() + " of hash "
                                + Long.toHexString(progress.getStateHash()));
            }
        }
    }

    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        inUse.writeLock().lock();
        try {
            store.close();
        } finally {
            inUse.writeLock().unlock();
        }
    }
}
