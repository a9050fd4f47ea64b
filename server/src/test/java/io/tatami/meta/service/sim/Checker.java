package io.tatami.meta.service.sim;

import io.tatami.base.Check;
import io.tatami.base.DirectoryId;
import io.tatami.base.FileId;
import io.tatami.base.GroupId;
import io.tatami.base.SessionId;
import io.tatami.base.TatamiException;
import io.tatami.meta.op.copies.ServersOfMap;
import io.tatami.meta.op.fsck.Fsck;
import io.tatami.meta.service.RequestOrigin;
import io.tatami.meta.service.sim.NamespaceModel.Name;
import io.tatami.meta.state.Keys;
import io.tatami.meta.state.Records;
import io.tatami.meta.state.RequestContext;
import io.tatami.meta.state.ShardState;
import io.tatami.meta.state.TreeState;
import io.tatami.meta.state.TreeState.Named;
import io.tatami.meta.state.View;
import io.tatami.meta.state.wire.EntryRecord;
import io.tatami.meta.state.wire.FileEntry;
import io.tatami.meta.state.wire.HomeRecord;
import io.tatami.protocol.Placement;
import io.tatami.protocol.wire.Finding;
import io.tatami.protocol.wire.FsckReply;
import io.tatami.protocol.wire.FsckRequest;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BiConsumer;

/** Compares the records of all groups, once everything has come to rest, with the model and with each other. */
final class Checker {
    private static final Comparator<Name> IN_ORDER =
            Comparator.comparingLong(Name::directory).thenComparing(Name::name);

    private final SimulatedCluster cluster;
    private final NamespaceModel model;

    /** The names of files, over all shards. */
    private final Map<Name, Long> named = new TreeMap<>(IN_ORDER);

    /** Names that markers keep free of files. */
    private final Set<Name> marked = new HashSet<>();

    /** Markers of which a shard was asked before their directory was widened, and which came there afterwards. */
    private long straying;

    Checker(SimulatedCluster cluster) {
        this.cluster = cluster;
        this.model = cluster.oracle().model();
    }

    /**
     * Nothing is under way: no move, no message, no recovery, nothing to reclaim, here or in the tree, and no directory
     * to widen.
     */
    static boolean isQuiet(SimulatedCluster cluster) {
        return unrest(cluster).isEmpty();
    }

    /** What is in the way of {@link #isQuiet}. */
    static String unrest(SimulatedCluster cluster) {
        StringBuilder unrest = new StringBuilder();
        for (int shard = 0; shard < cluster.shards(); shard++) {
            Records state = cluster.shard(shard);
            for (char kind : new char[] {'t', 'o', 'q'}) {
                if (has(state, kind)) {
                    unrest.append(" shard ").append(shard).append(" has ").append(kind);
                }
            }
            if (has(state, Keys.leases(SessionId.NONE))) {
                unrest.append(" shard ").append(shard).append(" recovers a file");
            }
        }
        for (char kind : new char[] {'x', 'h'}) {
            unrest.append(has(cluster.tree(), kind) ? " the tree has " + kind : "");
        }
        return unrest.toString();
    }

    static boolean hasLeases(SimulatedCluster cluster) {
        for (int shard = 0; shard < cluster.shards(); shard++) {
            if (has(cluster.shard(shard), 'l')) {
                return true;
            }
        }
        return false;
    }

    void check() throws TatamiException {
        checkTree(cluster.tree());
        for (int shard = 0; shard < cluster.shards(); shard++) {
            readEntries(shard);
        }
        checkNames();
        for (int shard = 0; shard < cluster.shards(); shard++) {
            checkHomes(shard);
            fsck(shard);
        }
    }

    /** Names in a directory that is there, which a marker keeps although no directory has them. */
    Set<Name> untrueMarkers() {
        Set<Name> untrue = new TreeSet<>(IN_ORDER);
        for (Name name : marked) {
            if (model.isDirectory(name.directory()) && !model.isDirectory(name)) {
                untrue.add(name);
            }
        }
        return untrue;
    }

    /** Markers that nobody can come to. */
    long unreachableMarkers() {
        return straying
                + marked.stream()
                        .filter(name -> !model.isDirectory(name.directory()))
                        .count();
    }

    // ------------------------------------------------------------------------------------------ the tree

    private void checkTree(TreeState tree) {
        Set<Long> seen = new HashSet<>();
        ArrayDeque<Long> waiting = new ArrayDeque<>();
        waiting.add(DirectoryId.ROOT.value());
        while (!waiting.isEmpty()) {
            long directory = waiting.remove();
            Check.check(seen.add(directory), "directory %d is reached twice", directory);
            for (Named child : tree.children(new DirectoryId(directory), "", Integer.MAX_VALUE)) {
                Name name = new Name(directory, child.name());
                Name expected = model.directories().get(child.id().value());
                Check.check(
                        name.equals(expected),
                        "directory %s is %s, and should be %s",
                        child.id(),
                        name,
                        String.valueOf(expected));
                Check.check(child.equals(tree.find(child.id())), "%s does not know its name", child);
                waiting.add(child.id().value());
            }
        }
        Check.check(
                seen.equals(model.directories().keySet()),
                "the tree has %s, and should have %s",
                seen,
                model.directories().keySet());
    }

    // ------------------------------------------------------------------------------------------ names

    private void readEntries(int shard) {
        each(cluster.shard(shard), 'e', (key, value) -> {
            Name name = new Name(Keys.idOf(key), Keys.nameOf(key));
            EntryRecord entry = ShardState.parse(value, EntryRecord.parser());
            Check.check(
                    entry.getLeavingTransaction() == 0 && entry.getArrivingTransaction() == 0,
                    "%s has a mark of a move: %s",
                    name,
                    entry);
            if (entry.hasMarker()) {
                if (isInPlace(shard, name)) {
                    marked.add(name);
                } else {
                    straying++;
                }
                return;
            }
            Check.check(isInPlace(shard, name), "%s is in shard %d: %s", name, shard, entry);
            Check.check(entry.hasFile(), "%s is nothing: %s", name, entry);
            Check.check(named.put(name, entry.getFile().getFileId()) == null, "%s is in two shards", name);
            checkFile(shard, name, entry.getFile());
        });
    }

    /** Of a directory that is gone any shard may have what nobody comes to. */
    private boolean isInPlace(int shard, Name name) {
        DirectoryId directory = new DirectoryId(name.directory());
        Named known = cluster.tree().find(directory);
        return known == null
                || Placement.shardOf(directory, name.name(), known.record().getSpread(), cluster.shards())
                        .equals(GroupId.ofShard(shard));
    }

    private void checkFile(int shard, Name name, FileEntry file) {
        Check.check(model.isDirectory(name.directory()), "%s is in a directory that is gone", name);
        NamespaceModel.File expected = model.find(file.getFileId());
        Check.check(expected != null, "%s is file %x, which should be gone", name, file.getFileId());
        if (expected == null) {
            return;
        }
        Check.check(
                expected.name().equals(name),
                "file %x is %s, and should be %s",
                file.getFileId(),
                name,
                expected.name());
        FileId id = new FileId(file.getFileId());
        HomeRecord home = cluster.shard(id.home().shard()).home(id);
        Check.check(home != null, "%s is file %s, which its home does not know", name, id);
        if (home != null) {
            checkHome(shard, name, file, expected, home);
        }
    }

    private static void checkHome(int shard, Name name, FileEntry file, NamespaceModel.File expected, HomeRecord home) {
        Check.check(
                home.getEntryGroup() == shard
                        && home.getParentId() == name.directory()
                        && home.getName().equals(name.name()),
                "%s is known to its home as %s",
                name,
                home);
        boolean open = home.getState() == HomeRecord.State.OPEN;
        boolean unwritten = home.getState() == HomeRecord.State.UNWRITTEN;
        Check.check(
                !unwritten
                        || (expected.unwritten()
                                && !file.getOpen()
                                && (expected.writer() == 0 || home.getWriterSession() == expected.writer())),
                "%s is unwritten, and should be %s, open for %d: %s",
                name,
                expected.unwritten() ? "so" : "written",
                expected.writer(),
                file);
        Check.check(
                file.getUnwrittenBy() == 0 || file.getUnwrittenBy() == (unwritten ? home.getWriterSession() : 0),
                "%s is unwritten, and its home is %s",
                name,
                home);
        Check.check(
                unwritten
                        || (file.getOpen() == (home.getState() != HomeRecord.State.CLOSED)
                                && home.getWriterSession() == expected.writer()
                                && open == (expected.writer() != 0)),
                "%s is open for %d: %s and %s",
                name,
                expected.writer(),
                file,
                home);
        Check.check(
                open || (file.getLength() == home.getLength() && file.getContentVersion() == home.getContentVersion()),
                "%s and its home do not agree: %s and %s",
                name,
                file,
                home);
        Check.check(
                open || expected.length() == NamespaceModel.UNKNOWN_LENGTH || file.getLength() == expected.length(),
                "%s is %d bytes long, and should be %d",
                name,
                file.getLength(),
                expected.length());
    }

    private void checkNames() {
        model.files()
                .forEach((file, expected) -> Check.check(
                        named.getOrDefault(expected.name(), 0L).longValue() == file,
                        "file %x is lost; it should be %s",
                        file,
                        expected.name()));
        model.directories().forEach((directory, name) -> {
            if (directory != DirectoryId.ROOT.value()) {
                Check.check(marked.contains(name), "nothing keeps the name of directory %d, %s", directory, name);
            }
        });
    }

    private void checkHomes(int shard) {
        each(
                cluster.shard(shard),
                'f',
                (key, value) -> Check.check(
                        model.find(Keys.idOf(key)) != null,
                        "file %x is gone, and its home has it still",
                        Keys.idOf(key)));
        each(
                cluster.shard(shard),
                's',
                (key, value) -> Check.check(
                        cluster.shard(shard)
                                        .slice(new DirectoryId(Keys.idOf(key)))
                                        .getMoving()
                                == 0,
                        "directory %d counts moves that are over",
                        Keys.idOf(key)));
    }

    private void fsck(int shard) throws TatamiException {
        FsckRequest.Builder all = FsckRequest.newBuilder();
        model.directories().keySet().forEach(all::addDirectoryId);
        FsckReply report = new Fsck(ServersOfMap::view)
                .decide(
                        cluster.shard(shard),
                        new RequestContext(
                                RequestOrigin.SERVICE.caller(),
                                RequestOrigin.SERVICE.session(),
                                1,
                                Set.of(),
                                cluster.map()),
                        all.build());
        // A recovery leaves out the copies of servers that do not answer, and nothing makes them again.
        List<Finding> faults = report.getFindingList().stream()
                .filter(finding -> !finding.getProblem().startsWith("is under-replicated"))
                .toList();
        Check.check(faults.isEmpty(), "shard %d: %s", shard, faults);
    }

    // ------------------------------------------------------------------------------------------ parts

    private static boolean has(Records state, char kind) {
        return has(state, Keys.kind(kind));
    }

    private static boolean has(Records state, byte[] prefix) {
        try (View.Cursor cursor = state.draft().scan(prefix, Keys.after(prefix))) {
            return cursor.next();
        }
    }

    private static void each(Records state, char kind, BiConsumer<byte[], byte[]> body) {
        byte[] prefix = Keys.kind(kind);
        try (View.Cursor cursor = state.draft().scan(prefix, Keys.after(prefix))) {
            while (cursor.next()) {
                body.accept(cursor.key(), cursor.value());
            }
        }
    }
}
