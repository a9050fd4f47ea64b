package io.tatami.files;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The files of a server that runs: what it removes during the visit is passed over, where {@link Files#walk} would
 * throw.
 */
public final class LiveFiles {
    private LiveFiles() {}

    /**
     * Shows each file below a directory once; one that is made or renamed during the visit is shown or not.
     *
     * @throws IOException for what cannot be read, other than what has vanished
     */
    public static void visit(Path directory, BiConsumer<Path, BasicFileAttributes> visitor) throws IOException {
        Files.walkFileTree(directory, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                visitor.accept(file, attributes);
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFileFailed(Path file, IOException failure) throws IOException {
                return passOver(failure);
            }

            @Override
            public FileVisitResult postVisitDirectory(Path visited, @Nullable IOException failure) throws IOException {
                return failure == null ? FileVisitResult.CONTINUE : passOver(failure);
            }
        });
    }

    private static FileVisitResult passOver(IOException failure) throws IOException {
        if (failure instanceof NoSuchFileException) {
            return FileVisitResult.CONTINUE;
        }
        throw failure;
    }
}
