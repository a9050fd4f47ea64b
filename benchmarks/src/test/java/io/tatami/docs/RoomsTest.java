package io.tatami.docs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** A package has few classes, and a simple name stands for one class, over the main code of all modules. */
final class RoomsTest {
    private static final int CLASSES_MAX = 25;

    @Test
    void noPackageHasMoreThanTwentyFiveClasses() throws IOException {
        Map<String, Long> classes = mainClasses().stream()
                .collect(Collectors.groupingBy(
                        source -> String.valueOf(source.getParent()), TreeMap::new, Collectors.counting()));
        assertTrue(classes.size() > 50, () -> "only " + classes.size() + " packages were found");
        classes.values().removeIf(count -> count <= CLASSES_MAX);
        assertEquals(Map.of(), classes);
    }

    @Test
    void noSimpleNameStandsForTwoClasses() throws IOException {
        TreeSet<String> seen = new TreeSet<>();
        TreeSet<String> twice = new TreeSet<>();
        for (Path source : mainClasses()) {
            String name = String.valueOf(source.getFileName());
            if (!seen.add(name)) {
                twice.add(name);
            }
        }
        assertTrue(seen.size() > 500, () -> "only " + seen.size() + " classes were found");
        assertEquals(new TreeSet<String>(), twice);
    }

    private static List<Path> mainClasses() throws IOException {
        return SourceNames.sources().stream()
                .filter(source -> source.toString().contains("/src/main/java/"))
                .filter(source -> !source.toString().contains("/target/"))
                .filter(source -> !source.endsWith("package-info.java"))
                .toList();
    }
}
