package io.tatami.docs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Links lead somewhere, files that are named are there, and papers stay short. */
class DocumentsTest {
    private static final Path DOCS = Documents.ROOT.resolve("docs");
    private static final int DECISION_LINES_MAX = 60;
    private static final Pattern NAMED_FILE = Pattern.compile("`([A-Za-z-]+\\.(?:java|proto))`");

    @Test
    void everyLinkLeadsToAFileAndAHeading() throws IOException {
        List<String> broken = Documents.all().stream()
                .flatMap(Documents::links)
                .filter(link -> !Files.exists(link.file())
                        || (!link.anchor().isEmpty()
                                && !Documents.anchors(link.file()).contains(link.anchor())))
                .map(Documents.Link::toString)
                .toList();
        assertEquals(List.of(), broken);
    }

    @Test
    void everyFileOnTheWayOfACreateIsThereOnce() throws IOException {
        List<String> tree = sources();
        List<String> named = NAMED_FILE
                .matcher(Documents.text(DOCS.resolve("one-create.md")))
                .results()
                .map(found -> found.group(1))
                .distinct()
                .toList();
        assertTrue(named.size() > 40, () -> "only " + named);
        for (String name : named) {
            assertEquals(1, tree.stream().filter(name::equals).count(), name);
        }
    }

    @Test
    void aDecisionIsOnePage() throws IOException {
        try (Stream<Path> decisions = Files.list(DOCS.resolve("decisions"))) {
            for (Path decision : decisions.toList()) {
                long lines = Documents.text(decision).lines().count();
                assertTrue(lines <= DECISION_LINES_MAX, () -> decision.getFileName() + " has " + lines + " lines");
            }
        }
    }

    @Test
    void evidenceIsATableAndThePlotsThatDocumentsShow() throws IOException {
        Path evidence = DOCS.resolve("evidence");
        Set<Path> shown = Documents.all().stream()
                .flatMap(Documents::links)
                .map(Documents.Link::file)
                .filter(file -> file.startsWith(evidence))
                .collect(Collectors.toCollection(TreeSet::new));
        shown.add(evidence.resolve("README.md"));
        try (Stream<Path> files = Files.list(evidence)) {
            assertEquals(shown, files.collect(Collectors.toCollection(TreeSet::new)));
        }
    }

    @Test
    void rawRowsAndLogsAreIgnored() {
        List<String> ignored =
                Documents.text(Documents.ROOT.resolve(".gitignore")).lines().toList();
        assertTrue(ignored.containsAll(List.of("/benchmarks/results/", "soak/")), ignored::toString);
    }

    /** Names of all files of all modules' main sources. */
    private static List<String> sources() throws IOException {
        List<String> names = new ArrayList<>();
        try (Stream<Path> modules = Files.list(Documents.ROOT)) {
            for (Path module : modules.filter(DocumentsTest::isModule).toList()) {
                try (Stream<Path> files = Files.walk(module)) {
                    files.filter(file -> file.toString().contains("/src/main/"))
                            .forEach(file -> names.add(String.valueOf(file.getFileName())));
                }
            }
        }
        return names;
    }

    private static boolean isModule(Path directory) {
        return Files.exists(directory.resolve("pom.xml"));
    }
}
