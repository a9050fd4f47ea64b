package io.tatami.docs;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The README and the pages below {@code docs}, and the names that the sources define. */
final class Pages {
    private static final Pattern MESSAGE = Pattern.compile("(?m)^\\s*(?:message|enum) (\\w+) \\{");
    private static final Pattern NESTED =
            Pattern.compile("(?m)^\\s+(?:\\w+ )*(?:class|interface|record|enum) (\\w+)[ (<{]");

    private Pages() {}

    static Path root() {
        Path here = Path.of("").toAbsolutePath();
        while (!Files.isDirectory(here.resolve("docs"))) {
            here = here.resolve("..").normalize();
        }
        return here;
    }

    static List<Path> all() throws IOException {
        try (Stream<Path> pages = Files.walk(root().resolve("docs"))) {
            return Stream.concat(Stream.of(root().resolve("README.md")), pages)
                    .filter(page -> page.toString().endsWith(".md"))
                    .sorted()
                    .toList();
        }
    }

    static String text(Path page) {
        try {
            return Files.readString(page);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Simple names of all classes, nested ones included, and of all protobuf messages. */
    static Set<String> classes() throws IOException {
        Set<String> names = new TreeSet<>();
        for (Path source : sources()) {
            String file = source.getFileName().toString();
            if (file.endsWith(".java")) {
                names.add(file.substring(0, file.length() - ".java".length()));
            }
            Matcher declared = (file.endsWith(".java") ? NESTED : MESSAGE).matcher(text(source));
            while (declared.find()) {
                names.add(declared.group(1));
            }
        }
        return names;
    }

    static Set<String> packages() throws IOException {
        return sources().stream()
                .filter(source -> source.toString().endsWith(".java"))
                .map(Path::toString)
                .map(source -> source.substring(source.indexOf("/java/") + "/java/".length(), source.lastIndexOf('/'))
                        .replace('/', '.'))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static List<Path> sources() throws IOException {
        try (Stream<Path> files = Files.walk(root())) {
            return files.filter(file -> file.toString().contains("/src/"))
                    .filter(file ->
                            file.toString().endsWith(".java") || file.toString().endsWith(".proto"))
                    .toList();
        }
    }
}
