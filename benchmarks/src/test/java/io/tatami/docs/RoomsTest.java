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

/** A package has few files, and a simple name stands for one class, over the main code of all modules. */
final class RoomsTest {
    private static final int FILES_MAX = 25;

    @Test
    void noPackageHasMoreThanTwentyFiveFiles() throws IOException {
        Map<String, Long> files = mainSources().stream()
                .collect(Collectors.groupingBy(
                        source -> String.valueOf(source.getParent()), TreeMap::new, Collectors.counting()));
        assertTrue(files.size() > 50, () -> "only " + files.size() + " packages were found");
        files.values().removeIf(count -> count <= FILES_MAX);
        assertEquals(Map.of(), files);
    }

    @Test
    void noSimpleNameStandsForTwoClasses() throws IOException {
        TreeSet<String> seen = new TreeSet<>();
        TreeSet<String> twice = new TreeSet<>();
        for (Path source : mainSources()) {
            String name = String.valueOf(source.getFileName());
            if (!name.equals("package-info.java") && !seen.add(name)) {
                twice.add(name);
            }
        }
        assertTrue(seen.size() > 500, () -> "only " + seen.size() + " classes were found");
        assertEquals(new TreeSet<String>(), twice);
    }

    private static List<Path> mainSources() throws IOException {
        return SourceNames.sources().stream()
                .filter(source -> source.toString().contains("/src/main/java/"))
                .filter(source -> !source.toString().contains("/target/"))
                .toList();
    }
}
