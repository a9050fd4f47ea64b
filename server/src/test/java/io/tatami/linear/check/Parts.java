package io.tatami.linear.check;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Divides a history by what lies directly below the root, as far as no rename connects two of those: each part is a
 * history of its own, and the whole is linearizable exactly where all are (Herlihy and Wing 1990, locality; Horn and
 * Kroening, "Faster linearizability checking via P-compositionality", 2015).
 */
final class Parts {
    private final Map<String, String> leaders = new HashMap<>();

    private Parts() {}

    static List<List<Operation>> of(List<Operation> history) {
        return new Parts().divide(history);
    }

    private List<List<Operation>> divide(List<Operation> history) {
        Map<Integer, String> files = new HashMap<>();
        for (Operation operation : history) {
            Call call = operation.call();
            if (call.path().equals("/")) {
                return List.of(history);
            }
            if (!call.other().isEmpty()) {
                leaders.put(leader(top(call.path())), leader(top(call.other())));
            } else if (call.file() > 0 && !call.path().isEmpty()) {
                files.put(call.file(), top(call.path()));
            }
        }
        Map<String, List<Operation>> parts = new TreeMap<>();
        for (Operation operation : history) {
            Call call = operation.call();
            String top = call.path().isEmpty() ? files.getOrDefault(call.file(), "") : top(call.path());
            parts.computeIfAbsent(leader(top), key -> new ArrayList<>()).add(operation);
        }
        return new ArrayList<>(parts.values());
    }

    private static String top(String path) {
        int slash = path.indexOf('/', 1);
        return slash < 0 ? path : path.substring(0, slash);
    }

    private String leader(String top) {
        String at = top;
        for (String next = leaders.get(at); next != null && !next.equals(at); next = leaders.get(at)) {
            at = next;
        }
        return at;
    }
}
