package io.tatami.meta.service.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.conf.Settings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class RackMappingTest {
    @TempDir
    private Path directory;

    private RackMapping table(String... lines) throws IOException {
        return new RackMapping(
                Files.write(directory.resolve("table"), List.of(lines)).toString(), "");
    }

    private RackMapping script(String... lines) throws IOException {
        Path script = Files.writeString(directory.resolve("script"), "#!/bin/sh\n" + String.join("\n", lines) + "\n");
        Files.setPosixFilePermissions(script, PosixFilePermissions.fromString("rwx------"));
        return new RackMapping("", script.toString());
    }

    @Test
    void aTableNamesHostsOrAddresses() throws Exception {
        RackMapping racks = table("# racks", "127.0.0.1\t/by-address", "named /by-name", "bad no-path", "three /a /b");
        assertEquals(
                Map.of("localhost", "/by-address", "named", "/by-name"),
                racks.racks(List.of("localhost", "named", "bad", "three", "unknown.invalid")));
    }

    @Test
    void aScriptIsGivenAddressesAndPrintsARackForEach() throws Exception {
        RackMapping racks = script("for host in \"$@\"; do echo /rack-of-$host; done");
        assertEquals(
                Map.of("localhost", "/rack-of-127.0.0.1", "127.0.0.7", "/rack-of-127.0.0.7"),
                racks.racks(List.of("localhost", "127.0.0.7")));
        List<String> many =
                IntStream.range(1, 251).mapToObj(i -> "127.0.1." + i).toList();
        assertEquals(250, racks.racks(many).size());
    }

    @Test
    void aScriptThatFailsOrPrintsTooFewOrTooMuchIsRefused() throws Exception {
        assertThrows(IOException.class, () -> script("exit 3").racks(List.of("127.0.0.1")));
        assertThrows(IOException.class, () -> script("echo /one").racks(List.of("127.0.0.1", "127.0.0.2")));
        assertThrows(IOException.class, () -> script("yes /rack").racks(List.of("127.0.0.1")));
        assertThrows(IOException.class, () -> new RackMapping("", "/no/such/script").racks(List.of("127.0.0.1")));
        assertThrows(IOException.class, () -> new RackMapping("/no/such/table", "").racks(List.of("127.0.0.1")));
    }

    @Test
    void aScriptThatHangsIsEnded() throws Exception {
        Path hanging = directory.resolve("hanging");
        RackMapping racks = script("echo $$ > " + hanging, "sleep 1000 & wait");

        assertThrows(IOException.class, () -> racks.racks(List.of("127.0.0.1")));

        Optional<ProcessHandle> script = ProcessHandle.of(pid(hanging));
        if (script.isPresent()) {
            // It is killed, and the system may take a moment.
            try {
                script.get().onExit().get(20, TimeUnit.SECONDS);
            } finally {
                script.get().descendants().forEach(ProcessHandle::destroyForcibly);
                script.get().destroyForcibly();
            }
        }
    }

    @Test
    void aProcessThatAScriptLeavesBehindIsNotWaitedFor() throws Exception {
        Path left = directory.resolve("left");
        RackMapping racks = script("sleep 1000 &", "echo $! > " + left, "echo /rack");
        try {
            assertEquals(Map.of("127.0.0.1", "/rack"), racks.racks(List.of("127.0.0.1")));
            assertTrue(behind(left).isAlive(), "the script's child has ended, and so the test shows nothing");
        } finally {
            behind(left).destroyForcibly();
        }
    }

    private static ProcessHandle behind(Path file) throws IOException {
        return ProcessHandle.of(pid(file)).orElseThrow();
    }

    private static long pid(Path file) throws IOException {
        return Long.parseLong(Files.readString(file).strip());
    }

    @Test
    void hadoopsNamesAreRead() {
        assertFalse(RackMapping.from(Settings.defaults()).isConfigured());
        assertTrue(RackMapping.from(Settings.of(Map.of(RackMapping.TABLE_KEY, "/table")))
                .isConfigured());
        assertTrue(RackMapping.from(Settings.of(Map.of(RackMapping.SCRIPT_KEY, "/script")))
                .isConfigured());
    }
}
