package io.tatami.copies;

import io.tatami.base.TatamiException;
import io.tatami.client.TatamiClient;
import io.tatami.client.file.FileReader;
import io.tatami.client.file.ReadPolicy;
import io.tatami.client.model.TatamiPath;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Random;

/** A client that reads all of a file, again and again. */
final class SimReader implements Runnable {
    /** Whoever waits for a file that is never made gives up. */
    private static final int LOOKS_MAX = 400;

    private final CopiesWorld world;
    private final Random random;
    private final FileModel file;
    private final int rounds;
    private final long pauseNanosMax;
    private final SimClient client;

    SimReader(CopiesWorld world, Random random, FileModel file, int rounds, SimClient client) {
        this.world = world;
        this.random = random;
        this.file = file;
        this.rounds = rounds;
        this.client = client;
        this.pauseNanosMax = 10_000_000L << random.nextInt(8);
    }

    @Override
    public void run() {
        try (TatamiClient opened = client.open()) {
            for (int look = 0; look < LOOKS_MAX && !file.isBegun(); look++) {
                world.time().sleep(random.nextLong(pauseNanosMax));
            }
            for (int round = 0; round < rounds && file.isBegun(); round++) {
                world.time().sleep(random.nextLong(pauseNanosMax));
                read(opened);
            }
        } catch (TatamiException e) {
            world.judge().heard(e);
        }
    }

    private void read(TatamiClient opened) {
        try {
            boolean unused = read(world, opened, file, random);
        } catch (TatamiException e) {
            world.judge().heard(e);
            world.coverage().count("readers failed");
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Reads a file from its beginning on, and has it judged; fully or not. */
    static boolean read(CopiesWorld world, TatamiClient opened, FileModel file, Random random) throws IOException {
        Judge.Before before = world.judge().before(file);
        try (FileReader reader = opened.open(TatamiPath.of(file.path()), ReadPolicy.SEQUENTIAL)) {
            int length = (int) reader.lengthBytes();
            ByteBuffer bytes = ByteBuffer.allocate(length);
            while (bytes.hasRemaining() && random.nextInt(50) > 0) {
                ByteBuffer part = bytes.duplicate();
                part.limit(part.position() + Math.min(part.remaining(), 1 + random.nextInt(100_000)));
                int count = reader.read(part);
                if (count < 0) {
                    throw new IllegalStateException("a reader ends before the end it was told");
                }
                bytes.position(bytes.position() + count);
            }
            world.judge().seen(file, before, length, bytes.array(), bytes.position());
            world.coverage().count("files read");
            return !bytes.hasRemaining();
        }
    }
}
