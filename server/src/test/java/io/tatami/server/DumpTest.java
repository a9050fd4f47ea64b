package io.tatami.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.client.TatamiClient;
import io.tatami.conf.Settings;
import io.tatami.protocol.UserIdentity;
import io.tatami.protocol.wire.DiagnosticsRequest;
import io.tatami.protocol.wire.DiagnosticsRequest.Part;
import io.tatami.server.cli.option.ExitCode;
import io.tatami.server.console.ServedConsole;
import io.tatami.server.node.BlockNode;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import org.apache.log4j.FileAppender;
import org.apache.log4j.LogManager;
import org.apache.log4j.PatternLayout;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/** {@code tatami admin dump}, and what it asks servers. */
class DumpTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(30);

    @TempDir
    private Path directory;

    private FileAppender log = new FileAppender();

    @BeforeEach
    void logToAFile() throws IOException {
        log = new FileAppender(
                new PatternLayout("%m%n"), directory.resolve("test.log").toString());
        LogManager.getRootLogger().addAppender(log);
    }

    @AfterEach
    void endTheLog() {
        LogManager.getRootLogger().removeAppender(log);
        log.close();
    }

    /** The files of an archive by their names below its one directory. */
    private static Map<String, String> unpacked(Path archive) throws IOException {
        Map<String, String> files = new LinkedHashMap<>();
        try (ZipInputStream zip = new ZipInputStream(Files.newInputStream(archive))) {
            for (ZipEntry entry = zip.getNextEntry(); entry != null; entry = zip.getNextEntry()) {
                String name = entry.getName();
                assertTrue(name.startsWith("all/"), name);
                files.put(name.substring("all/".length()), new String(zip.readAllBytes(), StandardCharsets.UTF_8));
            }
        }
        return files;
    }

    @Test
    void theArchiveHasWhatEachServerTells() throws Exception {
        Path archive = directory.resolve("all.zip");
        try (ServedConsole cluster = new ServedConsole(directory.resolve("c"), "1h")) {
            LoggerFactory.getLogger(DumpTest.class).warn("a line for the dump");
            String told = CommandRun.run(
                    ExitCode.DONE, "admin", "dump", cluster.node().uri(), "--to", archive.toString());
            assertTrue(told.contains(archive.toString()), told);
            Map<String, String> files = unpacked(archive);
            String metadata = "metadata-servers/localhost_"
                    + cluster.node().metadata().address().getPort();
            String block = "block-servers/" + cluster.node().block().id().value() + "_localhost_"
                    + cluster.node().block().address().getPort();
            for (String server : new String[] {metadata, block}) {
                assertTrue(files.get(server + "/settings.txt").contains("release=1.2.3\n"), files::toString);
                assertTrue(files.get(server + "/settings.txt").contains("\ntatami.http.port=0\n"));
                assertTrue(files.get(server + "/stacks-1.txt").contains("\"diagnostics"));
                assertTrue(files.get(server + "/stacks-2.txt").contains("\"diagnostics"));
                assertTrue(files.get(server + "/metrics.txt").contains("tatami_build_info"));
                assertTrue(files.get(server + "/state.txt").contains("shard-1 leads, queued requests "));
                assertTrue(files.get(server + "/state.txt").contains("capacity_bytes"));
                assertTrue(files.get(server + "/log.txt").contains("a line for the dump\n"));
            }
            assertTrue(files.get("status.json").contains("\"problems\""));
            assertTrue(files.get("contents.txt").contains("Nothing is missing."), files.get("contents.txt"));
        }
        assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(archive)));
        assertFalse(Files.exists(directory.resolve("all.zip.part")));
    }

    @Test
    void aServerThatTellsNothingIsNamedAndTheOthersAreThere() throws Exception {
        Path archive = directory.resolve("all.zip");
        try (ServedConsole cluster = new ServedConsole(directory.resolve("c"), "1h")) {
            BlockNode other = cluster.addBlockServer();
            String told = CommandRun.run(
                    ExitCode.FAILED, "admin", "dump", cluster.node().uri(), "--to", archive.toString());
            String name = "block-servers/" + other.id().value() + "_localhost_"
                    + other.address().getPort();
            assertTrue(told.contains("missing: " + name + ": all: "), told);
            Map<String, String> files = unpacked(archive);
            assertTrue(files.get("contents.txt").contains(name + ": all: "), files.get("contents.txt"));
            assertFalse(files.containsKey(name + "/state.txt"));
            assertTrue(files.keySet().stream().anyMatch(file -> file.startsWith("metadata-servers/")));
        }
    }

    @Test
    void aFileThatIsThereIsLeftAsItIs() throws Exception {
        Path archive = Files.writeString(directory.resolve("all.zip"), "mine");
        try (ServedConsole cluster = new ServedConsole(directory.resolve("c"), "1h")) {
            String told = CommandRun.run(
                    ExitCode.USAGE, "admin", "dump", cluster.node().uri(), "--to", archive.toString());
            assertTrue(told.contains("is there already; name another file with --to"), told);
        }
        assertEquals("mine", Files.readString(archive));
    }

    @Test
    void onlySuperusersAreToldAndOnlyByMetadataServers() throws Exception {
        try (ServedConsole cluster = new ServedConsole(directory.resolve("c"), "1h");
                TatamiClient stranger = TatamiClient.connect(
                        cluster.node().uri().substring("tatami://".length()),
                        UserIdentity.of("stranger"),
                        Settings.defaults())) {
            DiagnosticsRequest stacks =
                    DiagnosticsRequest.newBuilder().setPart(Part.STACKS).build();
            InetSocketAddress metadata = cluster.node().metadata().address();
            TatamiException refused = assertThrows(
                    TatamiException.class, () -> stranger.cluster().diagnostics(metadata, stacks, TIMEOUT));
            assertEquals(ErrorCode.PERMISSION_DENIED, refused.code());
            DiagnosticsRequest ofBlockServer = stacks.toBuilder()
                    .setServerId(cluster.node().block().id().value())
                    .build();
            TatamiException passedOn = assertThrows(
                    TatamiException.class, () -> stranger.cluster().diagnostics(metadata, ofBlockServer, TIMEOUT));
            assertEquals(ErrorCode.PERMISSION_DENIED, passedOn.code());
        }
    }

    @Test
    void aSizeOfTheLogThatIsNoneIsRefused() {
        String told = CommandRun.run(ExitCode.USAGE, "admin", "dump", "tatami://localhost:1", "--log", "33m");
        assertTrue(told.contains("'33m' is not a size up to 32m"), told);
    }
}
