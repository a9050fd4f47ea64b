package io.tatami.protocol;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;

/** The tree that these tests are in. */
final class SourceTree {
    private SourceTree() {}

    /** The directory with the documents, from whichever module's the tests run. */
    static Path root() {
        Path here = Path.of("").toAbsolutePath();
        while (!Files.isDirectory(here.resolve("docs"))) {
            here = Objects.requireNonNull(here.getParent(), "there is no directory with documents above");
        }
        return here;
    }
}
