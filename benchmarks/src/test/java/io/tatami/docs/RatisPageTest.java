package io.tatami.docs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The page on Ratis names the release that is used, and each class that has to do with it. */
final class RatisPageTest {
    private static final Pattern VERSION = Pattern.compile("<ratis\\.version>(.*)</ratis\\.version>");
    private static final Pattern NAME = Pattern.compile("`(\\w+)`");
    private static final String IMPORT = "import org.apache.ratis.";

    private static final String PAGE = Documents.text(Documents.ROOT.resolve("docs/ratis.md"));
    private static final Path LOG = Documents.ROOT.resolve("server/src/main/java/io/tatami/meta/log");

    /** The names of the classes that are listed under the page's last heading: in first cells, and below the table. */
    private static Set<String> named() {
        Set<String> named = new TreeSet<>();
        for (String line : PAGE.substring(PAGE.lastIndexOf("\n## ")).split("\n", -1)) {
            String text = line.startsWith("|") ? line.split("\\|", 3)[1] : line;
            Matcher name = NAME.matcher(text);
            while (name.find()) {
                named.add(name.group(1));
            }
        }
        return named;
    }

    /** The sources of the log by the names of their classes. */
    private static Map<String, String> sources() throws IOException {
        Map<String, String> sources = new TreeMap<>();
        try (Stream<Path> files = Files.walk(LOG)) {
            for (Path file :
                    files.filter(path -> path.toString().endsWith(".java")).toList()) {
                sources.put(String.valueOf(file.getFileName()).replace(".java", ""), Documents.text(file));
            }
        }
        return sources;
    }

    @Test
    void pageIsOfTheReleaseThatIsUsed() {
        Matcher version = VERSION.matcher(Documents.text(Documents.ROOT.resolve("pom.xml")));
        assertTrue(version.find());
        String heading = PAGE.split("\n", 2)[0];
        assertTrue(heading.contains("Ratis " + version.group(1)), heading + " is not of " + version.group(1));
    }

    @Test
    void everyClassThatIsNamedExists() throws IOException {
        Set<String> missing = new TreeSet<>(named());
        assertTrue(missing.containsAll(List.of("DurableVotes", "RatisLog")), () -> "only " + missing);
        missing.removeAll(sources().keySet());
        assertEquals(Set.of(), missing);
    }

    @Test
    void everyClassThatUsesRatisIsNamed() throws IOException {
        Set<String> users = new TreeSet<>();
        sources().forEach((name, source) -> {
            if (source.contains(IMPORT)) {
                users.add(name);
            }
        });
        assertTrue(users.contains("RaftHost"), () -> "only " + users);
        users.removeAll(named());
        assertEquals(Set.of(), users);
    }
}
