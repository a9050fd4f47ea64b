package io.tatami.benchmarks;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * The arrows between the packages of this module, read in its sources: the harness knows no workload, a workload knows
 * no other but for what is named here, and the quickstart knows the harness alone.
 */
class PackageArrowsTest {
    private static final Path SOURCES = Path.of("src", "main", "java");
    private static final String ROOT = "io.tatami.benchmarks";
    private static final Pattern NAMED = Pattern.compile("\\bio\\.tatami\\.benchmarks((?:\\.[a-z]+)+)\\.[A-Z]");

    /** What a package may name beside itself, by the beginnings of packages; the command line may name all. */
    private static final Map<String, List<String>> ARROWS = Map.of(
            "", List.of("."),
            ".harness.host", List.of(),
            ".harness.report", List.of(".harness.host"),
            ".harness.trace", List.of(".harness.host", ".harness.report"),
            ".harness.yarn", List.of(".harness.host"),
            ".harness.peer", List.of(".harness.host", ".harness.report"),
            ".harness.client", List.of(".harness.host", ".harness.peer"),
            ".quickstart", List.of(".harness."),
            ".workload.ceiling", List.of(".harness.", ".workload.meta"),
            ".workload.stream", List.of(".harness.", ".workload.scan"));

    private static final List<String> OF_A_WORKLOAD = List.of(".harness.");

    @Test
    void packagesNameOnlyWhatTheyMay() throws IOException {
        List<String> forbidden = new ArrayList<>();
        for (Path file : sources()) {
            String from = packageOf(file);
            List<String> allowed = ARROWS.getOrDefault(from, OF_A_WORKLOAD);
            NAMED.matcher(Files.readString(file))
                    .results()
                    .map(named -> named.group(1))
                    .forEach(to -> {
                        if (!to.equals(from) && allowed.stream().noneMatch(to::startsWith)) {
                            forbidden.add(file.getFileName() + " of " + from + " names " + to);
                        }
                    });
        }
        assertEquals(List.of(), forbidden);
    }

    @Test
    void everyPackageIsOfTheHarnessAWorkloadOrTheQuickstart() throws IOException {
        assertEquals(
                List.of(),
                sources().stream()
                        .map(PackageArrowsTest::packageOf)
                        .filter(name -> !ARROWS.containsKey(name) && !name.startsWith(".workload."))
                        .distinct()
                        .toList());
    }

    private static List<Path> sources() throws IOException {
        Path root = SOURCES.resolve(ROOT.replace('.', '/'));
        try (Stream<Path> found = Files.walk(root)) {
            return found.filter(file -> file.toString().endsWith(".java")).toList();
        }
    }

    /** Behind the name of this module's root. */
    private static String packageOf(Path file) {
        String name = SOURCES.relativize(file).toString().replace('/', '.');
        return name.substring(ROOT.length(), name.lastIndexOf('.', name.length() - ".java".length() - 1));
    }
}
