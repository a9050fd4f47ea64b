package io.tatami.meta.log.raft.snapshot;

import io.tatami.base.TatamiException;
import io.tatami.files.CrashPoint;
import io.tatami.files.DurableFile;
import io.tatami.meta.log.flush.TreeFlush;
import io.tatami.meta.state.wire.ProgressRecord;
import io.tatami.meta.store.GroupStore;
import java.io.File;
import java.io.IOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.ratis.io.MD5Hash;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.server.protocol.TermIndex;
import org.apache.ratis.server.storage.FileInfo;
import org.apache.ratis.server.storage.RaftStorage;
import org.apache.ratis.statemachine.SnapshotInfo;
import org.apache.ratis.statemachine.SnapshotRetentionPolicy;
import org.apache.ratis.statemachine.StateMachineStorage;
import org.apache.ratis.statemachine.impl.FileListSnapshotInfo;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A replica's snapshots, in directories of the Raft log's {@code sm}: {@code snapshot-TERM-INDEX-APPLIED-HASH}, the
 * place in the Raft log that it stands for, and the applied index and state hash that the store in it has. Such a
 * directory is a whole store of RocksDB, under its name once all of it is durable. Ratis sends its files to replicas
 * that are far behind, each with its MD5, and puts those in place of all of {@code sm} there.
 */
public final class GroupSnapshots implements StateMachineStorage {
    private static final Logger LOG = LoggerFactory.getLogger(GroupSnapshots.class);
    private static final Pattern NAME = Pattern.compile("snapshot-(\\d+)-(\\d+)-(\\d+)-([0-9a-f]{16})");
    /** The newest, and the one before it, which a member may be about to be sent. */
    private static final int KEPT = 2;

    private final TreeFlush flush;
    private final Map<RaftPeerId, TermIndex> sent = new ConcurrentHashMap<>();
    private volatile @Nullable Path directory;
    private volatile @Nullable Path arriving;
    private volatile @Nullable SnapshotInfo latest;

    /** A snapshot on disk. */
    public record Snapshot(Path path, TermIndex at, long appliedIndex, long stateHash) {}

    /** @param flush for those that come */
    public GroupSnapshots(TreeFlush flush) {
        this.flush = flush;
    }

    @Override
    public void init(RaftStorage storage) throws IOException {
        Path made = storage.getStorageDir().getStateMachineDir().toPath();
        Files.createDirectories(made);
        directory = made;
        Path come = storage.getStorageDir().getTmpDir().toPath();
        // Ratis begins anew with what did not come to its end, and lets that lie.
        delete(come);
        arriving = come;
        refresh();
    }

    /** The files of the log, of which one may be empty. */
    public static List<Path> logFiles(RaftStorage storage) throws IOException {
        return entries(storage.getStorageDir().getCurrentDir().toPath()).stream()
                .filter(file -> file.getFileName().toString().startsWith("log_"))
                .toList();
    }

    /** What the log takes on the disk. */
    public static long logBytes(RaftStorage storage) throws IOException {
        long bytes = 0;
        for (Path file : logFiles(storage)) {
            bytes += Files.size(file);
        }
        return bytes;
    }

    /** Writes what the store has applied, which is all up to {@code at}. */
    public void take(GroupStore store, TermIndex at) throws TatamiException, IOException {
        Path into = required(directory);
        Files.createDirectories(into);
        ProgressRecord progress = store.progress();
        Path path = into.resolve(String.format(
                "snapshot-%d-%d-%d-%016x",
                at.getTerm(), at.getIndex(), progress.getAppliedIndex(), progress.getStateHash()));
        if (!Files.exists(path)) {
            store.checkpoint(path);
            DurableFile.syncDirectory(into);
        }
        refresh();
    }

    /** Makes what has come of other members' snapshots durable; before Ratis puts it in the place of those here. */
    public void flushReceived() throws IOException {
        Path come = required(arriving);
        CrashPoint.hit("meta.snapshot.before-flush");
        flush.flush(come);
        CrashPoint.hit("meta.snapshot.flushed");
    }

    /** The newest on disk. */
    public Optional<Snapshot> newest() throws IOException {
        List<Snapshot> all = list();
        return all.isEmpty() ? Optional.empty() : Optional.of(all.get(all.size() - 1));
    }

    /**
     * Keeps the snapshot that a member is being sent however many come after it, until {@link #letGo}; in the place of
     * one that was kept for that member before.
     */
    void keepFor(RaftPeerId member, TermIndex at) {
        sent.put(member, at);
    }

    /** The member needs no snapshot any more. */
    void letGo(RaftPeerId member) {
        sent.remove(member);
    }

    /** Whether a member is being sent one. */
    public boolean isKeptForMember() {
        return !sent.isEmpty();
    }

    /**
     * Of {@code newest} and those that are kept for members: where the oldest stands in the log, which goes on there.
     */
    public TermIndex oldestKept(TermIndex newest) {
        return Stream.concat(Stream.of(newest), sent.values().stream())
                .min(Comparator.naturalOrder())
                .orElseThrow();
    }

    /** Reads what there is; after Ratis has put files here. */
    public void refresh() throws IOException {
        Optional<Snapshot> newest = newest();
        latest = newest.isEmpty()
                ? null
                : new FileListSnapshotInfo(
                        files(newest.get().path()), newest.get().at());
    }

    private static List<FileInfo> files(Path snapshot) throws IOException {
        List<FileInfo> files = new ArrayList<>();
        for (Path file : entries(snapshot)) {
            files.add(fileWithoutDigest(file));
        }
        return files;
    }

    /** The digest of a file is found while it is sent. */
    private static FileInfo fileWithoutDigest(Path file) {
        @Nullable MD5Hash later = null;
        return new FileInfo(file, later);
    }

    /** Oldest first. */
    private List<Snapshot> list() throws IOException {
        List<Snapshot> snapshots = new ArrayList<>();
        for (Path path : entries(required(directory))) {
            Matcher name = NAME.matcher(path.getFileName().toString());
            if (name.matches()) {
                snapshots.add(new Snapshot(
                        path,
                        TermIndex.valueOf(Long.parseLong(name.group(1)), Long.parseLong(name.group(2))),
                        Long.parseLong(name.group(3)),
                        Long.parseUnsignedLong(name.group(4), 16)));
            }
        }
        snapshots.sort(Comparator.comparing(Snapshot::at));
        return snapshots;
    }

    /**
     * Makes a store at {@code live}, which must be absent, of a snapshot: tables are shared, as durable as they are
     * there, and all else is copied. Its files and names are durable, but for its own.
     */
    public static void copyTo(Path live, Snapshot snapshot) throws IOException {
        Files.createDirectory(live);
        for (Path file : entries(snapshot.path())) {
            String name = file.getFileName().toString();
            Path copy = live.resolve(name);
            if (!name.endsWith(".sst") || !isLinked(copy, file)) {
                Files.copy(file, copy);
                DurableFile.sync(copy);
            }
        }
        DurableFile.syncDirectory(live);
    }

    private static boolean isLinked(Path link, Path file) {
        try {
            Files.createLink(link, file);
            return true;
        } catch (IOException | UnsupportedOperationException e) {
            LOG.debug("{} is copied: another file system, or one without links", file, e);
            return false;
        }
    }

    @Override
    public @Nullable SnapshotInfo getLatestSnapshot() {
        return latest;
    }

    @Override
    public void cleanupOldSnapshots(@Nullable SnapshotRetentionPolicy policy) throws IOException {
        List<Snapshot> all = list();
        for (Snapshot old : all.subList(0, Math.max(0, all.size() - KEPT))) {
            if (!sent.containsValue(old.at())) {
                delete(old.path());
            }
        }
    }

    @Override
    public void format() {
        // A new group's directory has no snapshot.
    }

    @Override
    public @Nullable File getTmpDir() {
        return null;
    }

    private static Path required(@Nullable Path known) {
        if (known == null) {
            throw new IllegalStateException("a directory of snapshots is asked for before the log is open");
        }
        return known;
    }

    /** Removes a directory and all that is in it; without effect where there is none. */
    public static void delete(Path path) throws IOException {
        if (!Files.exists(path)) {
            return;
        }
        try (Stream<Path> below = Files.walk(path)) {
            for (Path file : below.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        } catch (DirectoryNotEmptyException e) {
            throw new IOException("another process writes into " + path, e);
        }
    }

    private static List<Path> entries(Path directory) throws IOException {
        if (!Files.exists(directory)) {
            return List.of();
        }
        try (Stream<Path> files = Files.list(directory)) {
            return files.sorted().toList();
        }
    }
}
