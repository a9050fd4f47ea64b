package io.tatami.docs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The names that the sources of all modules define, tests included. */
final class SourceNames {
    private static final Pattern MESSAGE = Pattern.compile("(?m)^\\s*(?:message|enum) (\\w+) \\{");
    private static final Pattern NESTED =
            Pattern.compile("(?m)^\\s+(?:\\w+ )*(?:class|interface|record|enum) (\\w+)[ (<{]");

    private SourceNames() {}

    /** Simple names of all classes, nested ones included, and of all protobuf messages. */
    static Set<String> classes() throws IOException {
        Set<String> names = new TreeSet<>();
        for (Path source : sources()) {
            String file = String.valueOf(source.getFileName());
            if (file.endsWith(".java")) {
                names.add(file.substring(0, file.length() - ".java".length()));
            }
            Matcher declared = (file.endsWith(".java") ? NESTED : MESSAGE).matcher(Documents.text(source));
            while (declared.find()) {
                names.add(declared.group(1));
            }
        }
        return names;
    }

    static Set<String> packages() throws IOException {
        return sources().stream()
                .map(Path::toString)
                .filter(source -> source.endsWith(".java"))
                .map(source -> source.substring(source.indexOf("/java/") + "/java/".length(), source.lastIndexOf('/'))
                        .replace('/', '.'))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    static List<Path> sources() throws IOException {
        try (Stream<Path> files = Files.walk(Documents.ROOT)) {
            return files.filter(file -> file.toString().contains("/src/"))
                    .filter(file ->
                            file.toString().endsWith(".java") || file.toString().endsWith(".proto"))
                    .toList();
        }
    }
}
