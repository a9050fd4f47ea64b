package io.tatami.docs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Pages name only classes, packages, files and headings that exist, and the glossary gives each word one meaning. */
final class DocumentedNamesTest {
    private static final Pattern ROW = Pattern.compile("(?m)^\\| ([^|]+) \\| ([^|]+) \\| ([^|]+) \\|$");
    private static final Pattern CODE = Pattern.compile("`([^`\\n]+)`");
    private static final Pattern CLASS =
            Pattern.compile("((?:io\\.tatami(?:\\.[a-z]+)*\\.)?)([A-Z][a-z0-9]+(?:[A-Z][A-Za-z0-9]*)+)(?:[.#]\\w+)?");
    private static final Pattern PACKAGE = Pattern.compile("io\\.tatami(?:\\.[a-z]+)*");
    private static final Pattern LINK = Pattern.compile("\\]\\(([^)\\s:]+)\\)");

    /** Names of Hadoop, HBase, Flink and Java. */
    private static final Set<String> FOREIGN = Set.of(
            "AbstractFileSystem",
            "FileContext",
            "FileSink",
            "FileSystem",
            "FileSystemCounter",
            "LeaseRecoverable",
            "LocalFileSystem",
            "SafeMode",
            "UnsupportedOperationException");

    @Test
    void everyClassOfTheGlossaryExists() throws IOException {
        Set<String> classes = Pages.classes();
        Set<String> packages = Pages.packages();
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
    void pagesNameOnlyClassesThatExist() throws IOException {
        Set<String> classes = Pages.classes();
        Set<String> packages = Pages.packages();
        Set<String> missing = new TreeSet<>();
        for (Path page : Pages.all()) {
            if (isHistory(page)) {
                continue;
            }
            Matcher code = CODE.matcher(Pages.text(page));
            while (code.find()) {
                String name = code.group(1);
                Matcher type = CLASS.matcher(name);
                boolean missesType =
                        type.matches() && !classes.contains(type.group(2)) && !FOREIGN.contains(type.group(2));
                boolean missesPackage = PACKAGE.matcher(name).matches() && !packages.contains(name);
                if (missesType || missesPackage) {
                    missing.add(Pages.root().relativize(page) + ": " + name);
                }
            }
        }
        assertEquals(Set.of(), missing, "no class, message or package has this name");
    }

    @Test
    void linksLeadToFilesAndHeadingsThatExist() throws IOException {
        Set<String> broken = new TreeSet<>();
        int links = 0;
        for (Path page : Pages.all()) {
            Matcher link = LINK.matcher(Pages.text(page));
            while (link.find()) {
                links++;
                String[] parts = link.group(1).split("#", 2);
                Path target = parts[0].isEmpty()
                        ? page
                        : page.resolveSibling(parts[0]).normalize();
                if (!Files.exists(target)
                        || (parts.length > 1 && !anchors(target).contains(parts[1]))) {
                    broken.add(Pages.root().relativize(page) + ": " + link.group(1));
                }
            }
        }
        assertTrue(links > 50, "only " + links + " links were found");
        assertEquals(Set.of(), broken);
    }

    /** Decisions and evidence tell what was at their time, by the names of then. */
    private static boolean isHistory(Path page) {
        String path = page.toString();
        return path.contains("/decisions/") || path.contains("/evidence/") || path.endsWith("/figures.md");
    }

    /** Word, meaning and home of each row. */
    private static List<List<String>> glossary() {
        Matcher row = ROW.matcher(Pages.text(Pages.root().resolve("docs/glossary.md")));
        return row.results()
                .map(found -> List.of(found.group(1), found.group(2), found.group(3)))
                .filter(cells -> !cells.get(0).equals("word") && !cells.get(0).startsWith("---"))
                .toList();
    }

    /** Headings as GitHub makes anchors of them. */
    private static Set<String> anchors(Path page) {
        Set<String> anchors = new TreeSet<>();
        for (String line : Pages.text(page).split("\n", -1)) {
            if (line.startsWith("#")) {
                String heading = line.replaceFirst("^#+ ", "").toLowerCase(Locale.ROOT);
                anchors.add(heading.replaceAll("[^\\p{L}\\p{N} _-]", "").replace(' ', '-'));
            }
        }
        return anchors;
    }
}
