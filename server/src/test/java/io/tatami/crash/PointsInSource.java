package io.tatami.crash;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The crash points that the sources name, found where the sources are: for telling which no run has hit. */
final class PointsInSource {
    private static final Pattern HIT = Pattern.compile("CrashPoint\\.hit\\(\\s*\"([a-z.-]+)\"\\s*\\)");

    private PointsInSource() {}

    /** The points with a name of their own that are not in {@code hit}. */
    static Set<String> notIn(Set<String> hit) throws IOException {
        TreeSet<String> names = new TreeSet<>();
        for (Path sources : List.of(Path.of("src/main/java"), Path.of("../client/files/src/main/java"))) {
            if (Files.exists(sources)) {
                try (Stream<Path> files = Files.walk(sources)) {
                    for (Path file : files.filter(path -> path.toString().endsWith(".java"))
                            .toList()) {
                        Matcher found = HIT.matcher(Files.readString(file));
                        while (found.find()) {
                            names.add(found.group(1));
                        }
                    }
                }
            }
        }
        names.removeAll(hit);
        return names;
    }
}
