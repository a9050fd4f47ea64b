package io.tatami.server.node;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DataDirectoryTest {
    @TempDir
    private Path directory;

    private static String mode(Path path) throws Exception {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
    }

    @Test
    void aDirectoryThatIsMadeIsItsUsersAlone() throws Exception {
        Path made = directory.resolve("a").resolve("b");

        new DataDirectory(made).create();

        assertEquals("rwx------", mode(made));
    }

    @Test
    void aDirectoryThatIsThereKeepsItsMode() throws Exception {
        Path there = Files.createDirectory(directory.resolve("a"));
        Files.setPosixFilePermissions(there, PosixFilePermissions.fromString("rwxr-x---"));

        new DataDirectory(there).create();

        assertEquals("rwxr-x---", mode(there));
    }
}
