package io.tatami.server;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.TatamiException;
import io.tatami.base.Threads;
import io.tatami.client.TatamiClient;
import io.tatami.client.file.FileReader;
import io.tatami.client.file.FileWriter;
import io.tatami.client.file.ReadPolicy;
import io.tatami.client.model.CreateSpec;
import io.tatami.client.model.PathStatus;
import io.tatami.client.model.TatamiPath;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.NavigableMap;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A client that makes, moves, renames and deletes small files and directories below one of its own, in a thread of its
 * own, and keeps a ledger of what was acknowledged. Nothing of it may be done twice, and nobody else is there: the
 * first refusal or error fails it.
 */
final class FailoverClient implements AutoCloseable {
    private static final long NANOS_MAX = TimeUnit.MINUTES.toNanos(4);
    private static final int DIRECTORIES = 4;
    private static final int BYTES_MAX = 3_000;

    private final TatamiClient client;
    private final TatamiPath home;
    private final Random random;
    private final Thread thread;

    /** Owned by the thread while it runs. */
    private final NavigableMap<String, byte[]> ledger = new TreeMap<>();

    /** Names of the directories, which change; owned by the thread. */
    private final List<String> directories = new ArrayList<>();

    private long names;
    private volatile long steps;
    private volatile boolean ends;
    private volatile @Nullable Throwable failure;

    /** @param client closed with this */
    FailoverClient(TatamiClient client, String name, long seed) throws TatamiException {
        this.client = client;
        this.home = TatamiPath.of("/" + name);
        this.random = new Random(seed);
        this.thread = new Thread(this::run, name);
    }

    void start() {
        thread.start();
    }

    private void run() {
        try {
            for (int i = 0; i < DIRECTORIES; i++) {
                makeDirectory();
            }
            while (!ends) {
                step();
                long done = steps;
                steps = done + 1;
            }
        } catch (IOException | RuntimeException | Error e) {
            failure = e;
        }
    }

    private void step() throws IOException {
        int kind = random.nextInt(10);
        if (kind < 5 || ledger.size() < 4) {
            create();
        } else if (kind < 8) {
            moveFile();
        } else if (kind < 9) {
            renameDirectory();
        } else {
            String file = anyFile();
            assertTrue(client.delete(path(file), false), () -> file + " was deleted already");
            ledger.remove(file);
        }
    }

    private void makeDirectory() throws TatamiException {
        String name = nextName("d");
        assertTrue(client.mkdirs(path(name), CreateSpec.modes(0755, 0), true), () -> name + " was there already");
        directories.add(name);
    }

    private void create() throws IOException {
        String file = anyDirectory() + "/" + nextName("f");
        byte[] bytes = new byte[random.nextInt(BYTES_MAX)];
        random.nextBytes(bytes);
        try (FileWriter writer = client.create(path(file), CreateSpec.DEFAULT)) {
            writer.write(bytes, 0, bytes.length);
        }
        ledger.put(file, bytes);
    }

    private void moveFile() throws TatamiException {
        String from = anyFile();
        String to = anyDirectory() + "/" + nextName("m");
        client.rename(path(from), path(to), false);
        ledger.put(to, ledger.remove(from));
    }

    private void renameDirectory() throws TatamiException {
        int place = random.nextInt(directories.size());
        String from = directories.get(place);
        String to = nextName("r");
        client.rename(path(from), path(to), false);
        directories.set(place, to);
        NavigableMap<String, byte[]> below = new TreeMap<>(ledger.subMap(from + "/", from + "0"));
        below.forEach((name, bytes) -> ledger.put(to + name.substring(from.length()), bytes));
        ledger.keySet().removeAll(below.keySet());
    }

    private String nextName(String kind) {
        return kind + names++;
    }

    private String anyDirectory() {
        return directories.get(random.nextInt(directories.size()));
    }

    private String anyFile() {
        return new ArrayList<>(ledger.keySet()).get(random.nextInt(ledger.size()));
    }

    private TatamiPath path(String name) throws TatamiException {
        return TatamiPath.of(home + "/" + name);
    }

    /** How many were acknowledged. */
    long steps() {
        return steps;
    }

    /** Returns when so many more steps were acknowledged. */
    void awaitSteps(int more) throws InterruptedException {
        long goal = steps + more;
        long giveUpNanos = System.nanoTime() + NANOS_MAX;
        while (steps < goal) {
            requireWell();
            assertTrue(System.nanoTime() - giveUpNanos < 0, () -> home + " stays at step " + steps);
            thread.join(10);
        }
    }

    private void requireWell() {
        Throwable thrown = failure;
        if (thrown != null) {
            throw new AssertionError(home + " failed after " + steps + " steps", thrown);
        }
    }

    /** Ends the work, and compares what is there with the ledger, as another client sees it. */
    void check(TatamiClient other) throws Exception {
        ends = true;
        thread.join();
        requireWell();
        List<String> there = new ArrayList<>();
        for (PathStatus directory : other.list(home, false).toList()) {
            for (PathStatus file : other.list(directory.path(), false).toList()) {
                there.add(directory.path().name() + "/" + file.path().name());
            }
        }
        there.sort(null);
        assertEquals(new ArrayList<>(ledger.keySet()), there);
        for (String file : ledger.keySet()) {
            assertArrayEquals(ledger.get(file), read(other, path(file)), file);
        }
    }

    private static byte[] read(TatamiClient client, TatamiPath file) throws IOException {
        try (FileReader reader = client.open(file, ReadPolicy.ADAPTIVE)) {
            ByteBuffer all = ByteBuffer.allocate((int) reader.lengthBytes());
            int length = 0;
            while (all.hasRemaining() && length >= 0) {
                length = reader.read(all);
            }
            return Arrays.copyOf(all.array(), all.position());
        }
    }

    @Override
    public void close() {
        ends = true;
        client.close();
        Threads.joinUninterrupted(thread);
    }
}
