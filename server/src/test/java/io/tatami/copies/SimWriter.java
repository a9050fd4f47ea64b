package io.tatami.copies;

import io.tatami.base.ErrorCode;
import io.tatami.base.PendingFlush;
import io.tatami.base.ServerId;
import io.tatami.base.TatamiException;
import io.tatami.client.TatamiClient;
import io.tatami.client.file.FileWriter;
import io.tatami.client.model.CreateSpec;
import io.tatami.client.model.TatamiPath;
import java.io.IOException;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/**
 * A client that opens a file, new or at its end, writes to it and flushes it as its own dice say, and then closes it,
 * gives it up, or dies.
 */
final class SimWriter implements Runnable {
    /** When a writer that cannot open its file tries no more. */
    private static final int OPENINGS_MAX = 12;

    /** The last of the steps that flush. */
    private static final int FLUSHES_MAX = 7;

    private static final int DEATH_NANOS_MAX = 1_000_000_000;

    private final CopiesWorld world;
    private final Random random;
    private final FileModel file;
    private final Shape shape;
    private final SimClient client;

    /** What had happened to servers before the file was opened. */
    private Map<ServerId, SimServer.Fate> fates = Map.of();

    /** Up to where something was promised to this writer. */
    private long flushedBytes;

    /**
     * How much it writes, and how.
     *
     * @param steps writes and flushes
     * @param writeBytesMax of one write
     * @param blockBytes of a new file
     * @param copies of a new file
     */
    record Shape(int steps, int writeBytesMax, int blockBytes, int copies) {}

    SimWriter(CopiesWorld world, Random random, FileModel file, Shape shape, SimClient client) {
        this.world = world;
        this.random = random;
        this.file = file;
        this.shape = shape;
        this.client = client;
    }

    @Override
    public void run() {
        try (TatamiClient opened = client.open()) {
            FileWriter writer = opened(opened);
            if (writer != null) {
                write(writer);
            }
        } catch (TatamiException e) {
            heard(e);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private void heard(TatamiException failure) {
        if (!client.isDead()) {
            world.judge().heard(failure);
        }
    }

    private @Nullable FileWriter opened(TatamiClient opened) {
        fates = world.fates();
        for (int opening = 0; opening < OPENINGS_MAX && !client.isDead(); opening++) {
            try {
                return file.isBegun() ? opened.append(path(), random.nextInt(4) == 0) : opened.create(path(), spec());
            } catch (TatamiException e) {
                if (e.code() == ErrorCode.ALREADY_EXISTS) {
                    return null;
                }
                heard(e);
                world.time().sleep(random.nextInt(2_000_000_000));
            }
        }
        return null;
    }

    private TatamiPath path() throws TatamiException {
        return TatamiPath.of(file.path());
    }

    private CreateSpec spec() {
        return CreateSpec.DEFAULT.withReplication(shape.copies()).withBlockSizeBytes(shape.blockBytes());
    }

    private void write(FileWriter writer) throws IOException {
        FileModel.Attempt attempt = file.begin(writer.file(), writer.position(), fates);
        if (random.nextInt(3) == 0) {
            world.time().after(random.nextInt(DEATH_NANOS_MAX), client::die);
        }
        try {
            for (int step = 0; step < shape.steps(); step++) {
                step(writer, attempt);
            }
            end(writer);
        } catch (TatamiException e) {
            world.coverage().count("writers failed");
            heard(e);
            writer.abort();
        }
    }

    private void step(FileWriter writer, FileModel.Attempt attempt) throws IOException {
        Map<ServerId, SimServer.Fate> before = world.fates();
        int choice = random.nextInt(16);
        if (choice <= FLUSHES_MAX) {
            world.chaos().sending(world.judge().pipeline(file, writer.position()), client);
        }
        switch (choice) {
            case 0, 1, 2 -> {
                writer.hflush();
                promise(FileModel.Kind.FLUSHED, writer, before);
            }
            case 3 -> {
                writer.hsync(random.nextBoolean());
                promise(FileModel.Kind.DURABLE, writer, before);
            }
            case 4, 5, 6, FLUSHES_MAX -> flushLater(writer, before);
            case 8 -> world.time().sleep(random.nextInt(1_000_000_000));
            default -> {
                byte[] bytes = file.offer(attempt, 1 + random.nextInt(shape.writeBytesMax()));
                writer.write(bytes, 0, bytes.length);
            }
        }
    }

    /** Sends what there is, and goes on writing before it is flushed, as often as not. */
    private void flushLater(FileWriter writer, Map<ServerId, SimServer.Fate> before) throws IOException {
        boolean isDurable = random.nextInt(4) == 0;
        PendingFlush flush = writer.beginFlush(isDurable);
        if (random.nextBoolean() && flush.await()) {
            promise(isDurable ? FileModel.Kind.DURABLE : FileModel.Kind.FLUSHED, writer, before);
        }
    }

    private void end(FileWriter writer) throws IOException {
        switch (random.nextInt(6)) {
            case 0 -> client.die();
            case 1 -> {
                world.coverage().count("writers gave up");
                writer.abort();
            }
            default -> {
                writer.close();
                promise(FileModel.Kind.DURABLE, writer, world.fates());
                world.coverage().count("files closed");
            }
        }
    }

    /** A call that found nothing to do repeats what was promised before. */
    private void promise(FileModel.Kind kind, FileWriter writer, Map<ServerId, SimServer.Fate> before) {
        long lengthBytes = writer.position();
        if (kind == FileModel.Kind.DURABLE || lengthBytes > flushedBytes) {
            flushedBytes = lengthBytes;
            world.judge().promise(file, kind, lengthBytes, before);
            world.coverage().count("promises " + kind);
            world.chaos().promised(world.judge().pipeline(file, lengthBytes), client);
        }
    }
}
