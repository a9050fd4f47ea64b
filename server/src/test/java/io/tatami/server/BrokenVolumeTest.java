package io.tatami.server;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.client.TatamiClient;
import io.tatami.client.file.FileReader;
import io.tatami.client.file.FileWriter;
import io.tatami.client.file.ReadPolicy;
import io.tatami.client.model.ClusterStatus.GroupState;
import io.tatami.client.model.CreateSpec;
import io.tatami.client.model.TatamiPath;
import io.tatami.conf.Settings;
import io.tatami.protocol.wire.VolumeStatus;
import io.tatami.server.cli.TatamiServer;
import io.tatami.server.cli.option.ExitCode;
import io.tatami.server.node.ClusterAddress;
import io.tatami.server.node.Patience;
import io.tatami.server.node.StandaloneNode;
import io.tatami.server.status.StatusJson;
import io.tatami.server.status.StatusReport;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.RandomAccessFile;
import java.io.StringWriter;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A node with two volumes is started again when one of them is no longer what it was. */
final class BrokenVolumeTest {
    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final int MIB = 1 << 20;
    private static final int FILES = 6;
    private static final long CAPACITY_BYTES = 96 * MIB;

    @TempDir
    private Path directory;

    private Path first;
    private Path second;

    @BeforeEach
    void writeOnBoth() throws Exception {
        first = directory.resolve("first");
        second = directory.resolve("second");
        try (StandaloneNode node = start(List.of(first, second));
                TatamiClient client = connect(node)) {
            for (int number = 0; number < FILES; number++) {
                write(client, number);
            }
            for (VolumeStatus volume : volumes(client)) {
                assertTrue(volume.getBlocks() > 0, volume.getPath() + " has no block");
            }
        }
    }

    @Test
    void volumesMayBeNamedInAnyOrder() throws Exception {
        try (StandaloneNode node = start(List.of(second, first));
                TatamiClient client = connect(node)) {
            assertEquals(FILES, readable(client));
            assertTrue(StatusReport.of(client.cluster()).isWell());
        }
    }

    @Test
    void aVolumeThatCannotBeOpenedIsReportedAndTheOtherServes() throws Exception {
        wipe(second);
        try (StandaloneNode node = start(List.of(second, first));
                TatamiClient client = connect(node)) {
            int readable = readable(client);
            assertTrue(readable > 0 && readable < FILES, readable + " files can be read");
            write(client, FILES);
            assertArrayEquals(bytes(FILES), read(client, FILES));

            StatusReport report = StatusReport.of(client.cluster());
            assertFalse(report.isWell());
            VolumeStatus broken = volumes(client).get(1);
            assertEquals(second.toString(), broken.getPath());
            assertTrue(broken.getFailure().contains("has no superblock"), broken.getFailure());
            assertTrue(StatusJson.of(report).contains("has no superblock"), StatusJson.of(report));
        }
    }

    @Test
    void aVolumeThatIsGoneIsNotMadeAnew() throws Exception {
        Files.delete(second);
        try (StandaloneNode node = start(List.of(first, second));
                TatamiClient client = connect(node)) {
            assertTrue(readable(client) > 0);
            assertFalse(Files.exists(second));
            assertFalse(volumes(client).get(1).getFailure().isEmpty());
        }
    }

    @Test
    void whereNoVolumeCanBeOpenedTheStartIsRefusedWithAllReasons() throws Exception {
        wipe(first);
        Files.delete(second);

        TatamiException refused = assertThrows(TatamiException.class, () -> start(List.of(first, second)));

        assertEquals(ErrorCode.CORRUPT, refused.code());
        assertTrue(String.valueOf(refused.getMessage()).contains(first.toString()), refused.toString());
        assertEquals(1, refused.getSuppressed().length);
    }

    @Test
    void aVolumeOfAnotherClusterIsAWrongCommandAndRefused() throws Exception {
        Path foreign = directory.resolve("foreign");
        StandaloneNode.open(setup("other", List.of(foreign)), Settings.of(Map.of()), user -> List.of())
                .close();

        TatamiException refused = assertThrows(TatamiException.class, () -> start(List.of(first, foreign)));

        assertEquals(ErrorCode.WRONG_CLUSTER, refused.code());
    }

    private StandaloneNode start(List<Path> volumes) throws TatamiException {
        return StandaloneNode.open(setup("node", volumes), Settings.of(Map.of()), user -> List.of());
    }

    private StandaloneNode.Setup setup(String name, List<Path> volumes) {
        return new StandaloneNode.Setup(directory.resolve(name), volumes, CAPACITY_BYTES, "localhost", 0, 1);
    }

    private static TatamiClient connect(StandaloneNode node) throws TatamiException {
        return ClusterAddress.of(node.uri())
                .connect(new Patience(Duration.ofMinutes(1), Duration.ofMinutes(2), System.err::println));
    }

    private static List<VolumeStatus> volumes(TatamiClient client) throws TatamiException {
        return StatusReport.of(client.cluster()).servers().get(0).volumes().stream()
                .map(StatusReport.VolumeState::status)
                .toList();
    }

    @Test
    void aServerWhoseVolumesAreAwayInTurnStaysWhatItIs() throws Exception {
        Path secondAway = takeAway(second);
        int onFirst;
        try (StandaloneNode node = start(List.of(first, second));
                TatamiClient client = connect(node)) {
            onFirst = readable(client);
        }
        Files.move(secondAway, second);
        Path firstAway = takeAway(first);
        try (StandaloneNode node = start(List.of(first, second));
                TatamiClient client = connect(node)) {
            assertEquals(FILES - onFirst, readable(client));
        }
        Files.move(firstAway, first);
        try (StandaloneNode node = start(List.of(first, second));
                TatamiClient client = connect(node)) {
            assertEquals(FILES, readable(client));
            assertEquals(1, StatusReport.of(client.cluster()).servers().size());
        }
    }

    @Test
    void whatIsDeletedWhileAVolumeIsMissingIsGivenBackWhenItReturns() throws Exception {
        Path away = takeAway(second);
        try (StandaloneNode node = start(List.of(first, second));
                TatamiClient client = connect(node)) {
            deleteAllAndAwaitThatTheRestIsPending(client);
        }
        Files.move(away, second);
        try (StandaloneNode node = start(List.of(first, second));
                TatamiClient client = connect(node)) {
            Eventually.await(PATIENCE, () -> pendingReclaims(client) == 0);
            for (VolumeStatus volume : volumes(client)) {
                assertEquals(0, volume.getBlocks(), volume.getPath());
            }
        }
    }

    @Test
    void whatIsDeletedOnAVolumeThatIsGivenUpIsForgotten() throws Exception {
        Path unused = takeAway(second);
        assertTrue(Files.exists(unused));
        try (StandaloneNode node = start(List.of(first, second));
                TatamiClient client = connect(node)) {
            deleteAllAndAwaitThatTheRestIsPending(client);
        }
        try (StandaloneNode node = start(List.of(first));
                TatamiClient client = connect(node)) {
            Eventually.await(PATIENCE, () -> pendingReclaims(client) == 0);
        }
    }

    @Test
    void fsckCallsWhatIsOnAMissingVolumeUnavailableUntilItReturns() throws Exception {
        Path away = takeAway(second);
        try (StandaloneNode node = start(List.of(first, second));
                TatamiClient client = connect(node)) {
            int broken = FILES - readable(client);
            Eventually.await(
                    PATIENCE,
                    () -> findings(client).stream()
                                    .filter(problem -> problem.contains("is unavailable"))
                                    .count()
                            == broken);
            assertTrue(findings(client).stream().noneMatch(problem -> problem.contains("is missing")));
            String printed = fsck(node);
            assertTrue(printed.contains("volume " + second + " does not serve: "), printed);
        }
        Files.move(away, second);
        try (StandaloneNode node = start(List.of(first, second));
                TatamiClient client = connect(node)) {
            Eventually.await(PATIENCE, () -> findings(client).isEmpty());
            assertEquals(FILES, readable(client));
        }
    }

    @Test
    void filesThatAreBegunWhileAVolumeIsMissingAreReadRecoveredAndDeletedWithoutABlock() throws Exception {
        Path away = takeAway(second);
        try (StandaloneNode node = start(List.of(first, second));
                TatamiClient client = connect(node);
                TatamiClient other = connect(node)) {
            assertTrue(Files.exists(away));
            // From then on its client takes a block with each file that it creates.
            write(client, 2 * FILES);
            for (int number = FILES; number < 2 * FILES; number++) {
                FileWriter unused = client.create(path(number), CreateSpec.DEFAULT.withBlockSizeBytes(4 * MIB));
                assertEquals(0, unused.position());
            }
            Eventually.await(PATIENCE, () -> read(other, FILES).length == 0);
            Eventually.await(PATIENCE, () -> recovered(other) == FILES);
            for (int number = FILES; number < 2 * FILES; number++) {
                other.delete(path(number), false);
            }
            Eventually.await(PATIENCE, () -> pendingReclaims(other) == 0);
        }
    }

    /** Nothing of it was flushed, so that only its block server knows of the bytes that were read. */
    @Test
    void aRecoveryWaitsForAMissingVolumeAndKeepsWhatWasRead() throws Exception {
        Map<Integer, Integer> seen = new TreeMap<>();
        long onFirst;
        try (StandaloneNode node = start(List.of(first, second));
                TatamiClient client = connect(node)) {
            long before = volumes(client).get(0).getBlocks();
            for (int number = FILES; number < 2 * FILES; number++) {
                FileWriter writer = client.create(path(number), CreateSpec.DEFAULT.withBlockSizeBytes(4 * MIB));
                byte[] bytes = bytes(number);
                writer.write(bytes, 0, bytes.length);
                TatamiPath path = path(number);
                Eventually.await(PATIENCE, () -> lengthBytes(client, path) > 0);
                seen.put(number, lengthBytes(client, path));
            }
            onFirst = volumes(client).get(0).getBlocks() - before;
        }
        assertTrue(onFirst > 0 && onFirst < FILES, onFirst + " on the first volume");
        Path away = takeAway(second);
        try (StandaloneNode node = start(List.of(first, second));
                TatamiClient client = connect(node)) {
            Eventually.await(PATIENCE, () -> recovered(client) == onFirst);
        }
        Files.move(away, second);
        try (StandaloneNode node = start(List.of(first, second));
                TatamiClient client = connect(node)) {
            Eventually.await(PATIENCE, () -> recovered(client) == FILES);
            for (Map.Entry<Integer, Integer> file : seen.entrySet()) {
                byte[] kept = read(client, file.getKey());
                assertTrue(kept.length >= file.getValue(), kept.length + " bytes of " + file);
                assertArrayEquals(Arrays.copyOf(bytes(file.getKey()), kept.length), kept);
            }
        }
    }

    private static int lengthBytes(TatamiClient client, TatamiPath path) throws IOException {
        try (FileReader reader = client.open(path, ReadPolicy.ADAPTIVE)) {
            return (int) reader.lengthBytes();
        }
    }

    private static void deleteAllAndAwaitThatTheRestIsPending(TatamiClient client) throws Exception {
        int broken = FILES - readable(client);
        assertTrue(broken > 0);
        for (int number = 0; number < FILES; number++) {
            client.delete(path(number), false);
        }
        Eventually.await(PATIENCE, () -> volumes(client).get(0).getBlocks() == 0 && pendingReclaims(client) == broken);
    }

    /** Of the files that were left open, those that are closed once their recovery was asked for. */
    private static int recovered(TatamiClient client) throws TatamiException {
        int closed = 0;
        for (int number = FILES; number < 2 * FILES; number++) {
            closed += client.recoverLease(path(number)) ? 1 : 0;
        }
        return closed;
    }

    private static Path takeAway(Path volume) throws IOException {
        return Files.move(volume, volume.resolveSibling(volume.getFileName() + ".away"));
    }

    private static long pendingReclaims(TatamiClient client) throws TatamiException {
        return client.cluster().status().groups().stream()
                .map(GroupState::status)
                .filter(Objects::nonNull)
                .mapToLong(status -> status.getPendingReclaimBlocks())
                .sum();
    }

    private static List<String> findings(TatamiClient client) throws TatamiException {
        return client.cluster().fsck(TatamiPath.of("/")).findings().stream()
                .map(problem -> problem.finding().getProblem())
                .toList();
    }

    private static String fsck(StandaloneNode node) {
        StringWriter out = new StringWriter();
        int code = TatamiServer.commandLine()
                .setOut(new PrintWriter(out))
                .execute("fsck", node.uri().toString());
        assertEquals(ExitCode.FAILED, code);
        return out.toString();
    }

    /** What a disk that was overwritten looks like: both copies of the superblock are gone. */
    private static void wipe(Path volume) throws IOException {
        try (RandomAccessFile file = new RandomAccessFile(volume.toFile(), "rw")) {
            file.write(new byte[4 * MIB]);
        }
    }

    private static void write(TatamiClient client, int number) throws IOException {
        try (FileWriter writer = client.create(path(number), CreateSpec.DEFAULT.withBlockSizeBytes(4 * MIB))) {
            byte[] bytes = bytes(number);
            writer.write(bytes, 0, bytes.length);
        }
    }

    /** How many files can be read; each as it was written. */
    private static int readable(TatamiClient client) throws IOException {
        int readable = 0;
        for (int number = 0; number < FILES; number++) {
            try {
                assertArrayEquals(bytes(number), read(client, number));
                readable++;
            } catch (TatamiException e) {
                assertEquals(ErrorCode.IO_ERROR, e.code(), e.toString());
            }
        }
        return readable;
    }

    private static byte[] read(TatamiClient client, int number) throws IOException {
        try (FileReader reader = client.open(path(number), ReadPolicy.ADAPTIVE)) {
            ByteBuffer all = ByteBuffer.allocate((int) reader.lengthBytes());
            int length = 0;
            while (all.hasRemaining() && length >= 0) {
                length = reader.read(all);
            }
            return all.array();
        }
    }

    private static TatamiPath path(int number) throws TatamiException {
        return TatamiPath.of("/file-" + number);
    }

    private static byte[] bytes(int number) {
        byte[] bytes = new byte[2 * MIB + number];
        new SplittableRandom(number).nextBytes(bytes);
        return bytes;
    }
}
