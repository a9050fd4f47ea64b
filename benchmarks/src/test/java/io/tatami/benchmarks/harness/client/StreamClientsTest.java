package io.tatami.benchmarks.harness.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.benchmarks.harness.peer.Peer;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.List;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StreamClientsTest {
    private static final int CALL_BYTES = 300_000;

    @TempDir
    private Path directory;

    @Test
    void streamsOfSeveralProcessesShareTheFilesWriteAllOfThemAndReadThemBack() throws Exception {
        Path files = directory.resolve("files");
        try (StreamClients clients = new StreamClients(new LocalPeer(), 9, CALL_BYTES, directory.resolve("conf"))) {
            StreamClients.Outcome written = clients.write(files.toString(), 9, 11, 1 << 20);
            assertTrue(written.seconds() > 0);
            try (Stream<Path> made = Files.list(files)) {
                assertEquals(
                        11,
                        made.map(Path::getFileName)
                                .collect(Collectors.toCollection(TreeSet::new))
                                .size());
            }
            for (int file = 0; file < 11; file++) {
                assertEquals(1 << 20, Files.size(files.resolve("file-" + file)));
            }
            clients.read(files.toString(), 4, 11, 1 << 20);
        }
    }

    @Test
    void noTwoFilesAndNoTwoCallsHaveTheSameBytes() throws Exception {
        Path files = directory.resolve("files");
        try (StreamClients clients = new StreamClients(new LocalPeer(), 1, CALL_BYTES, directory.resolve("conf"))) {
            clients.write(files.toString(), 1, 2, 1 << 20);
        }
        byte[] first = Files.readAllBytes(files.resolve("file-0"));
        assertFalse(Arrays.equals(first, Files.readAllBytes(files.resolve("file-1"))));
        assertFalse(Arrays.equals(
                Arrays.copyOfRange(first, 0, CALL_BYTES), Arrays.copyOfRange(first, CALL_BYTES, 2 * CALL_BYTES)));
    }

    @Test
    void readersAndWritersWorkSideBySideUntilTheTimeIsOver() throws Exception {
        Path source = directory.resolve("source");
        Path target = directory.resolve("target");
        long fileBytes = 10 << 20;
        List<StreamTally> tallies;
        try (StreamClients clients = new StreamClients(new LocalPeer(), 9, CALL_BYTES, directory.resolve("conf"))) {
            clients.write(source.toString(), 9, 3, fileBytes);
            tallies = clients.mix(new StreamMix(source.toString(), target.toString(), 2, 7, 3, fileBytes, 1));
        }
        assertEquals(2, tallies.stream().filter(StreamTally::isReader).count());
        assertEquals(9, tallies.size());
        for (StreamTally tally : tallies) {
            assertTrue(tally.bytes() > 0 && tally.longestCallNanos() > 0, tally::toString);
            assertTrue(tally.nanos() >= 1_000_000_000, tally::toString);
            assertTrue(tally.longestCallNanos() <= tally.nanos(), tally::toString);
        }
        try (Stream<Path> made = Files.list(target)) {
            List<Path> files =
                    made.filter(file -> !file.toString().endsWith(".crc")).toList();
            assertTrue(files.size() >= 7 && files.size() <= 14, files::toString);
        }
    }

    @Test
    void aListingThatLacksAFileFails() throws Exception {
        Path files = directory.resolve("files");
        try (StreamClients clients = new StreamClients(new LocalPeer(), 2, CALL_BYTES, directory.resolve("conf"))) {
            clients.write(files.toString(), 2, 7, 10_000);
            assertTrue(clients.list(files.toString(), 7, 10_000).seconds() > 0);
            Files.delete(files.resolve("file-3"));
            IOException failure = assertThrows(IOException.class, () -> clients.list(files.toString(), 7, 10_000));
            assertTrue(failure.toString().contains("6 files instead of 7"), failure::toString);
        }
    }

    @Test
    void aFileThatIsTooShortFailsTheRead() throws Exception {
        Path files = directory.resolve("files");
        try (StreamClients clients = new StreamClients(new LocalPeer(), 1, CALL_BYTES, directory.resolve("conf"))) {
            clients.write(files.toString(), 1, 1, 1 << 20);
            try (FileChannel file = FileChannel.open(files.resolve("file-0"), StandardOpenOption.WRITE)) {
                file.truncate(1000);
            }
            IOException failure = assertThrows(IOException.class, () -> clients.read(files.toString(), 1, 1, 1 << 20));
            assertTrue(failure.toString().contains("file-0 has 1000 bytes"), failure::toString);
        }
    }

    /** The local file system, which has no servers. */
    private static final class LocalPeer implements Peer {
        @Override
        public String name() {
            return "local";
        }

        @Override
        public Configuration configuration() {
            Configuration configuration = new Configuration();
            configuration.set("fs.defaultFS", "file:///");
            configuration.set("fs.file.impl", "org.apache.hadoop.fs.RawLocalFileSystem");
            return configuration;
        }

        @Override
        public List<ProcessHandle> servers() {
            return List.of();
        }

        @Override
        public void close() {}
    }
}
