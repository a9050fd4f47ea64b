package io.tatami;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** A class is found by its simple name, which no other one has in the main code of any module. */
final class SimpleNamesTest {
    private static final List<String> MODULES = List.of("client", "server", "fs-plugin", "benchmarks");
    private static final String MAIN = "/src/main/java/";

    @Test
    void noSimpleNameStandsTwiceInMainCode() throws IOException {
        List<Path> classes = new ArrayList<>();
        for (String module : MODULES) {
            try (Stream<Path> files = Files.walk(Path.of("..", module))) {
                files.filter(SimpleNamesTest::isMainClass).forEach(classes::add);
            }
        }
        assertTrue(classes.size() > 500, () -> "only " + classes.size() + " classes are found");
        Map<String, List<Path>> places = classes.stream()
                .collect(Collectors.groupingBy(
                        file -> file.getFileName().toString(), TreeMap::new, Collectors.toList()));
        places.values().removeIf(files -> files.size() == 1);
        assertEquals(Map.of(), places);
    }

    private static boolean isMainClass(Path file) {
        String text = file.toString();
        return text.contains(MAIN) && text.endsWith(".java") && !text.endsWith("package-info.java");
    }
}
