package io.tatami.meta.log.flush;

import io.tatami.files.DurableFile;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import org.jspecify.annotations.Nullable;

/** Flushes file by file, and each directory after what is in it. */
final class FileFlush implements TreeFlush {
    @Override
    public void flush(Path tree) throws IOException {
        Files.walkFileTree(tree, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                DurableFile.sync(file);
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult postVisitDirectory(Path directory, @Nullable IOException e) throws IOException {
                if (e != null) {
                    throw e;
                }
                DurableFile.syncDirectory(directory);
                return FileVisitResult.CONTINUE;
            }
        });
    }

    @Override
    public void close() {
        // Holds nothing.
    }
}
