package io.tatami.older;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;

/**
 * Records the directories of the commit it is run with. {@code docs/hacking.md} tells how; {@link OlderDirectoryTest}
 * opens them from then on.
 */
final class DirectoryRecorder {
    private DirectoryRecorder() {}

    /** @param arguments a new directory to work in, the directory of the ZIP files, and the commit */
    public static void main(String[] arguments) throws Exception {
        Path work = Path.of(arguments[0]);
        Path target = Files.createDirectories(Path.of(arguments[1]));
        String commit = arguments[2];
        // The standalone server is killed, so that its logs have what its stores do not; the other ends in order.
        OlderCluster standalone = OlderCluster.standalone(work.resolve("standalone"));
        SampleTree.write(standalone.connect());
        standalone.kill();
        record(work.resolve("standalone"), target.resolve(commit + "-standalone.zip"));
        OlderCluster replicated = OlderCluster.replicated(work.resolve("replicated"));
        SampleTree.write(replicated.connect());
        replicated.close();
        record(work.resolve("replicated"), target.resolve(commit + "-replicated.zip"));
        // The clients' writers are left open, so this process ends without a word.
        Runtime.getRuntime().halt(0);
    }

    private static void record(Path directory, Path zip) throws IOException {
        Files.walkFileTree(directory, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                String name = String.valueOf(file.getFileName());
                if (name.equals("console.txt") || name.startsWith("LOG") || name.equals("ready")) {
                    Files.delete(file);
                }
                return FileVisitResult.CONTINUE;
            }
        });
        RecordedDirectory.pack(directory, zip);
    }
}
