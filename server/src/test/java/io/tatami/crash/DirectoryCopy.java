package io.tatami.crash;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/** A directory with all in it, as it is when nobody writes there: what a process that ends now would leave. */
public final class DirectoryCopy {
    private DirectoryCopy() {}

    /** @param to must be absent */
    public static void make(Path from, Path to) throws IOException {
        try (Stream<Path> files = Files.walk(from)) {
            for (Path file : files.toList()) {
                Files.copy(file, to.resolve(from.relativize(file).toString()));
            }
        }
    }
}
