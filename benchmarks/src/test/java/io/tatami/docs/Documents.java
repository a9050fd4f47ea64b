package io.tatami.docs;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The tree's documents, and what is in them. */
final class Documents {
    /** Tests run in the directory of their module. */
    static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

    private static final Pattern LINK = Pattern.compile("\\]\\(([^)\\s]+)\\)");
    private static final Pattern HEADING = Pattern.compile("^#+ (.*)$", Pattern.MULTILINE);

    private Documents() {}

    /** A link of a document, with what is behind {@code #}; either part may be empty. */
    record Link(Path document, String target, String anchor) {
        /** The file that it leads to. */
        Path file() {
            return target.isEmpty() ? document : document.resolveSibling(target).normalize();
        }
    }

    /** All of the top level and of {@code docs}. */
    static List<Path> all() throws IOException {
        try (Stream<Path> top = Files.list(ROOT);
                Stream<Path> docs = Files.walk(ROOT.resolve("docs"))) {
            return Stream.concat(top, docs)
                    .filter(file -> file.toString().endsWith(".md"))
                    .sorted()
                    .toList();
        }
    }

    /** Links within the tree. */
    static Stream<Link> links(Path document) {
        return LINK.matcher(text(document))
                .results()
                .map(found -> found.group(1))
                .filter(target -> !target.contains("://"))
                .map(target -> {
                    int hash = target.indexOf('#');
                    return hash < 0
                            ? new Link(document, target, "")
                            : new Link(document, target.substring(0, hash), target.substring(hash + 1));
                });
    }

    /** The headings as links name them. */
    static Set<String> anchors(Path document) {
        return HEADING.matcher(text(document))
                .results()
                .map(heading -> heading.group(1)
                        .toLowerCase(Locale.ROOT)
                        .replaceAll("[^\\p{L}\\p{N} _-]", "")
                        .replace(' ', '-'))
                .collect(Collectors.toSet());
    }

    static String text(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
