package io.tatami.crash;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/**
 * What a cluster has acknowledged to one client, as a tree of what every path must hold, and beside it what the tree
 * may also be while an operation is not answered: the operation happened or not, and never half. Used by one thread.
 */
final class Ledger {
    private TreeMap<String, Node> tree = new TreeMap<>();
    private List<TreeMap<String, Node>> possible = List.of(tree);
    private String pending = "";
    private final AtomicLong acknowledged = new AtomicLong();

    /** The tree as it was acknowledged; changed only by {@link #begin} and {@link #acknowledge}. */
    Map<String, Node> tree() {
        return tree;
    }

    /** How many operations were acknowledged; may be asked by any thread. */
    long acknowledged() {
        return acknowledged.get();
    }

    /** An operation is about to be sent that does {@code change} or nothing. */
    void begin(String operation, Consumer<TreeMap<String, Node>> change) {
        beginAnyOf(operation, List.of(change));
    }

    /** An operation is about to be sent that does nothing, or what one of these does; the last is all of it. */
    void beginAnyOf(String operation, List<Consumer<TreeMap<String, Node>>> changes) {
        pending = operation;
        List<TreeMap<String, Node>> outcomes = new ArrayList<>(List.of(tree));
        for (Consumer<TreeMap<String, Node>> change : changes) {
            TreeMap<String, Node> after = new TreeMap<>(tree);
            change.accept(after);
            outcomes.add(after);
        }
        possible = outcomes;
    }

    /** The operation was done. */
    void acknowledge() {
        settle(possible.get(possible.size() - 1));
        acknowledged.incrementAndGet();
    }

    /** After a crash the cluster shows {@code found}, one of the possible trees. */
    void settle(TreeMap<String, Node> found) {
        tree = found;
        possible = List.of(tree);
        pending = "";
    }

    /**
     * Compares what the cluster shows after a crash, every file read to its end, with all that may be there, and goes
     * on with it.
     *
     * @param found closed files
     */
    void compare(TreeMap<String, Node> found, String when) {
        List<String> differences = new ArrayList<>();
        for (TreeMap<String, Node> candidate : possible) {
            String difference = difference(candidate, found);
            if (difference.isEmpty()) {
                settle(found);
                return;
            }
            differences.add(difference);
        }
        throw new AssertionError(when + ": " + (pending.isEmpty() ? "nothing was under way" : "under way: " + pending)
                + "; after the crash " + differences);
    }

    private static String difference(Map<String, Node> expected, Map<String, Node> found) {
        for (Map.Entry<String, Node> entry : expected.entrySet()) {
            Node there = found.get(entry.getKey());
            if (there == null) {
                return entry.getKey() + " is lost";
            }
            String difference = difference(entry.getValue(), there);
            if (!difference.isEmpty()) {
                return entry.getKey() + difference;
            }
        }
        for (String path : found.keySet()) {
            if (!expected.containsKey(path)) {
                return path + " should not be there";
            }
        }
        return "";
    }

    private static String difference(Node expected, Node found) {
        if (expected instanceof Node.Content content && found instanceof Node.Content read) {
            if (!content.allows(read.issued())) {
                return " has " + read.issued().length + " bytes; right would be " + content.lengthMin() + " to "
                        + content.issued().length + " bytes, and the first wrong one is at "
                        + Arrays.mismatch(content.issued(), read.issued());
            }
        } else if (!expected.getClass().equals(found.getClass())) {
            return " is a " + found.getClass().getSimpleName();
        } else if (expected instanceof Node.Link && !expected.equals(found)) {
            return " is " + found;
        }
        return expected.mode() == found.mode() ? "" : " has mode " + Integer.toOctalString(found.mode());
    }
}
