package io.tatami.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.Clock;
import io.tatami.block.device.LoopDevice;
import io.tatami.conf.Settings;
import io.tatami.meta.service.host.MetadataServer;
import io.tatami.meta.service.host.NewCluster;
import io.tatami.meta.service.identity.ServerLocation;
import io.tatami.server.cli.TatamiServer;
import io.tatami.server.cli.option.ExitCode;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.RandomAccessFile;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** What the commands say and return, beside a metadata server that runs in this JVM. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class LauncherTest {
    private static final List<List<String>> COMMANDS = List.of(
            List.of(),
            List.of("start"),
            List.of("start", "standalone"),
            List.of("start", "metadata"),
            List.of("start", "block"),
            List.of("stop"),
            List.of("status"),
            List.of("top"),
            List.of("fsck"),
            List.of("scrub"),
            List.of("admin"),
            List.of("admin", "metadata"),
            List.of("admin", "metadata", "replicate"),
            List.of("admin", "metadata", "status"),
            List.of("admin", "metadata", "add"),
            List.of("admin", "metadata", "remove"),
            List.of("format"),
            List.of("lab"),
            List.of("lab", "up"),
            List.of("lab", "status"),
            List.of("lab", "kill"),
            List.of("lab", "start"),
            List.of("lab", "pause"),
            List.of("lab", "resume"),
            List.of("lab", "cut"),
            List.of("lab", "heal"),
            List.of("lab", "slow"),
            List.of("lab", "wipe"),
            List.of("lab", "exec"),
            List.of("lab", "down"),
            List.of("version"));

    private Path directory;
    private MetadataServer metadata;
    private String uri;

    /** What a command left behind. */
    private record Ended(int code, String out, String err) {
        void assertRefused(String... why) {
            assertEquals(ExitCode.USAGE, code, this::toString);
            assertSays(why);
        }

        void assertFailed(String... why) {
            assertEquals(ExitCode.FAILED, code, this::toString);
            assertSays(why);
        }

        private void assertSays(String... why) {
            assertTrue(err.startsWith(TatamiServer.ERROR_PREFIX), this::toString);
            assertFalse(err.contains("\tat "), () -> "a stack trace is no message: " + this);
            for (String words : why) {
                assertTrue(err.contains(words), () -> words + " is not in: " + this);
            }
        }

        void assertDone(String... said) {
            assertEquals(ExitCode.DONE, code, this::toString);
            for (String words : said) {
                assertTrue(out.contains(words), () -> words + " is not in: " + this);
            }
        }
    }

    @BeforeAll
    void startMetadata(@TempDir Path temporary) throws Exception {
        directory = temporary;
        metadata = MetadataServer.open(
                new ServerLocation(directory.resolve("meta-here"), "localhost", 0),
                NewCluster.onOneServer(2),
                Settings.defaults(),
                user -> List.of(),
                Clock.SYSTEM);
        uri = "tatami://localhost:" + metadata.address().getPort();
    }

    @AfterAll
    void stopMetadata() throws Exception {
        metadata.close();
    }

    private static Ended run(Object... words) {
        CommandLine commandLine = TatamiServer.commandLine();
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        commandLine.setOut(new PrintWriter(out)).setErr(new PrintWriter(err));
        List<String> arguments = new ArrayList<>();
        for (Object word : words) {
            arguments.add(word.toString());
        }
        int code = commandLine.execute(arguments.toArray(String[]::new));
        return new Ended(code, out.toString(), err.toString());
    }

    private Path path(String name) {
        return directory.resolve(name);
    }

    @Test
    void everyCommandHelps() {
        for (List<String> command : COMMANDS) {
            List<Object> words = new ArrayList<>(command);
            words.add("--help");
            run(words.toArray()).assertDone(String.join(" ", List.of("Usage: tatami")), "--help");
        }
    }

    @Test
    void metadataServersAreListedAndThoseWithoutReplicasKeepWhatTheyHold() {
        String address = uri.substring("tatami://".length());
        run("admin", "metadata", "status", uri)
                .assertDone("each group is held by 1", address, "in service", "namespace shard-0 shard-1");
        run("admin", "metadata", "status", uri, "--json")
                .assertDone(
                        "\"settled\":true", "\"answers\":true", "\"holds\":[\"namespace\",\"shard-0\",\"shard-1\"]");
        run("admin", "metadata", "remove", uri, address)
                .assertRefused("first replicate the groups", "tatami admin metadata replicate");
        run("admin", "metadata", "add", uri, "elsewhere:1")
                .assertRefused("the cluster has no metadata server", address);
    }

    @Test
    void wrongUsageIsToldWithAHint() {
        run("start").assertRefused("Missing required subcommand");
        run("start", "metadata").assertRefused("--data", "tatami start metadata --help");
        run("begin").assertRefused("begin");
        run("lab", "status", "--dir", path("no-lab")).assertRefused("there is no lab in", "tatami lab up");
        run("lab", "up", "--dir", path("no-lab"), "--nodes", "17").assertRefused("from 1 to 16");
        run("lab", "up", "--dir", path("no-lab"), "--rate", "fast").assertRefused("1gbit");
        run("status").assertRefused("URI");
        run("status", "http://localhost:1").assertRefused("write tatami://host:port");
        run("status", "tatami://localhost:x").assertRefused("host:port");
        run("status", "--uri", uri, uri).assertRefused("--uri", "only once");
        run("fsck", uri, "/", "/").assertRefused("/");
        run("admin", "sart").assertRefused("there is no command 'sart' of tatami admin");
        run("fsck", uri, "--block", "-1").assertRefused("no block's id");
        run("admin", "block", "balance", uri, "on", "--threshold", "-1").assertRefused("from 1 to 90");
        run("stop", "--data", path("x"), "--timeout", "-1").assertRefused("'-1'", "from 1 to");
        run("start", "standalone", "--data", path("x"), "--shards", "3").assertRefused("power of two");
        run("start", "standalone", "--data", path("x"), "--capacity", "much").assertRefused("20g");
        run("start", "metadata", "--data", path("x"), "--host-shards", "a").assertRefused("0,1, or none");
        run("start", "metadata", "--data", path("x"), "--foreground", "--shards", "2", "--host-shards", "2")
                .assertRefused("shards 0 to 1");
        run("start", "metadata", "--data", path("x"), "--foreground", "--join", uri, "--host-shards", "none")
                .assertRefused("--host-shards");
        assertFalse(Files.exists(path("x").resolve("meta").resolve("metadata-server.id")));
    }

    @Test
    void aClusterThatDoesNotAnswerIsTold() {
        run("start", "metadata", "--data", path("alone"), "--foreground", "--join", "localhost:1")
                .assertFailed("localhost");
    }

    @Test
    void anAddressThatRefusesConnectionsIsToldWithTheRemedy() {
        run("status", "tatami://localhost:1")
                .assertFailed("no server answers at localhost:1", "refused", "tatami start", "DIR/run/ready");
        run("fsck", "tatami://localhost:1").assertFailed("no server answers at localhost:1");
    }

    @Test
    void aPortThatIsTakenIsTold() {
        run(
                        "start",
                        "metadata",
                        "--data",
                        path("taken"),
                        "--foreground",
                        "--port",
                        metadata.address().getPort())
                .assertRefused("cannot listen on", "another host or port");
    }

    @Test
    void aPortThatIsNoneIsToldByEveryStart() {
        for (String port : List.of("99999", "-1", "http")) {
            run("start", "metadata", "--data", path("no-port"), "--port", port)
                    .assertRefused("'" + port + "'", "0 to 65535");
            run("start", "standalone", "--data", path("no-port"), "--port", port)
                    .assertRefused("'" + port + "'", "0 to 65535");
            run("start", "block", "--data", path("no-port"), "--metadata", uri, "--volume", "v", "--port", port)
                    .assertRefused("'" + port + "'", "0 to 65535");
        }
        assertFalse(Files.exists(path("no-port")));
    }

    @Test
    void aHostWhoseNameIsUnknownIsToldWithTheRemedy() {
        run("status", "tatami://no-such-host.invalid:1")
                .assertFailed("no-such-host.invalid:1 cannot be resolved", "/etc/hosts");
        run("start", "metadata", "--data", path("alone"), "--foreground", "--join", "no-such-host.invalid:1")
                .assertFailed("no-such-host.invalid:1 cannot be resolved");
        run("start", "metadata", "--data", path("alone"), "--foreground", "--port", 0, "--host", "no-such-host.invalid")
                .assertRefused("cannot listen on no-such-host.invalid", "cannot be resolved");
    }

    @Test
    void aCommandTakesItsClusterAsAWordOrAnOptionAndThePathWithIt() {
        run("status", "--uri", uri).assertDone("all is well");
        run("fsck", "--uri", uri).assertDone("0 problems");
        run("fsck", uri + "/").assertDone("0 problems");
        run("fsck", uri + "/nothing/here").assertFailed("/nothing/here");
        run("fsck", "/nothing/here", "--uri=" + uri).assertFailed("/nothing/here");
        run("admin", "metadata", "status", "--uri", uri).assertDone("in service");
    }

    @Test
    void shardsThatSomebodyHasAreNotGivenAgain() {
        run("start", "metadata", "--data", path("late"), "--foreground", "--port", 0, "--host-shards", 0, "--join", uri)
                .assertRefused("every requested shard");
    }

    @Test
    void aVolumeThatDoesNotFitOnTheDiskIsNotMade() {
        Path volume = path("large");
        startBlock(volume, "1000t").assertRefused("free; choose a smaller capacity or another disk");
        assertFalse(Files.exists(volume));
        startBlock(directory, "1g").assertRefused("is a directory");
    }

    @Test
    void aVolumeOrCacheThatIsTooSmallIsRefusedBeforeAnythingIsMade() {
        Path data = path("none");
        Path volume = path("small");
        for (String size : List.of("0", "1m", "8388607")) {
            startBlock(volume, size).assertRefused("--capacity", "8m or more");
            assertFalse(Files.exists(path("block-" + volume.getFileName() + size)));
            run("start", "standalone", "--data", data, "--capacity", size).assertRefused("--capacity", "8m or more");
            run("start", "standalone", "--data", data, "--cache", "memory", "--cache-size", size)
                    .assertRefused("--cache-size", "8m or more");
        }
        startBlock(volume, "-1").assertRefused("'-1'", "not a valid size");
        assertFalse(Files.exists(volume));
        assertFalse(Files.exists(data));
    }

    @Test
    void aFileThatIsThereAndTooSmallForAVolumeIsRefused() throws IOException {
        Path volume = Files.createFile(path("empty"));
        startBlock(volume, "1g").assertRefused("use a larger one");
    }

    @Test
    void everyCommandTellsTheRelease() {
        String release = run("version").out();
        assertTrue(release.startsWith("tatami "), release);
        for (String option : List.of("--version", "-V")) {
            assertEquals(release, run(option).out());
            assertEquals(release, run("admin", "volume", "add", option).out());
        }
    }

    /** Files of /proc refuse O_DIRECT on every kernel; tmpfs does on some. */
    @Test
    void aFileSystemWithoutDirectWritesIsTold() {
        run("format", "--data", path("p"), "--metadata", uri, "--volume", "/proc/self/comm")
                .assertRefused("does not support O_DIRECT", "ext4 or xfs");
    }

    private Ended startBlock(Path volume, String capacity) {
        Path data = path("block-" + volume.getFileName() + capacity);
        return run(
                "start",
                "block",
                "--data",
                data,
                "--foreground",
                "--metadata",
                uri,
                "--volume",
                volume,
                "--capacity",
                capacity);
    }

    @Test
    void aVolumeIsFormattedOnceAndAgainOnlyByForce() throws IOException {
        Path volume = path("volume");
        run("format", "--data", path("b"), "--metadata", uri, "--volume", volume)
                .assertFailed("does not exist");
        try (RandomAccessFile file = new RandomAccessFile(volume.toFile(), "rw")) {
            file.setLength(64 << 20);
        }
        assertFormats(volume, path("b"));
    }

    @Test
    void aBlockDeviceIsFormattedOnceAndAgainOnlyByForce() throws IOException {
        Path file = path("disk");
        try (RandomAccessFile disk = new RandomAccessFile(file.toFile(), "rw")) {
            disk.setLength(64 << 20);
        }
        try (LoopDevice device = LoopDevice.attach(file)) {
            assertFormats(device.path(), path("d"));
        }
    }

    private void assertFormats(Path volume, Path data) {
        String cluster = metadata.cluster().toString();
        run("format", "--data", data, "--metadata", uri, "--volume", volume).assertDone("formatted " + volume, cluster);
        run("format", "--data", data, "--metadata", uri, "--volume", volume)
                .assertRefused("of this cluster", "format --force");
        run("format", "--data", data, "--metadata", uri, "--volume", volume, "--force")
                .assertDone("formatted");
    }

    @Test
    void statusAndFsckTellWhatIsThere() {
        run("status", uri).assertDone("all is well", "capacity", "3 of 3 answer", "block server");
        run("status", uri, "--all").assertDone("all is well", "namespace", "shard-1", "block server");
        run("status", uri, "--racks").assertDone("all is well", "rack, block server");
        run("status", uri, "--json").assertDone("\"problems\":[]", "\"racks\":[]");
        run("fsck", uri).assertDone("0 files, ", "0 problems");
        run("fsck", uri, "/nothing/here").assertFailed("/nothing/here");
        run("version").assertDone("tatami ");
    }

    /** The life of a server in the background, as the launcher starts one. */
    @Test
    void aServerIsStartedOnceStoppedAndItsFailureToStartIsTold() throws Exception {
        Path data = path("background");
        Ended started = run("start", "metadata", "--data", data, "--port", 0, "--shards", 1);
        try {
            started.assertDone("serving tatami://localhost:", "process ");
            String served = started.out().replaceAll("(?s)serving (\\S+),.*", "$1");
            run("status", served).assertDone("2 of 2 answer");
            run("start", "metadata", "--data", data, "--port", 0)
                    .assertRefused("is already in use by the server at " + served, "stop");
            assertTrue(Files.exists(data.resolve("logs").resolve("console.log")));
        } finally {
            run("stop", "--data", data).assertDone("stopped tatami://localhost:");
        }
        run("stop", "--data", data).assertDone("no server runs");
        run(
                        "start",
                        "metadata",
                        "--data",
                        path("taken-too"),
                        "--port",
                        metadata.address().getPort())
                .assertRefused("cannot listen on");
    }
}
