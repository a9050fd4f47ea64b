package io.tatami.copies;

import io.tatami.base.Check;
import io.tatami.base.ErrorCode;
import io.tatami.base.ServerId;
import io.tatami.base.TatamiException;
import io.tatami.client.TatamiClient;
import io.tatami.client.file.FileWriter;
import io.tatami.client.model.CreateSpec;
import io.tatami.client.model.TatamiPath;
import io.tatami.copies.PlannedTroubles.Planned;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** One run of a {@link Meeting} with the troubles that are planned for it, and all that must hold then. */
final class MeetingScript {
    private static final long DRIVE_BYTES = 32L << 20;
    private static final int BLOCK_BYTES = 1 << 16;
    private static final int WRITE_BYTES = 9_000;
    private static final long PREPARED_MILLIS = 60_000;

    /** The second does not wait longer for the first. */
    private static final long MET_NANOS = TimeUnit.SECONDS.toNanos(5);

    /** Nobody tries longer in the midst of troubles. */
    private static final int ATTEMPTS = 20;

    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
    private static final long LOOK_MILLIS = 500;

    /** The meeting is over by then, and what it began: a server that was lost was found dead, and its copies made. */
    private static final int LOOKS = 40;

    private final CopiesWorld world;
    private final Meeting meeting;
    private final FileModel file;
    private final PlannedTroubles troubles;

    private MeetingScript(CopiesWorld world, Meeting meeting, List<Planned> plan) {
        this.troubles = new PlannedTroubles(world, plan);
        this.world = world;
        this.meeting = meeting;
        this.file = world.judge().addFile("/file-0", BLOCK_BYTES);
    }

    /**
     * Runs a meeting.
     *
     * @param laterMillis how long after they have met the second begins
     * @return what else could have gone wrong, from the last step on that is planned
     * @throws IllegalStateException if something does not hold
     */
    static List<Planned> run(
            Meeting meeting, long laterMillis, List<Planned> plan, Path directory, Map<String, Long> counts) {
        Coverage coverage = new Coverage(counts);
        coverage.count("runs");
        try {
            List<Planned> possible;
            int freeBuffers = SimDrive.freeBuffers();
            try (CopiesWorld world = new CopiesWorld(
                    1 + meeting.ordinal(), meeting.servers(), DRIVE_BYTES, directory, coverage, Chaos::none)) {
                possible = new MeetingScript(world, meeting, plan).run(laterMillis);
            }
            Check.check(SimDrive.freeBuffers() == freeBuffers, "a buffer did not come back");
            return possible;
        } catch (TatamiException e) {
            throw new IllegalStateException(e);
        }
    }

    CopiesWorld world() {
        return world;
    }

    PlannedTroubles troubles() {
        return troubles;
    }

    FileModel file() {
        return file;
    }

    private List<Planned> run(long laterMillis) throws TatamiException {
        world.begin(() -> meeting.prepare(this), 0);
        Check.check(world.run(world::isIdle, PREPARED_MILLIS), "the meeting cannot be prepared");
        Health health = new Health(world);
        boolean unused = world.run(() -> health.missing().isEmpty(), PREPARED_MILLIS);
        troubles.begin();
        world.begin(() -> meeting.first(this), 0);
        world.begin(() -> meetLater(TimeUnit.MILLISECONDS.toNanos(laterMillis)), 1);
        for (int look = 0; look < LOOKS && !(world.isIdle() && isWell(health)); look++) {
            unused = world.run(() -> false, LOOK_MILLIS);
        }
        troubles.end();
        new Aftermath(world, new Random(world.seed())).follow();
        return troubles.possible();
    }

    private void meetLater(long laterNanos) {
        boolean unused = world.time().threads().await(() -> meeting.isMet(this), MET_NANOS);
        world.time().sleep(laterNanos);
        meeting.second(this);
    }

    private boolean isWell(Health health) {
        return health.missing().isEmpty()
                && !world.metadata().isOpen(file.file())
                && world.servers().stream().allMatch(server -> server.isDestroyed() || server.isHeard());
    }

    /** What a client does. */
    @FunctionalInterface
    interface Work {
        void run(TatamiClient client) throws TatamiException;
    }

    /** A new client does something, once. */
    void byClient(Work work) {
        try (TatamiClient client = world.client().open()) {
            work.run(client);
        } catch (TatamiException e) {
            world.judge().heard(e);
        }
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
            CreateSpec spec =
                    CreateSpec.DEFAULT.withReplication(meeting.copies()).withBlockSizeBytes(BLOCK_BYTES);
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
