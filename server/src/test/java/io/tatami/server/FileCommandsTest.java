package io.tatami.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.FileId;
import io.tatami.client.TatamiClient;
import io.tatami.client.file.FileWriter;
import io.tatami.client.model.CreateSpec;
import io.tatami.client.model.TatamiPath;
import io.tatami.conf.Settings;
import io.tatami.protocol.UserIdentity;
import io.tatami.server.cli.option.ExitCode;
import io.tatami.server.node.BlockNode;
import io.tatami.server.node.ClusterAddress;
import io.tatami.server.node.Patience;
import io.tatami.server.node.StandaloneNode;
import io.tatami.server.status.PathText;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** What the commands about files tell and do, beside a cluster that runs in this JVM. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class FileCommandsTest {
    private static final int BYTES = 300_000;
    private static final long CACHE_BYTES = 64L << 20;

    /** Each file that is open reserves room for a block. */
    private static final long VOLUME_BYTES = 4L << 30;

    private StandaloneNode node;
    private TatamiClient client;

    @BeforeAll
    void start(@TempDir Path directory) throws Exception {
        BlockNode.CachePlace cache = new BlockNode.CachePlace(null, CACHE_BYTES);
        node = StandaloneNode.open(
                new StandaloneNode.Setup(directory, List.of(), VOLUME_BYTES, "localhost", 0, 2, cache),
                Settings.defaults(),
                user -> List.of());
        client = ClusterAddress.of(node.uri())
                .connect(new Patience(Duration.ofMinutes(1), Duration.ofMinutes(2), System.err::println));
    }

    @AfterAll
    void stop() throws Exception {
        client.close();
        node.close();
    }

    private TatamiPath directory(String name) throws Exception {
        TatamiPath path = TatamiPath.of(name);
        assertTrue(client.mkdirs(path, CreateSpec.modes(0755, 0), true));
        return path;
    }

    private TatamiPath write(TatamiPath path, int bytes) throws Exception {
        try (FileWriter writer = client.create(path, CreateSpec.DEFAULT)) {
            writer.write(new byte[bytes], 0, bytes);
        }
        return path;
    }

    private FileWriter open(TatamiPath path) throws Exception {
        FileWriter writer = client.create(path, CreateSpec.DEFAULT);
        writer.write(new byte[BYTES], 0, BYTES);
        writer.hflush();
        return writer;
    }

    private String run(String... words) {
        return CommandRun.run(ExitCode.DONE, words);
    }

    private static void assertHas(String text, String... parts) {
        for (String part : parts) {
            assertTrue(text.contains(part), () -> part + " is not in: " + text);
        }
    }

    @Test
    void infoTellsTheEntryTheBlocksAndTheChecksum() throws Exception {
        TatamiPath file = write(directory("/info").child("file"), BYTES);
        String crc = String.format("%08x", client.checksum(file, BYTES).crc32c());
        FileId id = new FileId(client.status(file, true).id());

        String text = run("info", node.uri() + "/info/file");

        assertHas(
                text,
                "path          /info/file",
                "kind          file\n",
                "id            " + id,
                "length        300000");
        assertHas(
                text, "home          " + id.home(), "lease         none", "checksum      CRC32C " + crc + " of 300000");
        assertHas(text, "   0. b", "generation ", "length 300000, healthy", "      server 1 localhost:", "(active)");
        assertHas(text, "in directory  ", "handle of tree version");
        assertFalse(text.contains("staged"), text);
        String json = run("info", node.uri(), "/info/file", "--json");
        assertHas(json, "\"kind\":\"file\"", "\"crc32c\":\"" + crc + "\"", "\"health\":\"healthy\"", "\"rack\":\"");
        assertHas(json, "\"handle\":{\"directory_id\":", "\"problem\":\"\"", "\"staged\":false");
    }

    @Test
    void infoTellsOfStagedCopies() throws Exception {
        write(directory("/staged").child("file"), BYTES);
        run("prefetch", node.uri(), "/staged/file");
        assertHas(run("info", node.uri(), "/staged/file"), ", staged");
        assertHas(run("info", node.uri(), "/staged/file", "--json"), "\"staged\":true");
    }

    @Test
    void infoTellsOfDirectoriesSymlinksAndSmallFiles() throws Exception {
        TatamiPath parent = directory("/kinds");
        write(parent.child("small"), 10);
        client.createSymlink(parent.child("link"), "small", false);
        assertHas(run("info", node.uri(), "/kinds"), "kind          directory", "entries       on 1 shards");
        assertHas(run("info", node.uri(), "/kinds/link"), "kind          symlink", "target        small");
        String small = run("info", node.uri(), "/kinds/small");
        assertHas(small, "stored inline with the metadata", "checksum      CRC32C");
        assertFalse(small.contains("\nblocks "), small);
        assertHas(run("info", node.uri() + "/"), "path          /\n", "kind          directory");
        assertHas(CommandRun.run(ExitCode.FAILED, "info", node.uri(), "/kinds/none"), "/kinds/none");
    }

    @Test
    void othersAreToldOfBlocksAndServersAndNotOfTheLease() throws Exception {
        TatamiPath file = directory("/others").child("file");
        FileWriter writer = open(file);
        try (TatamiClient other = TatamiClient.connect(
                URI.create(node.uri()).getAuthority(), UserIdentity.of("somebody"), Settings.defaults())) {
            StringWriter out = new StringWriter();
            PathText.of(other, file).print(new PrintWriter(out));
            assertHas(out.toString(), "open for writing (the superuser", "   0. b", "being written", "server 1 ");
        } finally {
            writer.close();
        }
    }

    @Test
    void openFilesAreListedUpToTheLimit() throws Exception {
        TatamiPath parent = directory("/open");
        write(parent.child("closed"), BYTES);
        List<FileWriter> writers = List.of(open(parent.child("one")), open(parent.child("two")));
        try {
            String all = run("open-files", node.uri(), "/open");
            assertHas(all, "session", "its writer", " /open/one\n", " /open/two\n");
            assertFalse(all.contains("closed"), all);
            String one = run("open-files", node.uri(), "/open", "--limit", "1");
            assertHas(one, "1 more are open: --limit lists them");
            List<String> json =
                    run("open-files", node.uri(), "/open", "--json").lines().toList();
            assertEquals(2, json.size(), json::toString);
            assertHas(
                    json.get(0),
                    "\"path\":\"/open/",
                    "\"held_by\":\"writer\"",
                    "\"session\":",
                    "\"unchanged_millis\":");
            assertHas(CommandRun.run(ExitCode.USAGE, "open-files", node.uri(), "--limit", "0"), "from 1 to");
        } finally {
            for (FileWriter writer : writers) {
                writer.close();
            }
        }
        assertEquals(1, run("open-files", node.uri(), "/open").lines().count());
    }

    @Test
    void recoveredFileIsClosedWithWhatWasFlushed() throws Exception {
        TatamiPath file = directory("/recovered").child("file");
        FileWriter writer = open(file);
        String info = run("info", node.uri(), file.toString());
        assertHas(info, "lease         held by its writer, session c", "nothing was committed for ", "being written");

        assertHas(run("recover-lease", node.uri(), file.toString()), "/recovered/file is closed");

        assertTrue(client.isClosed(file));
        assertEquals(BYTES, client.status(file, true).lengthBytes());
        writer.abort();
        assertHas(run("recover-lease", node.uri(), file.toString(), "--no-wait"), "/recovered/file is closed");
        assertHas(CommandRun.run(ExitCode.FAILED, "recover-lease", node.uri(), "/recovered/none"), "/recovered/none");
    }

    @Test
    void duCountsEachPathAndGoesOnBehindOneThatIsNotThere() throws Exception {
        TatamiPath parent = directory("/du");
        directory("/du/below");
        write(parent.child("a"), BYTES);
        write(parent.child("below").child("b"), 10);
        String text = run("du", node.uri() + "/du", "/du/below", "--bytes");
        assertTrue(text.matches("(?s).* 300010 +300010 +2 +2  /du\n.* 10 +10 +1 +1  /du/below\n"), text);
        String json = run("du", "--json", node.uri() + "/du/a");
        assertHas(
                json,
                "[{\"path\":\"/du/a\",\"length_bytes\":300000,\"space_bytes\":300000,\"files\":1,\"directories\":0}]");
        String some = CommandRun.run(ExitCode.FAILED, "du", node.uri(), "/du/none", "/du/a");
        assertHas(some, "tatami: /du/none: ", "293 KiB");
    }

    @Test
    void checkTellsScriptsProblemsAndSums() throws Exception {
        write(directory("/check").child("file"), BYTES);
        List<String> lines =
                run("fsck", node.uri() + "/check", "--json", "-blocks").lines().toList();
        assertEquals(2, lines.size(), lines::toString);
        assertHas(lines.get(0), "\"path\":\"/check/file\"", "\"health\":\"healthy\"", "\"copies\":[{\"server\":1");
        assertHas(lines.get(1), "\"files\":1", "\"problems\":0", "\"health\":{");
    }

    @Test
    void serversAndVolumesAreToldToScripts() {
        assertHas(run("admin", "block", "status", node.uri(), "--json"), "[{\"id\":1,", "\"state\":\"active\"");
        assertHas(run("admin", "volume", "status", node.uri(), "1", "--json"), "\"capacity_bytes\":");
    }

    @Test
    void safeModeIsSwitchedAndTold() {
        assertHas(run("admin", "safemode", node.uri()), "safe mode is off");
        assertHas(run("admin", "safemode", "enter", node.uri()), "safe mode is on");
        try {
            assertHas(run("status", node.uri()), "the cluster is in safe mode", "tatami admin safemode leave");
        } finally {
            assertHas(run("admin", "safemode", node.uri(), "leave"), "safe mode is off");
        }
        assertHas(
                CommandRun.run(ExitCode.USAGE, "admin", "safemode", node.uri(), "off"), "none of get, enter and leave");
    }
}
