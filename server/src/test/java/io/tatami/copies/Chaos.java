package io.tatami.copies;

import io.tatami.base.ServerId;
import io.tatami.block.device.SimFaults.Fault;
import io.tatami.copies.SimMembership.Order;
import io.tatami.meta.service.host.SteppedGroup;
import io.tatami.rpc.sim.SimFaults;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;

/**
 * What goes wrong, as a seed has it: how often messages are lost, doubled and late, what ends, hangs, fails and fills
 * up, and when. After {@link #end} everything works.
 */
final class Chaos {
    private static final long MILLIS = TimeUnit.MILLISECONDS.toNanos(1);

    /** That a file is to have. */
    static final int COPIES_MAX = 3;

    /** Of messages when nothing goes wrong. */
    private static final SimFaults DELAYS = new SimFaults(MILLIS / 20, MILLIS, 0, 0, 0);

    private static final long HELD_UP_NANOS_MAX = 1_000 * MILLIS;

    private final CopiesWorld world;
    private final Random random;
    private final long pauseMillisMax;

    /** Of 100,000 passages of a point. */
    private final int endsAtPoint;

    private final int yieldsAtPoint;

    /** Whether the servers of a pipeline flush at different times, and promises are struck at the more often. */
    private final boolean flushesSlowly;

    private final int metadataEnds;

    /** Of 100 promises. */
    private final int strikesOnPromise;

    private final long delayNanosMax;
    private final List<Trouble> troubles;
    private boolean isOver;
    private boolean hasDestroyed;

    /** The kinds of what goes wrong. */
    enum Trouble {
        PROCESS_ENDS,
        POWER_CUT,
        POWER_CUT_OF_MANY,
        POWER_CUT_AT_AN_ACCESS,
        SERVER_HANGS,
        DISK_FAILS,
        DISK_IS_FULL,
        INDEX_IS_FULL,
        WAY_IS_BLOCKED,
        METADATA_ENDS,
        SERVER_IS_LONG_AWAY,
        SERVER_DRAINS,
        MAP_IS_OLD,
        HOST_IS_DESTROYED
    }

    Chaos(CopiesWorld world, Random random) {
        this.world = world;
        this.random = random;
        this.pauseMillisMax = 200L << random.nextInt(6);
        this.endsAtPoint = random.nextInt(3) == 0 ? random.nextInt(300) : 0;
        this.yieldsAtPoint = random.nextInt(2) * random.nextInt(30_000);
        this.metadataEnds = random.nextInt(4) == 0 ? random.nextInt(500) : 0;
        this.flushesSlowly = random.nextInt(5) == 0;
        this.strikesOnPromise = flushesSlowly ? 30 : random.nextInt(2) * random.nextInt(60);
        this.delayNanosMax = (1L << random.nextInt(6)) * MILLIS;
        this.troubles = new ArrayList<>();
        for (Trouble trouble : Trouble.values()) {
            if (random.nextInt(3) == 0) {
                troubles.add(trouble);
            }
        }
    }

    /** Nothing goes wrong by chance. */
    private Chaos(CopiesWorld world) {
        this.world = world;
        this.random = new Random(world.seed());
        this.pauseMillisMax = 1;
        this.endsAtPoint = 0;
        this.yieldsAtPoint = 0;
        this.metadataEnds = 0;
        this.flushesSlowly = false;
        this.strikesOnPromise = 0;
        this.delayNanosMax = MILLIS;
        this.troubles = List.of();
    }

    /** What goes wrong in that world is planned by somebody else: chance only draws how long messages take. */
    static Chaos none(CopiesWorld world) {
        Chaos none = new Chaos(world);
        world.network().faults(DELAYS);
        return none;
    }

    /** Whether nothing more goes wrong. */
    boolean isOver() {
        return isOver;
    }

    void begin() {
        boolean isRough = random.nextInt(3) > 0;
        world.network()
                .faults(new SimFaults(
                        MILLIS / 20,
                        MILLIS / 10 + delayNanosMax,
                        isRough ? random.nextDouble() * 0.03 : 0,
                        isRough ? random.nextDouble() * 0.05 : 0,
                        isRough ? random.nextDouble() * 0.005 : 0));
        if (!troubles.isEmpty()) {
            later(this::strike);
        }
    }

    private void later(Runnable strike) {
        world.time().after((1 + random.nextLong(pauseMillisMax)) * MILLIS, () -> {
            if (!isOver) {
                strike.run();
            }
        });
    }

    /** Whether a host may be lost with its disks: no file is to have a single copy then. */
    boolean mayDestroy() {
        return troubles.contains(Trouble.HOST_IS_DESTROYED);
    }

    /** Nothing more goes wrong. Hosts that are destroyed are forgotten, and some drains go on. */
    void end() {
        isOver = true;
        world.membership().goOn();
        for (SimServer server : world.servers()) {
            if (server.isDestroyed()) {
                world.membership().order(server.id(), Order.FORGET);
            } else if (world.membership().serving().size() < COPIES_MAX) {
                world.membership().order(server.id(), Order.SERVE);
            }
        }
        world.network().faults(DELAYS);
        world.network().heal();
        world.metadata().start();
        world.servers().forEach(SimServer::heal);
    }

    private void strike() {
        Trouble trouble = troubles.get(random.nextInt(troubles.size()));
        world.coverage().count("trouble " + trouble);
        strike(trouble, world.servers().get(random.nextInt(world.servers().size())));
        later(this::strike);
    }

    private void strike(Trouble trouble, SimServer server) {
        SimDrive drive = server.drives().get(random.nextInt(server.drives().size()));
        switch (trouble) {
            case PROCESS_ENDS -> server.leave(false, world.awayNanos());
            case POWER_CUT -> server.leave(true, world.awayNanos());
            case POWER_CUT_OF_MANY ->
                world.servers().forEach(each -> {
                    if (random.nextInt(3) > 0) {
                        each.leave(true, world.awayNanos());
                    }
                });
            case POWER_CUT_AT_AN_ACCESS -> drive.arm(random.nextInt(20), Fault.POWER_CUT);
            case SERVER_HANGS -> server.hang(random.nextLong(8_000) * MILLIS);
            case DISK_FAILS -> drive.arm(random.nextInt(20), Fault.IO_ERROR);
            case DISK_IS_FULL -> {
                drive.fill(true);
                later(() -> drive.fill(false));
            }
            case INDEX_IS_FULL -> {
                drive.fillIndex(true);
                later(() -> drive.fillIndex(false));
            }
            case WAY_IS_BLOCKED -> {
                world.network().block(anyAddress(), anyAddress());
                later(world.network()::heal);
            }
            case METADATA_ENDS -> endMetadata();
            case SERVER_IS_LONG_AWAY ->
                server.leave(random.nextInt(4) == 0, (8_000 + random.nextLong(12_000)) * MILLIS);
            case SERVER_DRAINS -> drain(server);
            case MAP_IS_OLD -> world.membership().holdUp(random.nextLong(15_000) * MILLIS);
            case HOST_IS_DESTROYED -> destroy(server);
        }
    }

    private void drain(SimServer server) {
        SimMembership membership = world.membership();
        if (membership.order(server.id()) == Order.DRAIN) {
            membership.order(server.id(), Order.SERVE);
        } else if (membership.serving().size() > COPIES_MAX) {
            membership.order(server.id(), Order.DRAIN);
        }
    }

    /** Once, a host without which all blocks can be read, and there is room for all copies. */
    private void destroy(SimServer server) {
        if (hasDestroyed
                || server.isDestroyed()
                || world.membership().serving().size() <= COPIES_MAX
                || !world.judge().canDoWithout(server)) {
            return;
        }
        hasDestroyed = true;
        world.coverage().count("hosts destroyed");
        server.destroy();
        if (random.nextBoolean()) {
            world.time().after(random.nextLong(15_000) * MILLIS, world::joinServer);
        }
        if (random.nextBoolean()) {
            world.time()
                    .after(
                            random.nextLong(10_000) * MILLIS,
                            () -> world.membership().order(server.id(), Order.FORGET));
        }
    }

    private InetSocketAddress anyAddress() {
        List<InetSocketAddress> all = new ArrayList<>(List.of(SimMetadata.ADDRESS));
        world.servers().forEach(server -> all.add(server.address()));
        world.clients().forEach(client -> all.add(client.address()));
        return all.get(random.nextInt(all.size()));
    }

    private void endMetadata() {
        world.metadata().kill();
        world.time().after(random.nextLong(3_000) * MILLIS, world.metadata()::start);
    }

    /**
     * A writer sends what it wrote: it may die while that is on its way through the pipeline, in which it may be held
     * up.
     */
    void sending(List<Integer> pipeline, SimClient writer) {
        if (isOver || random.nextInt(120) >= strikesOnPromise) {
            return;
        }
        world.coverage().count("deaths with bytes on their way");
        boolean isHeldUp = pipeline.size() > 1 && random.nextBoolean();
        if (isHeldUp) {
            int front = random.nextInt(pipeline.size() - 1);
            world.network().block(address(pipeline.get(front)), address(pipeline.get(front + 1)));
            later(world.network()::heal);
        }
        world.time().after(random.nextLong(isHeldUp ? HELD_UP_NANOS_MAX : 3 * delayNanosMax), writer::die);
    }

    private InetSocketAddress address(int server) {
        return world.server(new ServerId(server)).address();
    }

    /**
     * A writer has just been promised something: whoever is to keep it may end at this moment, with the writer or not.
     */
    void promised(List<Integer> pipeline, SimClient writer) {
        if (isOver || pipeline.isEmpty() || random.nextInt(100) >= strikesOnPromise) {
            return;
        }
        world.coverage().count("strikes on a promise");
        boolean byPowerCut = random.nextInt(3) == 0;
        int only = random.nextBoolean() ? pipeline.get(random.nextInt(pipeline.size())) : 0;
        for (int server : pipeline) {
            if (only == 0 ? random.nextBoolean() : server == only) {
                world.server(new ServerId(server)).leave(byPowerCut, world.awayNanos());
            }
        }
        if (random.nextInt(3) > 0) {
            writer.die();
        }
    }

    /** A group is at a step. */
    void passGroup(SteppedGroup group) {
        world.step();
        if (!isOver && !group.isCrashed() && random.nextInt(100_000) < metadataEnds) {
            world.coverage().count("ends of metadata at a step");
            endMetadata();
        }
    }

    /** A server's thread is at a named point: its process may end there, or others may go on first. */
    void pass(String point) {
        SimServer server = SimServer.current();
        if (isOver || server == null) {
            return;
        }
        if (random.nextInt(100_000) < endsAtPoint) {
            world.coverage().count("ends at " + point);
            server.leave(random.nextBoolean(), world.awayNanos());
        } else if (flushesSlowly && point.equals("service.write.before-flush") && random.nextBoolean()) {
            world.coverage().count("slow flushes");
            world.time().sleep(random.nextLong(800) * MILLIS);
        } else if (point.startsWith("service.") && random.nextInt(100_000) < yieldsAtPoint) {
            world.coverage().count("waits at a point");
            world.time().sleep(random.nextLong(random.nextInt(4) == 0 ? 1_000 : 20) * MILLIS);
        }
    }
}
