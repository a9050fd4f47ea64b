package io.tatami.meta.op;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.source.SourceTree;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * Every operation has tests, and the index in {@code docs/hacking.md} names them. Those nearest to it count: a test
 * that uses it; else tests of the fewest steps from a test to its rig, from that to what the service is made of, and
 * from that to the operation.
 */
final class OperationIndexTest {
    private static final Path PAGE = Path.of("..", "docs", "hacking.md");
    private static final String BEGIN = "<!-- index of operations: begin -->";
    private static final String END = "<!-- index of operations: end -->";
    private static final Pattern OPERATION = Pattern.compile("\\bimplements\\s+Operation<");

    /** From a test to its rig, from there to the handlers of a group, to a flow, and to the operation. */
    private static final int STEPS_MAX = 4;

    /** With {@code -Dtatami.index.write=true} the page is written and not compared. */
    private static final boolean WRITE = Boolean.getBoolean("tatami.index.write");

    @Test
    void theIndexNamesTheTestsOfEveryOperation() throws IOException {
        Map<String, SortedSet<String>> index = index(SourceTree.of(Path.of("src")));
        List<String> untested = index.entrySet().stream()
                .filter(row -> row.getValue().isEmpty())
                .map(Map.Entry::getKey)
                .toList();
        assertEquals(List.of(), untested, "operations that no test is near to");
        String page = Files.readString(PAGE);
        int from = page.indexOf(BEGIN) + BEGIN.length();
        int to = page.indexOf(END);
        assertTrue(from >= BEGIN.length() && to >= from, PAGE + " has no place for the index");
        if (WRITE) {
            Files.writeString(PAGE, page.substring(0, from) + table(index) + page.substring(to));
            return;
        }
        assertEquals(
                index,
                parsed(page.substring(from, to)),
                () -> PAGE + " is not what the tests are; write it by -Dtatami.index.write=true");
    }

    @Test
    void anOperationWithoutTestsIsNoticed() {
        SourceTree tree = SourceTree.ofTexts(Map.of(
                "io.tatami.meta.op.Tried", "package io.tatami.meta.op; class Tried implements Operation<A, B, C> {}",
                "io.tatami.meta.op.Untried",
                        "package io.tatami.meta.op; class Untried implements Operation<A, B, C> {}",
                "io.tatami.meta.op.OneTest",
                        "package io.tatami.meta.op; class OneTest { Tried tried; /* Untried */ }"));
        assertEquals(Map.of("Tried", new TreeSet<>(Set.of("OneTest")), "Untried", new TreeSet<>()), index(tree));
    }

    private static Map<String, SortedSet<String>> index(SourceTree tree) {
        Map<String, SortedSet<String>> index = new TreeMap<>();
        Set<String> operations = new HashSet<>();
        for (String type : tree.types()) {
            if (type.startsWith("io.tatami.meta.op.")
                    && OPERATION.matcher(tree.code(type)).find()) {
                operations.add(type);
            }
        }
        Map<String, Map<String, Integer>> steps = new TreeMap<>();
        for (String type : tree.types()) {
            if (type.endsWith("Test")) {
                steps.put(type, steps(tree, type, operations));
            }
        }
        for (String operation : operations) {
            int fewest = steps.values().stream()
                    .mapToInt(from -> from.getOrDefault(operation, STEPS_MAX + 1))
                    .min()
                    .orElse(STEPS_MAX + 1);
            SortedSet<String> nearest = new TreeSet<>();
            steps.forEach((test, from) -> {
                if (fewest <= STEPS_MAX && from.getOrDefault(operation, STEPS_MAX + 1) == fewest) {
                    nearest.add(simple(test));
                }
            });
            index.put(simple(operation), nearest);
        }
        return index;
    }

    /** How many steps it takes from a test to each class that it reaches; not through other tests or operations. */
    private static Map<String, Integer> steps(SourceTree tree, String test, Set<String> operations) {
        Map<String, Integer> steps = new TreeMap<>(Map.of(test, 0));
        List<String> last = List.of(test);
        for (int step = 1; step <= STEPS_MAX; step++) {
            Set<String> next = new LinkedHashSet<>();
            for (String type : last) {
                for (String used : tree.uses(type)) {
                    boolean isNew = steps.putIfAbsent(used, step) == null;
                    if (isNew && !used.endsWith("Test") && !operations.contains(used)) {
                        next.add(used);
                    }
                }
            }
            last = new ArrayList<>(next);
        }
        return steps;
    }

    private static String simple(String type) {
        return type.substring(type.lastIndexOf('.') + 1);
    }

    /** Operations with the same tests share a row. */
    private static String table(Map<String, SortedSet<String>> index) {
        Map<String, SortedSet<String>> byTests = new TreeMap<>();
        index.forEach((operation, tests) -> byTests.computeIfAbsent(String.join(", ", tests), none -> new TreeSet<>())
                .add(operation));
        StringBuilder table = new StringBuilder("\n| operations | tests |\n| --- | --- |\n");
        byTests.forEach((tests, operations) -> table.append("| ")
                .append(String.join(", ", operations))
                .append(" | ")
                .append(tests)
                .append(" |\n"));
        return table.toString();
    }

    private static Map<String, SortedSet<String>> parsed(String table) {
        Map<String, SortedSet<String>> index = new TreeMap<>();
        List<String> rows = table.lines().filter(line -> line.startsWith("|")).toList();
        for (String row : rows.subList(Math.min(2, rows.size()), rows.size())) {
            String[] cells = row.split("\\|", -1);
            for (String operation : cells[1].strip().split(", ", -1)) {
                assertFalse(index.containsKey(operation), operation + " is there twice");
                index.put(operation, new TreeSet<>(List.of(cells[2].strip().split(", ", -1))));
            }
        }
        return index;
    }
}
