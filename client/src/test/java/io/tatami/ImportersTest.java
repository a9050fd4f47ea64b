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
 * Package-infos of the client and the plug-in name the only importers of their packages. No module sees all of them, so
 * the sources of all are read.
 */
final class ImportersTest {
    private static final List<String> MODULES = List.of("client", "server", "fs-plugin", "benchmarks");

    /** By package, who may import it beside itself; two dots at the end stand for all packages below, too. */
    private static final Map<String, List<String>> IMPORTERS = Map.of(
            "io.tatami.client", List.of("io.tatami.hadoop.call", "io.tatami.server..", "io.tatami.benchmarks.."),
            "io.tatami.client.file", List.of("io.tatami.client", "io.tatami.hadoop..", "io.tatami.benchmarks.."),
            "io.tatami.client.entry",
                    List.of("io.tatami.client", "io.tatami.client.file", "io.tatami.benchmarks.workload.bulk"),
            "io.tatami.client.meta",
                    List.of(
                            "io.tatami.client",
                            "io.tatami.client.entry",
                            "io.tatami.client.file",
                            "io.tatami.server..",
                            "io.tatami.benchmarks.workload.bulk"),
            "io.tatami.client.block",
                    List.of(
                            "io.tatami.client",
                            "io.tatami.client.meta",
                            "io.tatami.client.file",
                            "io.tatami.block..",
                            "io.tatami.benchmarks.workload.bulk"),
            "io.tatami.hadoop", List.of("io.tatami.benchmarks.."),
            "io.tatami.hadoop.call", List.of("io.tatami.hadoop"),
            "io.tatami.hadoop.stream", List.of("io.tatami.hadoop"),
            "io.tatami.hadoop.convert",
                    List.of("io.tatami.hadoop", "io.tatami.hadoop.call", "io.tatami.hadoop.stream"));

    private static final Pattern COMMENT_OR_TEXT =
            Pattern.compile("(?s)/\\*.*?\\*/|//[^\\n]*|\"(?:\\\\.|[^\"\\\\\\n])*\"");
    private static final Pattern CLASS = Pattern.compile("\\b(io\\.tatami(?:\\.[a-z]\\w*)*)\\.[A-Z]");

    /** By package, the packages whose classes its sources name. */
    private static final Map<String, TreeSet<String>> USES = new TreeMap<>();

    @BeforeAll
    static void readSources() throws IOException {
        for (String module : MODULES) {
            Path sources = Path.of("..", module, "src", "main", "java");
            try (Stream<Path> files = Files.walk(sources)) {
                files.filter(file -> file.toString().endsWith(".java"))
                        .forEach(file -> read(sources.relativize(file).getParent(), file));
            }
        }
        assertTrue(USES.containsKey("io.tatami.client.file"), USES::toString);
    }

    private static void read(Path folder, Path file) {
        String text;
        try {
            text = Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        TreeSet<String> uses = USES.computeIfAbsent(folder.toString().replace('/', '.'), name -> new TreeSet<>());
        Matcher named = CLASS.matcher(COMMENT_OR_TEXT.matcher(text).replaceAll(""));
        while (named.find()) {
            uses.add(named.group(1));
        }
    }

    @Test
    void onlyWhoIsNamedImportsAPackage() {
        List<String> others = new ArrayList<>();
        IMPORTERS.forEach((library, importers) -> others.addAll(importedBeside(library, importers)));
        assertEquals(List.of(), others);
    }

    /** A name that stands for nobody would hold nothing. */
    @Test
    void everyoneWhoIsNamedDoesImportIt() {
        List<String> idle = new ArrayList<>();
        IMPORTERS.forEach((library, importers) -> {
            for (String importer : importers) {
                List<String> fewer = new ArrayList<>(importers);
                fewer.remove(importer);
                if (importedBeside(library, fewer).isEmpty()) {
                    idle.add(importer + " does not import " + library);
                }
            }
        });
        assertEquals(List.of(), idle);
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
