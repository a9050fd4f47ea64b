package io.tatami.meta.service.tree;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.DirectoryId;
import io.tatami.base.GroupId;
import io.tatami.meta.state.Keys;
import io.tatami.meta.state.TreeState;
import io.tatami.meta.state.TreeState.Named;
import io.tatami.meta.state.View;
import io.tatami.meta.state.wire.EntryRecord;
import io.tatami.protocol.Placement;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeSet;

/** Reads the stores of a cluster, and says what is in them and whether it agrees. */
final class TreeInspector {
    private final TreeCluster cluster;
    private final Map<DirectoryId, String> paths = new HashMap<>();
    private final Map<DirectoryId, Named> directories = new HashMap<>();
    private final TreeSet<String> files = new TreeSet<>();

    private TreeInspector(TreeCluster cluster) {
        this.cluster = cluster;
    }

    /**
     * Walks the tree and reads the shards.
     *
     * <p>Asserts that every directory is reached exactly once and knows its own name, and that its name is kept free of
     * files in the shard that owns it.
     */
    static TreeInspector inspect(TreeCluster cluster) {
        TreeInspector inspector = new TreeInspector(cluster);
        cluster.readTree(inspector::walk);
        inspector.directories.values().forEach(inspector::readEntries);
        return inspector;
    }

    /** Paths of all directories but the root, in order. */
    List<String> directories() {
        TreeSet<String> all = new TreeSet<>(paths.values());
        all.remove("");
        return List.copyOf(all);
    }

    /** Paths of all files in directories that are in the tree. */
    List<String> files() {
        return List.copyOf(files);
    }

    /** Entries in directories that are not in the tree, by shard; there are none once everything is reclaimed. */
    List<String> orphans() {
        List<String> orphans = new ArrayList<>();
        for (int shard = 0; shard < TreeCluster.SHARDS; shard++) {
            GroupId group = GroupId.ofShard(shard);
            cluster.readShard(group, state -> {
                byte[] prefix = Keys.kind('e');
                try (View.Cursor cursor = state.draft().scan(prefix, Keys.after(prefix))) {
                    while (cursor.next()) {
                        DirectoryId directory = new DirectoryId(Keys.idOf(cursor.key()));
                        if (!directories.containsKey(directory)) {
                            orphans.add(group + " " + directory + "/" + Keys.nameOf(cursor.key()));
                        }
                    }
                }
            });
        }
        return orphans;
    }

    private void walk(TreeState tree) {
        ArrayDeque<Named> waiting = new ArrayDeque<>();
        waiting.add(new Named(DirectoryId.NONE, "", tree.root()));
        paths.put(DirectoryId.ROOT, "");
        directories.put(DirectoryId.ROOT, waiting.element());
        while (!waiting.isEmpty()) {
            Named directory = waiting.remove();
            String path = paths.get(directory.id());
            for (Named child : tree.children(directory.id(), "", Integer.MAX_VALUE)) {
                assertEquals(null, paths.put(child.id(), path + "/" + child.name()), child + " is reached twice");
                assertEquals(child, tree.find(child.id()));
                directories.put(child.id(), child);
                waiting.add(child);
            }
        }
    }

    private void readEntries(Named directory) {
        for (int shard = 0; shard < TreeCluster.SHARDS; shard++) {
            cluster.readShard(GroupId.ofShard(shard), state -> {
                for (String name : new ArrayList<>(TestFiles.names(state, directory.id()))) {
                    EntryRecord entry = state.entry(directory.id(), name);
                    if (entry != null && entry.hasFile()) {
                        files.add(paths.get(directory.id()) + "/" + name);
                    }
                }
            });
        }
        if (!directory.id().equals(DirectoryId.ROOT)) {
            Named parent = Objects.requireNonNull(directories.get(directory.parent()));
            GroupId owner = Placement.shardOf(
                    directory.parent(), directory.name(), parent.record().getSpread(), TreeCluster.SHARDS);
            cluster.readShard(owner, state -> {
                EntryRecord entry = state.entry(directory.parent(), directory.name());
                assertNotNull(entry, "nothing keeps the name of " + paths.get(directory.id()));
                assertTrue(entry.hasMarker(), "a file has the name of " + paths.get(directory.id()));
            });
        }
    }
}
