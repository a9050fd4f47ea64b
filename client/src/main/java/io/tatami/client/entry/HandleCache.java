package io.tatami.client.entry;

import io.tatami.client.model.TatamiPath;
import java.util.Iterator;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The directories resolved lately, by path; at most so many, the one unused for longest goes first. Only what exists is
 * kept: that something is missing is never remembered. Safe for use by many threads.
 */
final class HandleCache {
    private final int entriesMax;

    /** By path, so that everything below a directory is one range. */
    private final TreeMap<String, Slot> byPath = new TreeMap<>();

    /** By when they were used last. */
    private final TreeMap<Long, Slot> byUse = new TreeMap<>();

    private long uses;

    private static final class Slot {
        final ResolvedDirectory directory;
        long usedAt;

        Slot(ResolvedDirectory directory) {
            this.directory = directory;
        }
    }

    HandleCache(int entriesMax) {
        this.entriesMax = entriesMax;
    }

    synchronized @Nullable ResolvedDirectory get(TatamiPath path) {
        Slot slot = byPath.get(path.toString());
        if (slot == null) {
            return null;
        }
        byUse.remove(slot.usedAt);
        use(slot);
        return slot.directory;
    }

    synchronized void put(ResolvedDirectory directory) {
        Slot slot = new Slot(directory);
        Slot replaced = byPath.put(directory.path().toString(), slot);
        if (replaced != null) {
            byUse.remove(replaced.usedAt);
        }
        use(slot);
        if (byPath.size() > entriesMax) {
            Map.Entry<Long, Slot> oldest = byUse.pollFirstEntry();
            byPath.remove(oldest.getValue().directory.path().toString());
        }
    }

    /** Forgets {@code path} and everything below it. */
    synchronized void drop(TatamiPath path) {
        if (path.isRoot()) {
            byPath.clear();
            byUse.clear();
            return;
        }
        Slot itself = byPath.remove(path.toString());
        if (itself != null) {
            byUse.remove(itself.usedAt);
        }
        // '0' follows '/', so this is the range of all texts that begin with the path and a slash.
        Iterator<Slot> below = byPath.subMap(path + "/", path + "0").values().iterator();
        while (below.hasNext()) {
            byUse.remove(below.next().usedAt);
            below.remove();
        }
    }

    private void use(Slot slot) {
        slot.usedAt = uses++;
        byUse.put(slot.usedAt, slot);
    }
}
