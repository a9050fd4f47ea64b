package io.tatami.server;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.client.TatamiClient;
import io.tatami.client.file.FileReader;
import io.tatami.client.file.FileWriter;
import io.tatami.client.file.ReadPolicy;
import io.tatami.client.model.CreateSpec;
import io.tatami.client.model.TatamiPath;
import io.tatami.conf.Settings;
import io.tatami.protocol.UserIdentity;
import io.tatami.relay.FreePorts;
import io.tatami.server.cli.TatamiServer;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A log of records, each appended and flushed, whose server's process ends in the midst. */
class WriteAheadLogTest {
    private static final int RECORDS_MAX = 5_000;
    private static final Settings SETTINGS = Settings.of(Map.of("tatami.client.block.size", "1m"));

    @TempDir
    private Path directory;

    private ServerProcess start(int port) throws IOException, InterruptedException {
        ServerProcess server = ServerProcess.start(
                directory.resolve("data"),
                TatamiServer.class,
                List.of(),
                List.of("standalone", "--port=" + port, "--capacity=256m", "--shards=1"));
        server.awaitUri();
        return server;
    }

    private static TatamiClient connect(int port) throws TatamiException {
        return TatamiClient.connect("localhost:" + port, UserIdentity.of(System.getProperty("user.name")), SETTINGS);
    }

    /** Bytes that tell which ones they are. */
    private static byte[] content(int length) {
        byte[] bytes = new byte[length];
        new Random(4).nextBytes(bytes);
        return bytes;
    }

    @ParameterizedTest
    @CsvSource({"100,false", "100,true", "5000,false", "5000,true", "1048576,false", "1048576,true"})
    void noFlushedRecordIsLostByTheEndOfAProcess(int recordBytes, boolean isKilled) throws Exception {
        int port = FreePorts.find(1).get(0).getPort();
        int records = Math.min(RECORDS_MAX, (100 << 20) / recordBytes);
        byte[] bytes = content(recordBytes * records);
        TatamiPath path = TatamiPath.of("/log");
        AtomicInteger flushed = new AtomicInteger();
        ServerProcess server = start(port);
        try (TatamiClient writing = connect(port)) {
            FileWriter log = writing.create(path, CreateSpec.DEFAULT);
            Thread writer = new Thread(() -> append(log, bytes, recordBytes, flushed));
            writer.start();
            while (flushed.get() < Math.min(20, records / 2) && writer.isAlive()) {
                Thread.sleep(1);
            }
            if (isKilled) {
                server.kill();
            } else {
                server.close();
            }
            // What is acknowledged up to here must be there, however far the writer goes on afterwards.
            int promised = flushed.get();
            writer.interrupt();
            server = start(port);
            writer.join();
            log.abort();
            try (TatamiClient reading = connect(port)) {
                byte[] found = recovered(reading, path);
                assertTrue(
                        found.length >= promised * recordBytes,
                        found.length + " bytes are left of " + promised + " records of " + recordBytes);
                assertArrayEquals(Arrays.copyOf(bytes, found.length), found);
            }
        } finally {
            server.close();
        }
    }

    /**
     * Logs that are written side by side, some flushes syncs, and gone on with after each end; more rounds with
     * {@code -Dtatami.test.rounds}.
     */
    @Test
    void noFlushedRecordOfLogsThatGoOnIsLostByEndsInARow() throws Exception {
        int port = FreePorts.find(1).get(0).getPort();
        Random random = new Random(Long.getLong("tatami.test.seed", 1));
        byte[] bytes = content(40 << 20);
        List<AtomicInteger> flushed = List.of(new AtomicInteger(), new AtomicInteger(), new AtomicInteger());
        ServerProcess server = start(port);
        try {
            for (int round = 0; round < Integer.getInteger("tatami.test.rounds", 3); round++) {
                try (TatamiClient client = connect(port)) {
                    List<FileWriter> writers = new ArrayList<>();
                    List<Thread> threads = new ArrayList<>();
                    int wanted = flushed.get(0).get() + 1 + random.nextInt(1 << 20);
                    for (int log = 0; log < flushed.size(); log++) {
                        TatamiPath path = TatamiPath.of("/log-" + log);
                        FileWriter writer =
                                round == 0 ? client.create(path, CreateSpec.DEFAULT) : client.append(path, false);
                        AtomicInteger done = flushed.get(log);
                        Random sizes = new Random(random.nextLong());
                        writers.add(writer);
                        threads.add(new Thread(() -> append(writer, bytes, sizes, done)));
                    }
                    threads.forEach(Thread::start);
                    while (flushed.get(0).get() < wanted && threads.get(0).isAlive()) {
                        Thread.sleep(1);
                    }
                    server.kill();
                    List<Integer> promised =
                            flushed.stream().map(AtomicInteger::get).toList();
                    threads.forEach(Thread::interrupt);
                    server = start(port);
                    for (Thread thread : threads) {
                        thread.join();
                    }
                    writers.forEach(FileWriter::abort);
                    requireAll(port, bytes, promised, flushed, "round " + round);
                }
            }
        } finally {
            server.close();
        }
    }

    /** Sets {@code flushed} to what is there. */
    private static void requireAll(
            int port, byte[] bytes, List<Integer> promised, List<AtomicInteger> flushed, String when) throws Exception {
        try (TatamiClient reading = connect(port)) {
            for (int log = 0; log < flushed.size(); log++) {
                byte[] found = recovered(reading, TatamiPath.of("/log-" + log));
                assertTrue(
                        found.length >= promised.get(log),
                        when + ", log " + log + ": " + found.length + " bytes are left of " + promised.get(log));
                assertArrayEquals(Arrays.copyOf(bytes, found.length), found, when + ", log " + log);
                flushed.get(log).set(found.length);
            }
        }
    }

    /** Appends behind what is there, records of 1 byte to 300 KB. */
    private static void append(FileWriter log, byte[] bytes, Random random, AtomicInteger flushed) {
        try {
            int at = flushed.get();
            while (at < bytes.length) {
                int length = Math.min(bytes.length - at, 1 + random.nextInt(random.nextBoolean() ? 300_000 : 2_000));
                log.write(ByteBuffer.wrap(bytes, at, length));
                at += length;
                if (random.nextInt(5) == 0) {
                    log.hsync(random.nextBoolean());
                } else {
                    log.hflush();
                }
                flushed.set(at);
            }
        } catch (IOException e) {
            // The server has ended, or this was interrupted.
        }
    }

    private static void append(FileWriter log, byte[] bytes, int recordBytes, AtomicInteger flushed) {
        try {
            for (int at = 0; at < bytes.length; at += recordBytes) {
                log.write(ByteBuffer.wrap(bytes, at, recordBytes));
                log.hflush();
                flushed.incrementAndGet();
            }
        } catch (IOException e) {
            // The server has ended, or this was interrupted.
            assertTrue(flushed.get() > 0, () -> "nothing was flushed: " + e);
        }
    }

    private static byte[] recovered(TatamiClient client, TatamiPath path) throws Exception {
        for (int attempt = 0; attempt < 12_000; attempt++) {
            try {
                if (client.recoverLease(path)) {
                    break;
                }
            } catch (TatamiException e) {
                assertTrue(e.code() == ErrorCode.UNAVAILABLE || e.code() == ErrorCode.BUSY, e::toString);
            }
            Thread.sleep(5);
        }
        try (FileReader reader = client.open(path, ReadPolicy.SEQUENTIAL)) {
            byte[] found = new byte[(int) reader.lengthBytes()];
            int at = 0;
            while (at < found.length) {
                int count = reader.readAt(at, ByteBuffer.wrap(found, at, found.length - at));
                assertTrue(count > 0, "the end came at " + at + " of " + found.length);
                at += count;
            }
            return found;
        }
    }
}
