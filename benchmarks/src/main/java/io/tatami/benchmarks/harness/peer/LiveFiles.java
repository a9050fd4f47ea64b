package io.tatami.benchmarks.harness.peer;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** The files of servers that go on meanwhile: what vanishes while it is looked for is passed over. */
public final class LiveFiles {
    private LiveFiles() {}

    /** Shows each file below a directory once. */
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
