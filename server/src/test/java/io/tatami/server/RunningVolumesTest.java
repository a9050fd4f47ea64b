package io.tatami.server;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.base.Threads;
import io.tatami.block.service.volumes.RememberedVolumes;
import io.tatami.block.volume.Volume;
import io.tatami.client.TatamiClient;
import io.tatami.client.file.FileReader;
import io.tatami.client.file.FileWriter;
import io.tatami.client.file.ReadPolicy;
import io.tatami.client.model.CreateSpec;
import io.tatami.client.model.TatamiPath;
import io.tatami.conf.Settings;
import io.tatami.files.CrashPoint;
import io.tatami.files.LiveFiles;
import io.tatami.protocol.wire.BlockServerInfo;
import io.tatami.protocol.wire.ChangeVolumeRequest;
import io.tatami.protocol.wire.ChangeVolumeRequest.Action;
import io.tatami.protocol.wire.VolumeStatus;
import io.tatami.server.cli.TatamiServer;
import io.tatami.server.cli.option.ExitCode;
import io.tatami.server.node.ClusterAddress;
import io.tatami.server.node.Patience;
import io.tatami.server.node.StandaloneNode;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import javax.management.ObjectName;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Volumes of a block server that are added, drained and removed while it runs, and its next starts. */
final class RunningVolumesTest {
    private static final int BYTES = 700_000;
    private static final long VOLUME_BYTES = 96L << 20;
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    @TempDir
    private Path directory;

    private Path first;
    private Path second;

    @BeforeEach
    void place() {
        first = directory.resolve("first");
        second = directory.resolve("second");
    }

    @Test
    void anAddedVolumeTakesBlocksAndIsOpenedByTheNextStartWithTheOldOptions() throws Exception {
        int files = 0;
        try (StandaloneNode node = start();
                TatamiClient client = connect(node)) {
            write(client, files++);
            long capacity = server(client).getCapacityBytes();

            assertTrue(add(node, second).contains(second.toString()));

            Eventually.await(PATIENCE, () -> server(client).getCapacityBytes() > capacity + VOLUME_BYTES / 2);
            while (blocks(client, second) == 0) {
                write(client, files++);
            }
            assertTrue(add(node, second).contains("serves"), "may be repeated");
        }
        try (StandaloneNode node = start();
                TatamiClient client = connect(node)) {
            assertTrue(blocks(client, second) > 0);
            requireAll(client, files);
        }
        Files.move(second, directory.resolve("away"));
        try (StandaloneNode node = start();
                TatamiClient client = connect(node)) {
            assertTrue(volume(client, second).getFailure().contains("second"), "it is told, and not made anew");
            assertTrue(Files.notExists(second));
        }
        Files.move(directory.resolve("away"), second);
        try (StandaloneNode node = start();
                TatamiClient client = connect(node)) {
            requireAll(client, files);
        }
    }

    @Test
    void aVolumeWithBlocksIsRemovedByGivingThemUpOnlyAndIsNotOpenedAgain() throws Exception {
        int files = 0;
        try (StandaloneNode node = start();
                TatamiClient client = connect(node)) {
            assertTrue(refused(node, "remove", first).contains("only open volume"));
            assertTrue(refused(node, "remove", directory.resolve("no")).contains("has no volume"));
            add(node, second);
            while (blocks(client, second) == 0 || blocks(client, first) == 0) {
                write(client, files++);
            }
            assertTrue(refused(node, "remove", first).contains("--give-up"));
            write(client, files++);

            CommandRun.run(ExitCode.DONE, "admin", "volume", "remove", node.uri(), "1", first.toString(), "--give-up");

            assertEquals(1, volumes(client).size());
            CommandRun.run(ExitCode.DONE, "admin", "volume", "remove", node.uri(), "1", first.toString(), "--give-up");
            int lost = files - readable(client, files);
            assertTrue(lost > 0 && lost < files, lost + " of " + files + " files are lost");
        }
        try (StandaloneNode node = start();
                TatamiClient client = connect(node)) {
            assertEquals(List.of(second.toString()), paths(client));

            add(node, first);

            requireAll(client, files);
        }
    }

    @Test
    void aDrainedVolumeGivesItsBlocksToTheOthersWhileTheyAreReadAndIsRemovedThen() throws Exception {
        int files = 0;
        try (StandaloneNode node = start();
                TatamiClient client = connect(node)) {
            for (int i = 0; i < 20; i++) {
                write(client, files++);
            }
            FileWriter open = client.create(path(1_000), CreateSpec.DEFAULT);
            open.write(content(1_000), 0, BYTES);
            open.hflush();
            assertTrue(CommandRun.run(ExitCode.DONE, "admin", "volume", "drain", node.uri(), "1", first.toString())
                    .contains("draining"));
            Eventually.await(
                    PATIENCE, () -> volume(client, first).getDrainWaitsFor().contains("admin volume add"));
            String waiting = CommandRun.run(ExitCode.DONE, "status", node.uri());
            assertTrue(waiting.contains("drains of volumes wait: " + first + " of server 1 (no other volume"), waiting);
            assertTrue(CommandRun.run(ExitCode.DONE, "status", node.uri(), "--all")
                    .contains("draining, waits for: no other volume"));
            add(node, second);
            try (FileReader reading = client.open(path(0), ReadPolicy.SEQUENTIAL)) {
                byte[] some = new byte[1_000];
                assertTrue(reading.read(some, 0, some.length) > 0);
                Eventually.await(PATIENCE, () -> blocks(client, first) == 1);
                assertTrue(reading.read(some, 0, some.length) > 0, "a reader goes on at the new place");
            }
            Eventually.await(
                    PATIENCE, () -> volume(client, first).getDrainWaitsFor().contains("it is being written"));
            assertTrue(refused(node, "remove", first).contains("has 1 blocks"));
            requireAll(client, files);

            open.close();

            Eventually.await(PATIENCE, () -> blocks(client, first) == 0);
            assertTrue(CommandRun.run(ExitCode.DONE, "admin", "volume", "status", node.uri(), "1")
                    .contains("drained"));
            write(client, files++);
            assertEquals(0, blocks(client, first), "a drained volume takes no block");
            CommandRun.run(ExitCode.DONE, "admin", "volume", "remove", node.uri(), "1", first.toString());
            assertEquals(List.of(second.toString()), paths(client));
            requireAll(client, files);
        }
        Files.delete(first);
        try (StandaloneNode node = start();
                TatamiClient client = connect(node)) {
            assertEquals(List.of(second.toString()), paths(client));
            assertTrue(Files.notExists(first), "a removed volume is not made anew");
            requireAll(client, files);
            assertArrayEquals(content(1_000), read(client, 1_000));
            CommandRun.run(ExitCode.DONE, "fsck", node.uri());
        }
    }

    @Test
    void aDrainGoesOnAfterARestartUntilItIsUndone() throws Exception {
        int files = 0;
        try (StandaloneNode node = start();
                TatamiClient client = connect(node)) {
            write(client, files++);
            CommandRun.run(ExitCode.DONE, "admin", "volume", "drain", node.uri(), "1", first.toString());
            // Asked again, that changes nothing.
            CommandRun.run(ExitCode.DONE, "admin", "volume", "add", node.uri(), "1", first.toString());
            assertTrue(volume(client, first).getDraining());
        }
        try (StandaloneNode node = start();
                TatamiClient client = connect(node)) {
            assertTrue(volume(client, first).getDraining());
            CommandRun.run(ExitCode.DONE, "admin", "volume", "drain", node.uri(), "1", first.toString(), "--undo");
            assertFalse(volume(client, first).getDraining());
            write(client, files++);
        }
        try (StandaloneNode node = start();
                TatamiClient client = connect(node)) {
            assertFalse(volume(client, first).getDraining());
            requireAll(client, files);
        }
    }

    @Test
    void aNewVolumeIsFilledUntilItIsAboutAsFullAsTheOthers() throws Exception {
        int files = 0;
        try (StandaloneNode node = start();
                TatamiClient client = connect(node)) {
            while (fullness(client, first) < 0.4) {
                write(client, files++);
            }
            add(node, second);
            Eventually.await(PATIENCE, () -> fullness(client, first) - fullness(client, second) < 0.06);
            assertTrue(fullness(client, first) >= fullness(client, second));
            assertTrue(volume(client, second).getMovedHereBytes() > 0);
            Eventually.await(
                    PATIENCE,
                    () -> client.cluster()
                            .blockServerStatus(server(client), 10_000)
                            .getBalancing()
                            .isEmpty());
            requireAll(client, files);
        }
    }

    @Test
    void volumesThatWereAddedAndRemovedLeaveNothingBehind() throws Exception {
        try (StandaloneNode node = start();
                TatamiClient client = connect(node)) {
            write(client, 0);
            long before = liveVolumes();
            long capacity = server(client).getCapacityBytes();
            for (int i = 0; i < 8; i++) {
                add(node, second);
                Eventually.await(PATIENCE, () -> server(client).getCapacityBytes() > capacity);
                CommandRun.run(ExitCode.DONE, "admin", "volume", "remove", node.uri(), "1", second.toString());
                Eventually.await(PATIENCE, () -> server(client).getCapacityBytes() == capacity);
            }

            Eventually.await(PATIENCE, () -> liveVolumes() == before);
            requireAll(client, 1);
        }
    }

    /** How many volumes something in this process holds on to. */
    private static long liveVolumes() throws Exception {
        String histogram = (String) ManagementFactory.getPlatformMBeanServer()
                .invoke(
                        new ObjectName("com.sun.management:type=DiagnosticCommand"),
                        "gcClassHistogram",
                        new Object[] {new String[0]},
                        new String[] {String[].class.getName()});
        return histogram
                .lines()
                .map(line -> line.trim().split("\\s+"))
                .filter(line -> line.length > 3 && line[3].equals(Volume.class.getName()))
                .mapToLong(line -> Long.parseLong(line[1]))
                .sum();
    }

    private static double fullness(TatamiClient client, Path path) throws Exception {
        VolumeStatus volume = volume(client, path);
        return (double) volume.getUsedBytes() / volume.getCapacityBytes();
    }

    @Test
    void devicesThatHoldSomethingElseAreRefused() throws Exception {
        Path other = Files.write(directory.resolve("other"), new byte[64 << 10]);
        try (StandaloneNode node = start()) {
            assertTrue(refused(node, "add", other).contains("other"));
            assertTrue(refused(node, "add", directory.resolve("no/such/directory/file"))
                    .contains("no/such"));
            String wrong = CommandRun.run(
                    ExitCode.USAGE, "admin", "volume", "add", node.uri(), "1", second.toString(), "--capacity", "0");
            assertTrue(wrong.contains("not a valid size"), wrong);
        }
        assertEquals(64 << 10, Files.size(other));
    }

    @Test
    void aProcessThatIsKilledGoesOnWithItsDrainAndKnowsWhatWasRemoved() throws Exception {
        int files = 0;
        // Over a second for a block, and five are moved together: most are left when the first are there.
        try (ServerProcess process = startProcess("-Dtatami.block.copy.rate=512k")) {
            String uri = process.awaitUri();
            try (TatamiClient client = connect(uri)) {
                for (int i = 0; i < 20; i++) {
                    write(client, files++);
                }
                CommandRun.run(
                        ExitCode.DONE, "admin", "volume", "add", uri, "1", second.toString(), "--capacity", "96m");
                CommandRun.run(ExitCode.DONE, "admin", "volume", "drain", uri, "1", first.toString());
                Eventually.await(PATIENCE, () -> blocks(client, second) > 0);
                assertTrue(blocks(client, first) > 1, "nothing is left to be moved");
            }
            process.kill();
        }
        try (ServerProcess process = startProcess()) {
            String uri = process.awaitUri();
            try (TatamiClient client = connect(uri)) {
                Eventually.await(PATIENCE, () -> blocks(client, first) == 0);
                assertTrue(volume(client, second).getMovedHereBytes() > 0, "the drain did not go on");
                requireAll(client, files);
                CommandRun.run(ExitCode.DONE, "admin", "volume", "remove", uri, "1", first.toString());
            }
            process.kill();
        }
        try (ServerProcess process = startProcess();
                TatamiClient client = connect(process.awaitUri())) {
            assertEquals(List.of(second.toString()), paths(client));
            requireAll(client, files);
        }
    }

    /** Each change comes to a process that halts at a step of it. */
    @Test
    void aChangeThatIsCutShortIsDoneOrNotAndCanBeRepeated() throws Exception {
        haltAt("service.volume.before-remembered", Action.ADD, second);
        requireVolumes(List.of(first), List.of());
        haltAt("service.volume.after-remembered", Action.ADD, second);
        requireVolumes(List.of(first, second), List.of());
        haltAt("service.volume.before-drain", Action.DRAIN, first);
        requireVolumes(List.of(first, second), List.of(first));
        haltAt("service.volume.before-removed", Action.REMOVE, first);
        requireVolumes(List.of(second), List.of());
    }

    /** The next start has these volumes, and drains some of them. */
    private void requireVolumes(List<Path> expected, List<Path> drained) throws Exception {
        try (ServerProcess process = startProcess();
                TatamiClient client = connect(process.awaitUri())) {
            assertEquals(expected.stream().map(Path::toString).toList(), paths(client));
            for (Path path : expected) {
                assertEquals("", volume(client, path).getFailure());
                assertEquals(drained.contains(path), volume(client, path).getDraining(), path::toString);
            }
        }
    }

    /** Starts a process, and has it halt at a crash point of a change. */
    private void haltAt(String point, Action action, Path volume) throws Exception {
        FutureTask<?> change;
        try (ServerProcess process = startProcess("-D" + CrashPoint.PROPERTY + "=" + point);
                TatamiClient client = connect(process.awaitUri())) {
            ChangeVolumeRequest request = ChangeVolumeRequest.newBuilder()
                    .setServerId(server(client).getServerId())
                    .setAction(action)
                    .setVolume(volume.toString())
                    .setCapacityBytes(action == Action.ADD ? VOLUME_BYTES : 0)
                    .build();
            change = new FutureTask<>(() -> client.cluster().changeVolume(request));
            Threads.daemon(change, "change").start();
            assertEquals(CrashPoint.EXIT_CODE, process.awaitExit(), point);
        }
        assertThrows(ExecutionException.class, change::get, point);
    }

    @Test
    void aRemovalThatCannotBeRememberedLeavesTheVolumeClosedToNewBlocksAndTellsSo() throws Exception {
        try (StandaloneNode node = start();
                TatamiClient client = connect(node)) {
            long capacity = server(client).getCapacityBytes();
            add(node, second);
            Eventually.await(PATIENCE, () -> server(client).getCapacityBytes() > capacity);
            Path remembered = rememberedVolumes();
            Path kept = Files.move(remembered, directory.resolve("kept"));
            Files.createDirectories(remembered.resolve("in-the-way"));

            assertTrue(refused(node, "remove", second).contains(RememberedVolumes.NAME));

            assertTrue(volume(client, second).getDraining());
            for (int file = 0; file < 4; file++) {
                write(client, file);
            }
            assertEquals(0, blocks(client, second));
            Files.delete(remembered.resolve("in-the-way"));
            Files.delete(remembered);
            Files.move(kept, remembered);
            CommandRun.run(ExitCode.DONE, "admin", "volume", "drain", node.uri(), "1", second.toString(), "--undo");
            assertFalse(volume(client, second).getDraining());
            CommandRun.run(ExitCode.DONE, "admin", "volume", "remove", node.uri(), "1", second.toString());
            requireAll(client, 4);
        }
    }

    private Path rememberedVolumes() throws IOException {
        List<Path> remembered = new ArrayList<>();
        LiveFiles.visit(directory, (file, attributes) -> {
            if (file.endsWith(RememberedVolumes.NAME)) {
                remembered.add(file);
            }
        });
        return remembered.get(0);
    }

    /** @param more options of its JVM */
    private ServerProcess startProcess(String... more) throws Exception {
        List<String> options = new ArrayList<>(List.of(more));
        options.add("-Dtatami.block.heartbeat=200ms");
        return ServerProcess.start(
                directory.resolve("process"),
                TatamiServer.class,
                options,
                List.of("standalone", "--port=0", "--capacity=96m", "--volume=" + first));
    }

    private static TatamiClient connect(String uri) throws Exception {
        return ClusterAddress.of(uri)
                .connect(new Patience(Duration.ofMinutes(1), Duration.ofMinutes(2), System.err::println));
    }

    private StandaloneNode start() throws Exception {
        return StandaloneNode.open(
                new StandaloneNode.Setup(directory.resolve("node"), List.of(first), VOLUME_BYTES, "localhost", 0, 1),
                Settings.of(Map.of("tatami.block.heartbeat", "200ms")),
                user -> List.of());
    }

    private static TatamiClient connect(StandaloneNode node) throws Exception {
        return connect(node.uri());
    }

    private static String add(StandaloneNode node, Path path) {
        return CommandRun.run(ExitCode.DONE, "admin", "volume", "add", node.uri(), "1", path.toString());
    }

    private static String refused(StandaloneNode node, String verb, Path path) {
        StringWriter out = new StringWriter();
        int code = TatamiServer.commandLine()
                .setOut(new PrintWriter(out))
                .setErr(new PrintWriter(out))
                .execute("admin", "volume", verb, node.uri(), "1", path.toString());
        assertTrue(code != ExitCode.DONE, out::toString);
        return out.toString();
    }

    private static TatamiPath path(int file) {
        return TatamiPath.ROOT.listedChild("file-" + file);
    }

    private static byte[] content(int file) {
        byte[] bytes = new byte[BYTES];
        new Random(file).nextBytes(bytes);
        return bytes;
    }

    private static void write(TatamiClient client, int file) throws Exception {
        try (FileWriter writer = client.create(path(file), CreateSpec.DEFAULT)) {
            writer.write(content(file), 0, BYTES);
        }
    }

    private static byte[] read(TatamiClient client, int file) throws Exception {
        byte[] bytes = new byte[BYTES];
        try (FileReader reader = client.open(path(file), ReadPolicy.SEQUENTIAL)) {
            int done = 0;
            while (done < BYTES) {
                int count = reader.read(bytes, done, BYTES - done);
                assertTrue(count > 0, "the file ends too early");
                done += count;
            }
        }
        return bytes;
    }

    private static void requireAll(TatamiClient client, int files) throws Exception {
        for (int file = 0; file < files; file++) {
            assertArrayEquals(content(file), read(client, file));
        }
    }

    private static int readable(TatamiClient client, int files) throws Exception {
        int readable = 0;
        for (int file = 0; file < files; file++) {
            try {
                assertArrayEquals(content(file), read(client, file));
                readable++;
            } catch (TatamiException e) {
                assertEquals(ErrorCode.NO_SUCH_BLOCK, e.code(), e::toString);
            }
        }
        return readable;
    }

    private static BlockServerInfo server(TatamiClient client) throws Exception {
        return client.cluster().map().getBlockServer(0);
    }

    private static List<VolumeStatus> volumes(TatamiClient client) throws Exception {
        return client.cluster().blockServerStatus(server(client), 10_000).getVolumeList();
    }

    private static List<String> paths(TatamiClient client) throws Exception {
        return volumes(client).stream().map(VolumeStatus::getPath).toList();
    }

    private static VolumeStatus volume(TatamiClient client, Path path) throws Exception {
        return volumes(client).stream()
                .filter(volume -> volume.getPath().equals(path.toString()))
                .findFirst()
                .orElseThrow();
    }

    private static long blocks(TatamiClient client, Path path) throws Exception {
        return volume(client, path).getBlocks();
    }
}
