package io.tatami.copies;

import io.tatami.base.BlockId;
import io.tatami.base.Check;
import io.tatami.base.TatamiException;
import io.tatami.block.device.SimFaults.Fault;
import io.tatami.copies.SimMembership.Order;
import io.tatami.meta.state.wire.BlockRecord;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Random;

/**
 * Block servers that join and are emptied, as a seed has it, while the power of hosts is cut at accesses of their
 * disks. At each cut every block has as many durable copies as before the operation began: a copy is made before
 * another is given up.
 */
final class PowerCuts {
    private static final long DRIVE_BYTES = 32L << 20;
    private static final int BLOCK_BYTES = 1 << 14;
    private static final int SERVERS = 3;
    private static final int OPERATIONS = 3;
    private static final int CUTS_MAX = 8;
    private static final int ACCESSES_MAX = 12;
    private static final int FILES_MAX = 3;
    private static final int COPIES_MAX = 3;
    private static final int PARTS_MAX = 5;
    private static final long WELL_MILLIS = 600_000;
    private static final long LOOK_MILLIS = 50;

    private final CopiesWorld world;
    private final Random random;
    private final Health health;

    /** Of each block, before the operation began. */
    private final Map<BlockId, Integer> before = new LinkedHashMap<>();

    /** Until the power is cut; negative for never. */
    private int accesses = -1;

    private int cuts;
    private int looked;

    private PowerCuts(CopiesWorld world) {
        this.world = world;
        this.random = new Random(world.random().nextLong());
        this.health = new Health(world);
    }

    /**
     * Runs a seed.
     *
     * @throws IllegalStateException if something does not hold
     */
    static void run(long seed, Path directory, Map<String, Long> counts) {
        try {
            int freeBuffers = SimDrive.freeBuffers();
            try (CopiesWorld world =
                    new CopiesWorld(seed, SERVERS, DRIVE_BYTES, directory, new Coverage(counts), Chaos::none)) {
                new PowerCuts(world).run();
            }
            Check.check(SimDrive.freeBuffers() == freeBuffers, "a buffer did not come back");
        } catch (TatamiException e) {
            throw new IllegalStateException(e);
        }
    }

    private void run() throws TatamiException {
        int files = 1 + random.nextInt(FILES_MAX);
        for (int number = 0; number < files; number++) {
            FileModel file = world.judge().addFile("/file-" + number, BLOCK_BYTES);
            ScriptedWriter writer = new ScriptedWriter(world, file, 2 + random.nextInt(COPIES_MAX - 1));
            int parts = 1 + random.nextInt(PARTS_MAX);
            world.begin(() -> writer.write(parts, 0), 0);
        }
        Check.check(world.run(this::isWell, WELL_MILLIS), "nothing can be written");
        for (int operation = 0; operation < OPERATIONS; operation++) {
            operate();
        }
        new Aftermath(world, random).follow();
    }

    /** One operation, with its cuts, up to its end. */
    private void operate() {
        before.clear();
        cuts = 0;
        looked = 0;
        durable().forEach(before::put);
        int emptied = emptied();
        if (emptied > 0) {
            world.membership().order(world.servers().get(emptied - 1).id(), Order.SERVE);
        }
        if (world.servers().size() == SERVERS || random.nextInt(3) == 0) {
            world.coverage().count("joins");
            world.joinServer();
        }
        // A join alone moves nothing. The newest may be the one that is emptied.
        world.coverage().count("drains");
        int next = random.nextInt(world.servers().size());
        world.membership().order(world.servers().get(next).id(), Order.DRAIN);
        world.membership().look();
        world.servers().forEach(server -> server.drives().forEach(drive -> drive.watch(() -> access(server, drive))));
        accesses = random.nextInt(ACCESSES_MAX);
        for (long waited = 0; waited < WELL_MILLIS && !(isWell() && isWhereItIsTo()); waited += LOOK_MILLIS) {
            boolean unused = world.run(() -> false, LOOK_MILLIS);
            look();
        }
        accesses = -1;
        Check.check(isWell(), "an operation does not end: %s", health.missing());
    }

    /** The number of the server that is emptied; 0 for none. */
    private int emptied() {
        for (SimServer server : world.servers()) {
            if (world.membership().order(server.id()) == Order.DRAIN) {
                return server.id().value();
            }
        }
        return 0;
    }

    private boolean isWell() {
        return world.isIdle()
                && world.servers().stream().allMatch(SimServer::isHeard)
                && health.missing().isEmpty();
    }

    /** Whether what {@link Health} says is said of the present orders. */
    private boolean isWhereItIsTo() {
        return world.metadata().shard().needs().count() == 0;
    }

    /** A disk is at work: the power of its host may go at this access, and that of others with it. */
    private void access(SimServer server, SimDrive drive) {
        if (accesses < 0 || --accesses >= 0) {
            return;
        }
        cuts++;
        world.coverage().count("power cuts");
        drive.arm(0, Fault.POWER_CUT);
        boolean isOfMany = random.nextInt(3) == 0;
        for (SimServer other : world.servers()) {
            if (isOfMany && other != server && random.nextInt(3) > 0) {
                world.coverage().count("power cuts of more hosts");
                world.time().after(0, () -> other.leave(true, world.awayNanos()));
            }
        }
        if (random.nextInt(4) == 0) {
            world.time().after(0, () -> {
                world.metadata().kill();
                world.time().after(world.awayNanos(), world.metadata()::start);
            });
        }
        accesses = cuts < CUTS_MAX ? random.nextInt(ACCESSES_MAX) : -1;
    }

    /** Once all hosts are there again, what their disks have is what was durable at the cut. */
    private void look() {
        if (!world.servers().stream().allMatch(SimServer::isRunning)) {
            return;
        }
        if (cuts > looked) {
            world.coverage().count("power cuts looked at", cuts - looked);
            looked = cuts;
        }
        Map<BlockId, Integer> now = durable();
        before.forEach((block, copies) -> Check.check(
                now.getOrDefault(block, 0) >= copies,
                "%s has %d durable copies, and had %d",
                block,
                now.getOrDefault(block, 0),
                copies));
    }

    private Map<BlockId, Integer> durable() {
        Map<BlockId, Integer> durable = new LinkedHashMap<>();
        for (FileModel file : world.judge().files()) {
            for (BlockRecord block : world.metadata().blocks(file.file())) {
                durable.put(new BlockId(block.getBlockId()), world.judge().wholeCopies(block));
            }
        }
        return durable;
    }
}
