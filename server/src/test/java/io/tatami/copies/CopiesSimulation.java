package io.tatami.copies;

import io.tatami.base.Check;
import io.tatami.base.TatamiException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;

/** One run: what a seed makes of servers, clients and faults, and what must hold during it and in the end. */
final class CopiesSimulation {
    /** Of virtual time, after the last client has begun. */
    private static final long CHAOS_MILLIS_MAX = 15_000;

    private static final int PAUSE_MILLIS_MAX = 4_000;

    private final CopiesWorld world;
    private final Random random;

    private CopiesSimulation(CopiesWorld world) {
        this.world = world;
        this.random = new Random(world.random().nextLong());
    }

    /**
     * Runs a seed.
     *
     * @return what stands for its course: the same for the same seed
     * @throws IllegalStateException if something does not hold
     */
    static long run(long seed, Path directory, Map<String, Long> counts) {
        Coverage coverage = new Coverage(counts);
        Random shape = new Random(seed);
        int servers = 3 + shape.nextInt(3);
        long driveBytes = shape.nextInt(4) == 0 ? 5L << 20 : 32L << 20;
        try {
            long trace;
            int freeBuffers = SimDrive.freeBuffers();
            try (CopiesWorld world = new CopiesWorld(seed, servers, driveBytes, directory, coverage)) {
                trace = new CopiesSimulation(world).run();
            }
            Check.check(SimDrive.freeBuffers() == freeBuffers, "a buffer did not come back");
            return trace;
        } catch (TatamiException e) {
            throw new IllegalStateException(e);
        }
    }

    private long run() throws TatamiException {
        int files = 1 + random.nextInt(3);
        for (int number = 0; number < files; number++) {
            addFile("/file-" + number);
        }
        if (random.nextInt(3) > 0) {
            begin(new SimOwner(
                    world,
                    new Random(random.nextLong()),
                    world.client(),
                    1 + random.nextInt(6),
                    copiesMin(),
                    random.nextBoolean()));
        }
        world.chaos().begin();
        boolean unused = world.run(world::isIdle, PAUSE_MILLIS_MAX + random.nextLong(CHAOS_MILLIS_MAX));
        new Aftermath(world, random).follow();
        return world.time().monotonicNanos();
    }

    /** A file, and clients that write and read it. */
    private void addFile(String path) {
        SimWriter.Shape shape = new SimWriter.Shape(
                1 + random.nextInt(30),
                1 << (8 + random.nextInt(9)),
                1 << (16 + random.nextInt(3)),
                random.nextInt(6) == 0 ? copiesMin() : 2 + random.nextInt(2));
        FileModel file = world.judge().addFile(path, shape.blockBytes());
        int writers = 1 + random.nextInt(3);
        for (int number = 0; number < writers; number++) {
            begin(new SimWriter(world, new Random(random.nextLong()), file, shape, world.client()));
        }
        int readers = 1 + random.nextInt(2);
        for (int number = 0; number < readers; number++) {
            begin(new SimReader(world, new Random(random.nextLong()), file, 1 + random.nextInt(10), world.client()));
        }
    }

    private int copiesMin() {
        return world.chaos().mayDestroy() ? 2 : 1;
    }

    private void begin(Runnable work) {
        world.begin(work, TimeUnit.MILLISECONDS.toNanos(random.nextInt(PAUSE_MILLIS_MAX)));
    }
}
