package io.tatami;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * The last sentence of each package-info names the only importers of its package: "Imported by {@code a.b} and
 * {@code c..}.", where {@code io.tatami.} is left out, and two dots stand for all packages below. Main code counts. No
 * module sees all packages, so the sources of all modules are read.
 */
final class ImportersTest {
    private static final List<String> MODULES =
            List.of("client/wire", "client/rpc-server", "client/files", "client", "server", "fs-plugin", "benchmarks");

    private static final String OURS = "io.tatami";
    private static final String LAST_SENTENCE = "Imported by ";
    private static final String BY_NONE = "No package imports it.";

    /** The lowest packages, which nearly all others import. */
    private static final TreeSet<String> BY_ALL =
            new TreeSet<>(List.of("io.tatami.base", "io.tatami.conf", "io.tatami.protocol", "io.tatami.rpc"));

    private static final Pattern COMMENT_OR_TEXT =
            Pattern.compile("(?s)/\\*.*?\\*/|//[^\\n]*|\"(?:\\\\.|[^\"\\\\\\n])*\"");
    private static final Pattern CLASS = Pattern.compile("\\b(io\\.tatami(?:\\.[a-z]\\w*)*)\\.[A-Z]");
    private static final Pattern JAVADOC = Pattern.compile("(?s)/\\*\\*(.*?)\\*/");
    private static final Pattern NAME = Pattern.compile("\\{@code ([a-z.]+)}");

    /** By package, the packages whose classes its sources name. */
    private static final Map<String, TreeSet<String>> USES = new TreeMap<>();

    /** By package, the Javadoc of its package-info on one line. */
    private static final Map<String, String> ROOMS = new TreeMap<>();

    @BeforeAll
    static void readSources() throws IOException {
        for (String module : MODULES) {
            Path sources = Path.of("..", module.split("/")).resolve(Path.of("src", "main", "java"));
            try (Stream<Path> files = Files.walk(sources)) {
                files.filter(file -> file.toString().endsWith(".java"))
                        .forEach(file -> read(sources.relativize(file).getParent(), file));
            }
        }
        assertTrue(USES.containsKey("io.tatami.client.file"), USES::toString);
        assertTrue(ROOMS.size() > 80, ROOMS::toString);
    }

    private static void read(Path folder, Path file) {
        String text;
        try {
            text = Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        String name = folder.toString().replace('/', '.');
        Matcher javadoc = JAVADOC.matcher(text);
        if (file.endsWith("package-info.java") && javadoc.find()) {
            ROOMS.put(name, javadoc.group(1).replaceAll("\\s*\\n \\*\\s*", " ").strip());
        }
        TreeSet<String> uses = USES.computeIfAbsent(name, unused -> new TreeSet<>());
        Matcher named = CLASS.matcher(COMMENT_OR_TEXT.matcher(text).replaceAll(""));
        while (named.find()) {
            uses.add(named.group(1));
        }
    }

    @Test
    void eachPackageInfoEndsWithTheImportersOfItsPackage() {
        Map<String, String> without = new TreeMap<>(ROOMS);
        without.keySet().removeAll(BY_ALL);
        without.values().removeIf(text -> text.endsWith(BY_NONE));
        without.keySet().removeIf(name -> !importers(name).isEmpty());
        assertEquals(Map.of(), without);
    }

    @Test
    void noPackageIsImportedByAnotherThanItSays() {
        List<String> others = new ArrayList<>();
        for (String library : ROOMS.keySet()) {
            if (!BY_ALL.contains(library)) {
                others.addAll(importedBeside(library, importers(library)));
            }
        }
        assertEquals(List.of(), others);
    }

    @Test
    void eachImporterThatAPackageNamesDoesImportIt() {
        List<String> idle = new ArrayList<>();
        for (String library : ROOMS.keySet()) {
            List<String> importers = importers(library);
            for (String importer : importers) {
                List<String> fewer = new ArrayList<>(importers);
                fewer.remove(importer);
                if (importedBeside(library, fewer).isEmpty()) {
                    idle.add(importer + " does not import " + library);
                }
            }
        }
        assertEquals(List.of(), idle);
    }

    /** The importers that the package-info names, by their full names; none where it names none. */
    private static List<String> importers(String library) {
        String text = ROOMS.getOrDefault(library, "");
        int from = text.lastIndexOf(LAST_SENTENCE);
        List<String> names = new ArrayList<>();
        Matcher name = NAME.matcher(from < 0 ? "" : text.substring(from));
        while (name.find()) {
            names.add(OURS + "." + name.group(1));
        }
        return names;
    }

    private static List<String> importedBeside(String library, List<String> importers) {
        return USES.entrySet().stream()
                .filter(use -> use.getValue().contains(library) && !use.getKey().equals(library))
                .map(Map.Entry::getKey)
                .filter(user -> importers.stream().noneMatch(importer -> covers(importer, user)))
                .map(user -> user + " imports " + library)
                .toList();
    }

    private static boolean covers(String importer, String user) {
        if (!importer.endsWith("..")) {
            return user.equals(importer);
        }
        String top = importer.substring(0, importer.length() - 2);
        return user.equals(top) || user.startsWith(top + ".");
    }
}
