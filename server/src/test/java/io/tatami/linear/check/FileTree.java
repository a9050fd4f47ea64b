package io.tatami.linear.check;

import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The model: a small file system that does one call after the other, for the superuser, as HDFS does. Never changes.
 *
 * <p>Nodes are told as {@code dir}, {@code open:N}, {@code file:N} and {@code lost:N}, a listing as {@code [d/
 * f=file:N]}. A file that is open has nothing in it before it is closed, and when the leader of its shard changes it
 * counts as closed and empty, for good or until its maker closes it: then it is told as lost. Results of changes are
 * {@code ok}, {@code true} and {@code false}, or the code of an error. Where a call is refused for two reasons at once,
 * either of them may be told.
 */
public final class FileTree {
    public static final FileTree EMPTY = new FileTree(new TreeMap<>(), Set.of());

    private static final String DIRECTORY = "dir";
    private static final String OPEN = "open:";
    private static final String CLOSED = "file:";
    private static final String LOST = "lost:";
    private static final String OK = "ok";
    private static final String NOT_FOUND = "NOT_FOUND";
    private static final String NOT_A_DIRECTORY = "NOT_A_DIRECTORY";
    private static final String ALREADY_EXISTS = "ALREADY_EXISTS";

    /** Of a file whose maker does not know that it has made one. */
    private static final String UNKNOWN = ":?";

    private static final Pattern ANY_OPEN = Pattern.compile("(open|lost):\\d+");

    /** By path, without the root. */
    private final TreeMap<String, String> nodes;

    /** Files that were renamed while they were open. */
    private final Set<String> moved;

    private final int hash;

    private FileTree(TreeMap<String, String> nodes, Set<String> moved) {
        this.nodes = nodes;
        this.moved = moved;
        this.hash = 31 * nodes.hashCode() + moved.hashCode();
    }

    /**
     * What a call does.
     *
     * @param after the tree then; the same object where nothing changes
     * @param results of which one is told
     */
    public record Answer(FileTree after, Set<String> results) {
        /** Whether a client may have been told {@code result}. */
        public boolean allows(String result) {
            return result.contains(UNKNOWN)
                    ? results.stream()
                            .anyMatch(one -> ANY_OPEN.matcher(one)
                                    .replaceAll("$1" + UNKNOWN)
                                    .equals(result))
                    : results.contains(result);
        }
    }

    public Answer apply(Call call) {
        return switch (call.kind()) {
            case MKDIR -> mkdirs(call.path(), false);
            case MKDIRS -> mkdirs(call.path(), true);
            case CREATE -> create(call, false);
            case OVERWRITE -> create(call, true);
            case CLOSE -> close(call.file());
            case RENAME -> rename(call.path(), call.other(), false);
            case REPLACE -> rename(call.path(), call.other(), true);
            case DELETE -> delete(call.path(), false);
            case DELETE_ALL -> delete(call.path(), true);
            case STATUS -> status(call.path());
            case LIST -> list(call.path());
        };
    }

    /**
     * The tree in which all files are lost of which {@code result} of a call tells it; this one where there are none.
     */
    FileTree losing(Call call, String result) {
        Set<String> lost = new TreeSet<>();
        if (result.startsWith(LOST) || (call.kind() == Call.Kind.CREATE && result.equals(ALREADY_EXISTS))) {
            lost.add(call.path());
        } else if (result.startsWith("[")) {
            for (String entry : result.substring(1, result.length() - 1).split(" ", -1)) {
                int end = entry.indexOf("=" + LOST);
                if (end > 0) {
                    lost.add((call.path().equals("/") ? "" : call.path()) + "/" + entry.substring(0, end));
                }
            }
        }
        lost.removeIf(path -> !nodes.getOrDefault(path, "").startsWith(OPEN));
        if (lost.isEmpty()) {
            return this;
        }
        TreeMap<String, String> after = new TreeMap<>(nodes);
        lost.forEach(path -> after.computeIfPresent(path, (same, node) -> node.replace(OPEN, LOST)));
        return new FileTree(after, moved);
    }

    private Answer mkdirs(String path, boolean parents) {
        String blocked = blocked(path);
        String there = nodes.get(path);
        if (blocked != null && (!parents || blocked.equals(NOT_A_DIRECTORY))) {
            return told(blocked);
        }
        if (there != null) {
            return told(there.equals(DIRECTORY) ? "false" : ALREADY_EXISTS);
        }
        TreeMap<String, String> after = new TreeMap<>(nodes);
        for (String made = path; !made.isEmpty(); made = parent(made)) {
            after.put(made, DIRECTORY);
        }
        return changed(after, "true");
    }

    private Answer create(Call call, boolean overwrite) {
        String blocked = blocked(call.path());
        String there = nodes.get(call.path());
        if (blocked != null) {
            return told(blocked);
        }
        if (there != null && (there.equals(DIRECTORY) || !overwrite)) {
            // The shard of a file's new name hears a moment later that it was closed.
            return moved.contains(there.replace(CLOSED, OPEN).replace(LOST, OPEN))
                    ? new Answer(this, Set.of("LEASE_HELD", ALREADY_EXISTS))
                    : told(there.startsWith(OPEN) ? "LEASE_HELD" : ALREADY_EXISTS);
        }
        TreeMap<String, String> after = new TreeMap<>(nodes);
        after.put(call.path(), OPEN + call.file());
        return changed(after, OK);
    }

    private Answer close(int file) {
        for (Map.Entry<String, String> node : nodes.entrySet()) {
            if (node.getValue().equals(OPEN + file) || node.getValue().equals(LOST + file)) {
                TreeMap<String, String> after = new TreeMap<>(nodes);
                after.put(node.getKey(), CLOSED + file);
                return changed(after, OK);
            }
        }
        // A file that was renamed may have its home elsewhere, which hears of the deletion a moment later.
        return moved.contains(OPEN + file) ? new Answer(this, Set.of("LEASE_EXPIRED", OK)) : told("LEASE_EXPIRED");
    }

    private Answer rename(String source, String destination, boolean overwrite) {
        Set<String> refusals = renameRefusals(source, destination, overwrite);
        if (!refusals.isEmpty()) {
            return new Answer(this, refusals);
        }
        TreeMap<String, String> after = new TreeMap<>(nodes);
        after.keySet().removeIf(path -> isAtOrBelow(path, source) || path.equals(destination));
        nodes.forEach((path, node) -> {
            if (isAtOrBelow(path, source)) {
                after.put(destination + path.substring(source.length()), node);
            }
        });
        Set<String> movedThen = moved;
        String renamed = nodes.getOrDefault(source, "").replace(LOST, OPEN);
        if (renamed.startsWith(OPEN)) {
            movedThen = new HashSet<>(moved);
            movedThen.add(renamed);
        }
        return new Answer(new FileTree(after, movedThen), Set.of(OK));
    }

    /** Why not; empty where nothing is in the way. */
    private Set<String> renameRefusals(String source, String destination, boolean overwrite) {
        Set<String> refusals = new TreeSet<>();
        String from = nodes.get(source);
        String to = nodes.get(destination);
        String sourceBlocked = blocked(source);
        String blocked = blocked(destination);
        if (from == null) {
            refusals.add(sourceBlocked == null ? NOT_FOUND : sourceBlocked);
        } else if (from.equals(DIRECTORY) && destination.startsWith(source + "/")) {
            refusals.add("INVALID_ARGUMENT");
        }
        if (blocked != null) {
            refusals.add(blocked);
        }
        if (to != null && refusals.isEmpty() && source.equals(destination)) {
            refusals.add(ALREADY_EXISTS);
        } else if (to != null) {
            addIfInTheWay(from == null ? CLOSED : from, destination, to, overwrite, refusals);
        }
        return refusals;
    }

    private void addIfInTheWay(String from, String destination, String to, boolean overwrite, Set<String> refusals) {
        boolean isDirectory = from.equals(DIRECTORY);
        if (isDirectory != to.equals(DIRECTORY)) {
            refusals.add(isDirectory ? "INVALID_ARGUMENT" : "IS_A_DIRECTORY");
        }
        if (!overwrite && (isDirectory || !to.equals(DIRECTORY))) {
            refusals.add(ALREADY_EXISTS);
        } else if (isDirectory && hasChildren(destination)) {
            refusals.add("NOT_EMPTY");
        }
    }

    private Answer delete(String path, boolean recursive) {
        String blocked = blocked(path);
        if (blocked != null && blocked.equals(NOT_A_DIRECTORY)) {
            return told(blocked);
        }
        if (!nodes.containsKey(path)) {
            return told("false");
        }
        if (!recursive && hasChildren(path)) {
            return told("NOT_EMPTY");
        }
        TreeMap<String, String> after = new TreeMap<>(nodes);
        after.keySet().removeIf(each -> isAtOrBelow(each, path));
        return changed(after, "true");
    }

    private Answer status(String path) {
        String blocked = blocked(path);
        String there = nodes.get(path);
        return told(blocked != null ? blocked : there != null ? there : NOT_FOUND);
    }

    private Answer list(String path) {
        boolean isRoot = path.equals("/");
        String blocked = blocked(path);
        String there = isRoot ? DIRECTORY : nodes.get(path);
        if (blocked != null || there == null) {
            return told(blocked != null ? blocked : NOT_FOUND);
        }
        if (!there.equals(DIRECTORY)) {
            return told(there);
        }
        StringBuilder entries = new StringBuilder();
        String parent = isRoot ? "" : path;
        nodes.forEach((each, node) -> {
            if (parent(each).equals(parent)) {
                entries.append(entries.isEmpty() ? "" : " ").append(entry(each.substring(parent.length() + 1), node));
            }
        });
        return told("[" + entries + "]");
    }

    /** A node as listings tell it. */
    public static String entry(String name, String node) {
        return node.equals(DIRECTORY) ? name + "/" : name + "=" + node;
    }

    /** Why there is no directory above a path: the first name that is none; null where there is one. */
    private @Nullable String blocked(String path) {
        for (int slash = path.indexOf('/', 1); slash > 0; slash = path.indexOf('/', slash + 1)) {
            String above = nodes.get(path.substring(0, slash));
            if (!DIRECTORY.equals(above)) {
                return above == null ? NOT_FOUND : NOT_A_DIRECTORY;
            }
        }
        return null;
    }

    private boolean hasChildren(String path) {
        String next = nodes.higherKey(path + "/");
        return next != null && next.startsWith(path + "/");
    }

    private static boolean isAtOrBelow(String path, String top) {
        return path.startsWith(top) && (path.length() == top.length() || path.charAt(top.length()) == '/');
    }

    private static String parent(String path) {
        return path.substring(0, path.lastIndexOf('/'));
    }

    private Answer told(String result) {
        return new Answer(this, Set.of(result));
    }

    private Answer changed(TreeMap<String, String> after, String result) {
        return new Answer(new FileTree(after, moved), Set.of(result));
    }

    /** Whether {@code call} is of the kinds that change nothing when they are refused or told {@code false}. */
    static boolean changesNothing(Call call, String result) {
        return !call.kind().isChange() || !(result.equals(OK) || result.equals("true"));
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof FileTree tree
                && tree.hash == hash
                && tree.nodes.equals(nodes)
                && tree.moved.equals(moved);
    }

    @Override
    public int hashCode() {
        return hash;
    }

    @Override
    public String toString() {
        return nodes.toString();
    }
}
