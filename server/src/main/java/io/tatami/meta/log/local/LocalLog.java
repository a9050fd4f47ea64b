package io.tatami.meta.log.local;

import io.tatami.base.Causes;
import io.tatami.base.Check;
import io.tatami.base.ErrorCode;
import io.tatami.base.GroupId;
import io.tatami.base.TatamiException;
import io.tatami.base.Threads;
import io.tatami.conf.Setting;
import io.tatami.files.CrashPoint;
import io.tatami.meta.log.CommitLog;
import io.tatami.meta.log.LogEntry;
import io.tatami.meta.log.LogSpace;
import io.tatami.meta.log.local.LocalEntryFormat.Stored;
import io.tatami.meta.state.wire.ProgressRecord;
import io.tatami.meta.store.GroupStore;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The log of a group on one server: files of entries in the store's directory. Each entry is flushed to the device
 * before it is applied to the store. The store writes no log of its own; entries that it lost in a crash are applied
 * again from these files. When a file is full, the next one begins, and a thread of its own writes the store out. Files
 * whose entries the store holds durably are deleted.
 *
 * <p>Used by one thread at a time, which must not be interrupted.
 */
public final class LocalLog implements CommitLog {
    /** The length of a file of entries, in bytes. */
    public static final Setting<Long> FILE_BYTES = Setting.size(
            "tatami.meta.log.file",
            "64m",
            "64k",
            "1g",
            "Length of the files of a metadata group's log that one server holds. A few are kept, and read at a start.");

    /** Every setting read here. */
    public static final List<Setting<?>> SETTINGS = List.of(FILE_BYTES);

    /** The number of files at which a commit waits until the store is written out. */
    private static final int FILES_MAX = 4;

    /** The size of the buffer that is kept for entries, in bytes; a longer entry gets its own. */
    private static final int FRAME_BYTES = 256 << 10;

    private static final Logger LOG = LoggerFactory.getLogger(LocalLog.class);

    private final Location location;
    private final GroupStore store;
    private final long fileBytes;
    private final ByteBuffer frame = EntryFile.buffer(FRAME_BYTES);
    /** The files, oldest first; the last one is being written. */
    private final Deque<StoredFile> files = new ArrayDeque<>();

    private EntryFile current;
    private @Nullable Thread writingOut;
    /** Whether the content of the files is unknown; true also while an entry is being committed. */
    private boolean failed;

    private volatile boolean broken;
    private boolean closed;

    /**
     * The identity of a log.
     *
     * @param directory of the group's store; used by the store and its log only
     */
    public record Location(Path directory, UUID cluster, GroupId group) {
        private Path files() {
            return files(directory);
        }

        private static Path files(Path directory) {
            return directory.resolve("entries");
        }

        /**
         * The log in a directory, by its own files; empty if there is none.
         *
         * @throws TatamiException CORRUPT if a file's head is damaged; IO_ERROR
         */
        public static Optional<Location> find(Path directory) throws TatamiException {
            try {
                List<StoredFile> found =
                        Files.exists(files(directory)) ? StoredFile.in(files(directory)) : List.<StoredFile>of();
                return found.isEmpty()
                        ? Optional.empty()
                        : Optional.of(found.get(0).location(directory));
            } catch (IOException e) {
                throw e instanceof TatamiException known
                        ? known
                        : new TatamiException(
                                ErrorCode.IO_ERROR,
                                "cannot read the log in " + directory + ": " + Causes.inWords(e),
                                e);
            }
        }
    }

    /**
     * Opens the log of a store, or begins one if the store never had a log. Applies the entries that the store lacks,
     * and begins a file.
     *
     * @param store open at {@code location}; closed by the caller, after this
     * @param fileBytes see {@link #FILE_BYTES}
     * @throws TatamiException CORRUPT if entries are damaged or missing; UNSUPPORTED if the group is replicated since;
     *     IO_ERROR or NO_SPACE
     */
    public LocalLog(Location location, GroupStore store, long fileBytes) throws TatamiException {
        this.location = location;
        this.store = store;
        this.fileBytes = fileBytes;
        requireLocal(store.progress());
        try {
            Files.createDirectories(location.files());
            replay();
            if (!store.progress().getLoggedBeside()) {
                store.setLoggedBeside(true);
            }
            this.current = begin();
        } catch (IOException e) {
            throw error("cannot open", e);
        }
        if (files.size() > 1) {
            writeOutStore();
        }
    }

    private static void requireLocal(ProgressRecord progress) throws TatamiException {
        if (progress.getReplicated()) {
            throw new TatamiException(
                    ErrorCode.UNSUPPORTED,
                    "this store belongs to a replica of a group with a replicated log; open"
                            + " the group with its replicated log");
        }
    }

    private void replay() throws TatamiException, IOException {
        files.addAll(StoredFile.in(location.files()));
        List<StoredFile> found = List.copyOf(files);
        long before = store.appliedIndex();
        if (found.isEmpty() ? store.progress().getLoggedBeside() : found.get(0).first() > before + 1) {
            throw new TatamiException(
                    ErrorCode.CORRUPT,
                    "entries after " + before + " of " + location.group() + " are missing in " + location.files()
                            + ": put the missing files back, or restore the group from a backup");
        }
        long end = before + 1;
        for (int i = 0; i < found.size(); i++) {
            long next = i + 1 < found.size() ? found.get(i + 1).first() : Long.MAX_VALUE;
            if (next > before + 1) {
                end = found.get(i).read(location.cluster(), location.group(), next, this::reapply);
            }
        }
        if (end != store.appliedIndex() + 1) {
            throw new TatamiException(
                    ErrorCode.CORRUPT,
                    "the log of " + location.group() + " in " + location.files() + " ends with entry " + (end - 1)
                            + ", but the store has entry " + store.appliedIndex()
                            + ": they are of different times; restore both from one backup");
        }
        if (end > before + 1) {
            LOG.info("{}: {} entries were applied out of the log", location.group(), end - before - 1);
        }
    }

    private void reapply(Stored stored) throws TatamiException {
        LogEntry entry = stored.entry();
        if (entry.index() <= store.appliedIndex()) {
            return;
        }
        if (stored.hashBefore() != store.progress().getStateHash()) {
            throw new TatamiException(
                    ErrorCode.CORRUPT,
                    "entry " + entry.index() + " in " + location.files()
                            + " was decided on another state than the store's: they are of different times; restore"
                            + " both from one backup");
        }
        apply(entry, stored.hashAfter());
    }

    private void apply(LogEntry entry, long hashAfter) throws TatamiException {
        ProgressRecord progress = ProgressRecord.newBuilder()
                .setAppliedIndex(entry.index())
                .setLogMillis(entry.logMillis())
                .setStateHash(hashAfter)
                .setLoggedBeside(true)
                .build();
        store.apply(progress, entry.changes());
    }

    private EntryFile begin() throws IOException {
        StoredFile file = StoredFile.of(location.files(), store.appliedIndex() + 1);
        if (!files.isEmpty() && files.getLast().equals(file)) {
            files.removeLast();
        }
        EntryFile begun = EntryFile.create(file.path(), file.head(location.cluster(), location.group()));
        files.addLast(file);
        return begun;
    }

    @Override
    public void commit(LogEntry entry) throws TatamiException {
        Check.check(!failed && !closed, "the log of %s takes no entry any more", location.group());
        ProgressRecord before = store.progress();
        requireLocal(before);
        Check.check(
                entry.index() == before.getAppliedIndex() + 1,
                "entry %d was decided at another state than %d",
                entry.index(),
                before.getAppliedIndex());
        // Until all of this is done.
        failed = true;
        try {
            write(entry, before);
            failed = false;
        } finally {
            broken = failed;
        }
    }

    private void write(LogEntry entry, ProgressRecord before) throws TatamiException {
        long hashAfter;
        try {
            int bytes = LocalEntryFormat.bytesOf(entry);
            ByteBuffer encoded = bytes <= FRAME_BYTES ? frame : EntryFile.buffer(bytes);
            hashAfter = LocalEntryFormat.put(entry, before.getStateHash(), encoded);
            current.append(encoded);
        } catch (IOException e) {
            throw error("cannot write to", e);
        }
        apply(entry, hashAfter);
        if (current.bytes() >= fileBytes) {
            beginNext();
        }
    }

    private void beginNext() throws TatamiException {
        try {
            current.close();
            current = begin();
        } catch (IOException e) {
            throw error("cannot begin a file in", e);
        }
        Thread under = writingOut;
        if (under != null && (!under.isAlive() || files.size() > FILES_MAX)) {
            Threads.joinUninterrupted(under);
            writingOut = null;
        }
        if (writingOut == null) {
            writeOutStore();
        }
    }

    /** Writes the store out, and then deletes the files whose entries it holds durably. */
    private void writeOutStore() {
        long first = files.getLast().first();
        List<StoredFile> full =
                files.stream().filter(file -> file.first() < first).toList();
        Thread thread = Threads.daemon(() -> dropBehindStore(full), "log-" + location.group());
        files.removeAll(full);
        writingOut = thread;
        thread.start();
    }

    /** Deletes the files. If the store could not be written out it has stopped, which the next commit reports. */
    private void dropBehindStore(List<StoredFile> full) {
        try {
            store.flush();
            CrashPoint.hit("meta.log.store-written-out");
            for (StoredFile file : full) {
                Files.deleteIfExists(file.path());
                CrashPoint.hit("meta.log.file-dropped");
            }
        } catch (TatamiException e) {
            LOG.error("the store of {} cannot be written out; its log is kept", location.group(), e);
        } catch (IOException e) {
            LOG.warn("{}: files of the log that are not needed any more stay", location.group(), e);
        }
    }

    private TatamiException error(String what, IOException cause) {
        if (cause instanceof TatamiException known) {
            return known;
        }
        return new TatamiException(
                ErrorCode.ofDisk(cause),
                what + " the log of " + location.group() + " in " + location.files() + ": " + Causes.inWords(cause),
                cause);
    }

    /**
     * Complete at once, because no other replica exists. Fails after a failed commit, because the files may hold an
     * entry that the store lacks.
     */
    @Override
    public CompletableFuture<Void> confirm() {
        if (broken) {
            return CompletableFuture.failedFuture(new TatamiException(
                    ErrorCode.UNAVAILABLE,
                    "it is unknown whether the last entry of " + location.group() + " is in " + location.files()
                            + ": restart the server"));
        }
        return CompletableFuture.completedFuture(null);
    }

    @Override
    public long bytes() throws IOException {
        return LogSpace.bytes(location.files(), StoredFile.GLOB);
    }

    /**
     * Ends the log for good, after {@link #close}: the store then has everything durably and can be opened without the
     * log.
     *
     * @throws TatamiException the store failed; the log is unchanged
     */
    public void retire() throws TatamiException {
        Check.check(closed, "the log of %s is still open", location.group());
        store.setLoggedBeside(false);
        CrashPoint.hit("meta.log.retired");
        try {
            for (StoredFile file : StoredFile.in(location.files())) {
                Files.delete(file.path());
            }
            Files.delete(location.files());
        } catch (IOException e) {
            LOG.warn("{}: the files of its former log stay", location.group(), e);
        }
    }

    /** The files remain, and are read when the store is opened again. */
    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        Thread under = writingOut;
        if (under != null) {
            Threads.joinUninterrupted(under);
        }
        try {
            current.close();
        } catch (IOException e) {
            LOG.warn("cannot close the log of {}", location.group(), e);
        }
    }
}
