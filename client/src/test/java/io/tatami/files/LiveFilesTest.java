package io.tatami.files;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class LiveFilesTest {
    private static final int DIRECTORIES = 20;

    @TempDir
    private Path directory = Path.of("");

    private List<Path> makeFiles() throws IOException {
        List<Path> files = new ArrayList<>();
        for (int i = 0; i < DIRECTORIES; i++) {
            Path inside = Files.createDirectory(directory.resolve("d" + i));
            files.add(Files.writeString(inside.resolve("file"), "x"));
        }
        return files;
    }

    @Test
    void eachFileIsShownOnce() throws Exception {
        List<Path> made = makeFiles();
        List<Path> seen = new ArrayList<>();
        LiveFiles.visit(directory, (file, attributes) -> {
            assertEquals(1, attributes.size());
            seen.add(file);
        });
        assertEquals(DIRECTORIES, seen.size());
        assertEquals(new TreeSet<>(made), new TreeSet<>(seen));
    }

    @Test
    void whatVanishesMeanwhileIsPassedOver() throws Exception {
        List<Path> made = makeFiles();
        Set<Path> seen = new TreeSet<>();
        LiveFiles.visit(directory, (file, attributes) -> {
            seen.add(file);
            made.stream().filter(other -> !other.equals(file)).forEach(LiveFilesTest::deleteWithItsDirectory);
        });
        assertEquals(1, seen.size());
    }

    private static void deleteWithItsDirectory(Path file) {
        try {
            Files.delete(file);
            Files.delete(file.resolve("..").normalize());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
