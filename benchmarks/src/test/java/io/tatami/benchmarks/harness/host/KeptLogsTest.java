package io.tatami.benchmarks.harness.host;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KeptLogsTest {
    @TempDir
    private Path directory = Path.of("");

    @Test
    void whatServersSaidIsKeptUnderItsPathAndTheirDataIsNot() throws Exception {
        Path work = directory.resolve("run");
        write(work, "tatami/server.out", "started");
        write(work, "clients/client-1.err", "asked");
        write(work, "tatami/data/logs/tatami.log", "served");
        write(work, "tatami/data/block/volume", "bytes");
        write(work, "yarn/nodemanager.out", "node");
        write(work, "yarn/container-logs/app_1/container_1/stderr", "task");
        write(work, "yarn/local/usercache/part", "bytes");

        Path kept = KeptLogs.of(work);

        Map<String, String> found = new TreeMap<>();
        try (Stream<Path> files = Files.walk(kept)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                found.put(kept.relativize(file).toString(), Files.readString(file));
            }
        }
        assertEquals(
                Map.of(
                        "clients/client-1.err", "asked",
                        "tatami/server.out", "started",
                        "tatami/data/logs/tatami.log", "served",
                        "yarn/nodemanager.out", "node",
                        "yarn/container-logs/app_1/container_1/stderr", "task"),
                found);
        assertEquals(directory, kept.getParent());
    }

    private static void write(Path work, String path, String text) throws IOException {
        Path file = work.resolve(path);
        Files.createDirectories(file.getParent());
        Files.writeString(file, text);
    }
}
