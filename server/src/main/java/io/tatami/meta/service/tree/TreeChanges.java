package io.tatami.meta.service.tree;

import io.tatami.meta.service.GroupStoppedException;
import io.tatami.meta.state.TreeVersion;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The versions of a leader's term, and the changes of the tree that are announced but not over.
 *
 * <p>Whoever resolves a path takes a {@link #moment}, reads the tree, and then asks for a {@link #disturbance}. Where
 * there is none, every change up to the moment's version that concerns the path was over before the tree was read, so
 * what was read may carry that version. All other changes have higher versions and make the handle stale wherever they
 * are known. Safe for use by many threads, which hold its lock only briefly.
 */
public final class TreeChanges {
    private static final int TERM_SHIFT = 40;

    /** How many directories are remembered after their change; only resolves that take longer than so many repeat. */
    private static final int FINISHED_MAX = 16_384;

    private final Map<Long, List<Change>> pending = new HashMap<>();
    private final LinkedHashMap<Long, Long> finishedAt = new LinkedHashMap<>();
    private TreeVersion latest;
    private long finished;
    private long forgotten;

    TreeChanges(long term) {
        latest = new TreeVersion(term << TERM_SHIFT);
    }

    /** A change of some directories under one version. */
    static final class Change {
        private final TreeVersion version;
        private final List<Long> directories;
        private final CompletableFuture<Void> over = new CompletableFuture<>();

        private Change(TreeVersion version, List<Long> directories) {
            this.version = version;
            this.directories = directories;
        }

        TreeVersion version() {
            return version;
        }
    }

    /** When a reader began. */
    public record Moment(TreeVersion version, long finished) {}

    /** A version above all before it, for something that is no change of a directory. */
    synchronized TreeVersion nextVersion() {
        latest = latest.next();
        return latest;
    }

    public synchronized TreeVersion latestVersion() {
        return latest;
    }

    /** From here on paths through these directories are not resolved, until {@link #finish} or for good. */
    synchronized Change begin(List<Long> directories) {
        Change change = new Change(nextVersion(), List.copyOf(directories));
        for (long directory : change.directories) {
            pending.computeIfAbsent(directory, key -> new ArrayList<>(1)).add(change);
        }
        return change;
    }

    /**
     * It is not known whether the change is committed, and this leader will not learn it: it stays pending, and whoever
     * waits for it fails.
     */
    void abandon(Change change, GroupStoppedException why) {
        change.over.completeExceptionally(why);
    }

    /** The change is committed, or will never be. */
    void finish(Change change) {
        synchronized (this) {
            finished++;
            for (long directory : change.directories) {
                pending.computeIfPresent(directory, (key, changes) -> {
                    changes.remove(change);
                    return changes.isEmpty() ? null : changes;
                });
                finishedAt.remove(directory);
                finishedAt.put(directory, finished);
            }
            while (finishedAt.size() > FINISHED_MAX) {
                Map.Entry<Long, Long> eldest = finishedAt.entrySet().iterator().next();
                forgotten = eldest.getValue();
                finishedAt.remove(eldest.getKey());
            }
        }
        change.over.complete(null);
    }

    public synchronized Moment moment() {
        return new Moment(latest, finished);
    }

    /**
     * Null where what was read since {@code since} of a path through these directories may carry its version. Else a
     * future after which the path is to be resolved again.
     */
    public synchronized @Nullable CompletableFuture<Void> disturbance(Moment since, List<Long> directories) {
        boolean changed = since.finished() < forgotten;
        for (long directory : directories) {
            List<Change> changes = pending.get(directory);
            if (changes != null) {
                return changes.get(0).over;
            }
            changed |= finishedAt.getOrDefault(directory, 0L) > since.finished();
        }
        return changed ? CompletableFuture.completedFuture(null) : null;
    }
}
