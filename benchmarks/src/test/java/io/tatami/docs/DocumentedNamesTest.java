package io.tatami.docs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Documents name only classes and packages that exist, and the glossary gives each word one meaning. */
final class DocumentedNamesTest {
    private static final Pattern ROW = Pattern.compile("(?m)^\\| ([^|]+) \\| ([^|]+) \\| ([^|]+) \\|$");
    private static final Pattern CODE = Pattern.compile("`([^`\\n]+)`");
    private static final Pattern CLASS =
            Pattern.compile("((?:io\\.tatami(?:\\.[a-z]+)*\\.)?)([A-Z][a-z0-9]+(?:[A-Z][A-Za-z0-9]*)+)(?:[.#]\\w+)?");
    private static final Pattern PACKAGE = Pattern.compile("io\\.tatami(?:\\.[a-z]+)*");

    /** Names of Hadoop, HBase, Flink, Ratis and Java. */
    private static final Set<String> FOREIGN = Set.of(
            "AbstractFileSystem",
            "ExitUtils",
            "FileContext",
            "FileSink",
            "FileSystem",
            "FileSystemCounter",
            "LeaseRecoverable",
            "LocalFileSystem",
            "SafeMode",
            "UnsupportedOperationException");

    private static final Pattern ALERT = Pattern.compile("^\\s*- alert: (\\w+)$", Pattern.MULTILINE);

    @Test
    void everyClassOfTheGlossaryExists() throws IOException {
        Set<String> classes = SourceNames.classes();
        Set<String> packages = SourceNames.packages();
        Set<String> missing = new TreeSet<>();
        int named = 0;
        for (List<String> row : glossary()) {
            Matcher code = CODE.matcher(row.get(2));
            while (code.find()) {
                named++;
                if (!classes.contains(code.group(1)) && !packages.contains(code.group(1))) {
                    missing.add(row.get(0) + ": " + code.group(1));
                }
            }
        }
        assertTrue(named > 100, "the glossary names " + named + " places: its rows are not read");
        assertEquals(Set.of(), missing, "neither a class nor a package");
    }

    @Test
    void eachWordOfTheGlossaryHasOneRow() throws IOException {
        Set<String> words = new TreeSet<>();
        Set<String> twice = new TreeSet<>();
        for (List<String> row : glossary()) {
            if (!words.add(row.get(0))) {
                twice.add(row.get(0));
            }
        }
        assertEquals(Set.of(), twice);
    }

    @Test
    void documentsNameOnlyClassesThatExist() throws IOException {
        Set<String> classes = new TreeSet<>(SourceNames.classes());
        classes.addAll(alerts());
        Set<String> packages = SourceNames.packages();
        Set<String> missing = new TreeSet<>();
        for (Path page : Documents.all()) {
            if (isHistory(page)) {
                continue;
            }
            Matcher code = CODE.matcher(Documents.text(page));
            while (code.find()) {
                String name = code.group(1);
                Matcher type = CLASS.matcher(name);
                boolean missesType =
                        type.matches() && !classes.contains(type.group(2)) && !FOREIGN.contains(type.group(2));
                boolean missesPackage = PACKAGE.matcher(name).matches() && !packages.contains(name);
                if (missesType || missesPackage) {
                    missing.add(Documents.ROOT.relativize(page) + ": " + name);
                }
            }
        }
        assertEquals(Set.of(), missing, "no class, message or package has this name");
    }

    /** Those of the alert rules. */
    private static Set<String> alerts() {
        String rules = Documents.text(Documents.ROOT.resolve("conf/monitoring/alerts.yml"));
        Set<String> names = ALERT.matcher(rules)
                .results()
                .map(found -> found.group(1))
                .collect(Collectors.toCollection(TreeSet::new));
        assertTrue(names.size() > 10, () -> "only " + names);
        return names;
    }

    @Test
    void everyAlertIsExplained() {
        String page = Documents.text(Documents.ROOT.resolve("docs/operations.md"));
        Set<String> unexplained = alerts();
        unexplained.removeIf(name -> page.contains("`" + name + "`"));
        assertEquals(Set.of(), unexplained);
    }

    /** Decisions and evidence tell what was at their time, by the names of then. */
    private static boolean isHistory(Path page) {
        String path = page.toString();
        return path.contains("/decisions/") || path.contains("/evidence/") || path.endsWith("/figures.md");
    }

    /** Word, meaning and home of each row. */
    private static List<List<String>> glossary() {
        Matcher row = ROW.matcher(Documents.text(Documents.ROOT.resolve("docs/glossary.md")));
        return row.results()
                .map(found -> List.of(found.group(1), found.group(2), found.group(3)))
                .filter(cells -> !cells.get(0).equals("word") && !cells.get(0).startsWith("---"))
                .toList();
    }
}
