package io.tatami.copies;

import io.tatami.base.ErrorCode;
import io.tatami.base.ServerId;
import io.tatami.base.TatamiException;
import io.tatami.client.TatamiClient;
import io.tatami.client.file.FileWriter;
import io.tatami.client.model.CreateSpec;
import io.tatami.client.model.TatamiPath;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Clients that write to a file one after the other, as they are told and not by dice. */
final class ScriptedWriter {
    private static final int WRITE_BYTES = 9_000;

    /** Nobody tries longer in the midst of troubles. */
    private static final int ATTEMPTS = 20;

    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    private final CopiesWorld world;
    private final FileModel file;
    private final int copies;

    /** @param copies of the file */
    ScriptedWriter(CopiesWorld world, FileModel file, int copies) {
        this.world = world;
        this.file = file;
        this.copies = copies;
    }

    /** What is to be tried until it is done. */
    @FunctionalInterface
    interface Step {
        boolean isDone() throws TatamiException;
    }

    void untilDone(Step step) {
        boolean isDone = false;
        for (int attempt = 0; attempt < ATTEMPTS && !isDone; attempt++) {
            try {
                isDone = step.isDone();
            } catch (TatamiException e) {
                if (e.code() != ErrorCode.NOT_FOUND) {
                    world.judge().heard(e);
                }
            }
            if (!isDone) {
                world.time().sleep(PAUSE_NANOS);
            }
        }
    }

    /**
     * A new client makes the file, or opens it at its end, writes so many parts with pauses, flushes each, and closes
     * it.
     */
    void write(int parts, long pauseNanos) {
        Map<ServerId, SimServer.Fate> fates = world.fates();
        try (TatamiClient client = world.client().open()) {
            FileWriter writer = opened(client);
            if (writer == null) {
                return;
            }
            FileModel.Attempt attempt = file.begin(writer.file(), writer.position(), fates);
            try {
                for (int part = 0; part < parts; part++) {
                    writePart(writer, attempt, part % 2 == 1);
                    world.time().sleep(pauseNanos);
                }
                writer.close();
                promise(FileModel.Kind.DURABLE, writer, world.fates());
            } catch (TatamiException e) {
                world.judge().heard(e);
                writer.abort();
            }
        } catch (TatamiException e) {
            world.judge().heard(e);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private @Nullable FileWriter opened(TatamiClient client) {
        FileWriter[] opened = new FileWriter[1];
        untilDone(() -> {
            TatamiPath path = TatamiPath.of(file.path());
            CreateSpec spec = CreateSpec.DEFAULT.withReplication(copies).withBlockSizeBytes(file.blockBytes());
            opened[0] = file.isBegun() ? client.append(path, false) : client.create(path, spec);
            return true;
        });
        return opened[0];
    }

    private void writePart(FileWriter writer, FileModel.Attempt attempt, boolean isDurable) throws IOException {
        byte[] bytes = file.offer(attempt, WRITE_BYTES);
        writer.write(bytes, 0, bytes.length);
        Map<ServerId, SimServer.Fate> before = world.fates();
        if (isDurable) {
            writer.hsync(false);
        } else {
            writer.hflush();
        }
        promise(isDurable ? FileModel.Kind.DURABLE : FileModel.Kind.FLUSHED, writer, before);
    }

    private void promise(FileModel.Kind kind, FileWriter writer, Map<ServerId, SimServer.Fate> before) {
        world.judge().promise(file, kind, writer.position(), before);
        world.coverage().count("promises " + kind);
    }
}
