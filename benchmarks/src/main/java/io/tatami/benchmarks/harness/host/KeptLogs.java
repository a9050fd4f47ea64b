package io.tatami.benchmarks.harness.host;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Set;

/** Copies of what servers, clients and containers said, for when a run failed and its directories are removed. */
public final class KeptLogs {
    private static final Set<String> DIRECTORIES = Set.of("logs", "container-logs");
    private static final Set<String> ENDINGS = Set.of(".out", ".err");

    private KeptLogs() {}

    /**
     * Copies what there is below {@code work} to a new directory beside it, under the same paths; servers may go on.
     */
    public static Path of(Path work) throws IOException {
        Path kept = Files.createTempDirectory(work.toAbsolutePath().getParent(), work.getFileName() + "-logs");
        Files.walkFileTree(work, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                Path relative = work.relativize(file);
                if (attributes.isRegularFile() && isLog(relative)) {
                    copy(file, kept.resolve(relative));
                }
                return FileVisitResult.CONTINUE;
            }

            /** A container that ends takes its files with it. */
            @Override
            public FileVisitResult visitFileFailed(Path file, IOException e) {
                return FileVisitResult.CONTINUE;
            }
        });
        return kept;
    }

    private static boolean isLog(Path relative) {
        for (Path part : relative) {
            if (DIRECTORIES.contains(part.toString())) {
                return true;
            }
        }
        return ENDINGS.stream().anyMatch(relative.toString()::endsWith);
    }

    private static void copy(Path from, Path to) throws IOException {
        Files.createDirectories(to.getParent());
        try {
            Files.copy(from, to);
        } catch (NoSuchFileException e) {
            Files.writeString(to, "gone before it could be kept: " + e);
        }
    }
}
