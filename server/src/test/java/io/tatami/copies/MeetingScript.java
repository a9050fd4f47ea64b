package io.tatami.copies;

import io.tatami.base.Check;
import io.tatami.base.TatamiException;
import io.tatami.client.TatamiClient;
import io.tatami.copies.PlannedTroubles.Planned;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;

/** One run of a {@link Meeting} with the troubles that are planned for it, and all that must hold then. */
final class MeetingScript {
    private static final long DRIVE_BYTES = 32L << 20;
    private static final int BLOCK_BYTES = 1 << 16;
    private static final long PREPARED_MILLIS = 60_000;

    /** The second does not wait longer for the first. */
    private static final long MET_NANOS = TimeUnit.SECONDS.toNanos(5);

    private static final long LOOK_MILLIS = 500;

    /** The meeting is over by then, and what it began: a server that was lost was found dead, and its copies made. */
    private static final int LOOKS = 40;

    private final CopiesWorld world;
    private final Meeting meeting;
    private final FileModel file;
    private final ScriptedWriter writer;
    private final PlannedTroubles troubles;

    private MeetingScript(CopiesWorld world, Meeting meeting, List<Planned> plan) {
        this.troubles = new PlannedTroubles(world, plan);
        this.world = world;
        this.meeting = meeting;
        this.file = world.judge().addFile("/file-0", BLOCK_BYTES);
        this.writer = new ScriptedWriter(world, file, meeting.copies());
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

    void untilDone(ScriptedWriter.Step step) {
        writer.untilDone(step);
    }

    void write(int parts, long pauseNanos) {
        writer.write(parts, pauseNanos);
    }
}
