package io.tatami.copies;

import io.tatami.base.ServerId;
import io.tatami.base.TatamiException;
import io.tatami.block.service.context.BlockServerSettings;
import io.tatami.conf.Settings;
import io.tatami.files.CrashPoint;
import io.tatami.rpc.sim.SimNetwork;
import io.tatami.rpc.sim.SimTime;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Block servers with their disks, a namespace group with a shard, and clients, in virtual time and over a simulated
 * network: one thread runs at a time, and a seed repeats its course. A {@link Judge} knows what was promised.
 */
final class CopiesWorld implements AutoCloseable {
    private static final Settings SETTINGS = Settings.of(Map.of(
            "tatami.block.chain.silence.max", "2s",
            "tatami.block.park.after", "1s",
            "tatami.block.writer.idle.max", "30s",
            "tatami.block.received.max", "1m"));

    /** A drive of as much holds all that clients ever write. */
    private static final long ROOM_BYTES = 24L << 20;

    private final long seed;
    private final long driveBytes;
    private final Path directory;
    private final BlockServerSettings settings;
    private final boolean hasRoom;
    private final SimTime time = new SimTime();
    private final Random random;
    private final SimNetwork network;
    private final Coverage coverage;
    private final List<SimServer> servers = new ArrayList<>();
    private final List<SimClient> clients = new ArrayList<>();
    private final SimMembership membership;
    private final SimMetadata metadata;
    private final Judge judge;
    private final Chaos chaos;
    private Runnable step = () -> {};
    private int working;
    private @Nullable Throwable bug;

    /**
     * @param directory for the files of volumes
     * @param driveBytes of each server's drive
     */
    CopiesWorld(long seed, int servers, long driveBytes, Path directory, Coverage coverage) throws TatamiException {
        this(
                seed,
                servers,
                driveBytes,
                directory,
                coverage,
                world -> new Chaos(world, new Random(world.random.nextLong())));
    }

    /** @param chaos what goes wrong by chance in a world */
    CopiesWorld(
            long seed,
            int servers,
            long driveBytes,
            Path directory,
            Coverage coverage,
            Function<CopiesWorld, Chaos> chaos)
            throws TatamiException {
        this.seed = seed;
        this.driveBytes = driveBytes;
        this.directory = directory;
        this.hasRoom = driveBytes >= ROOM_BYTES;
        this.random = new Random(seed * 0x9e3779b97f4a7c15L);
        this.coverage = coverage;
        this.network = new SimNetwork(time, new Random(random.nextLong()), SimDrive.CLUSTER);
        this.settings = BlockServerSettings.from(SETTINGS);
        this.membership = new SimMembership(this, 1 + random.nextInt(2));
        for (int number = 1; number <= servers; number++) {
            addServer();
        }
        this.metadata = new SimMetadata(this, this.servers);
        this.judge = new Judge(this);
        this.chaos = chaos.apply(this);
        this.servers.forEach(SimServer::start);
        this.metadata.start();
        this.membership.begin();
        CrashPoint.listen(this.chaos::pass);
    }

    private SimServer addServer() throws TatamiException {
        int number = servers.size() + 1;
        SimDrive drive = new SimDrive(seed + "-" + number, driveBytes, directory, time, new Random(random.nextLong()));
        SimServer server = new SimServer(this, number, settings, List.of(drive));
        servers.add(server);
        membership.join(server);
        return server;
    }

    /** A new block server joins. */
    void joinServer() {
        try {
            SimServer server = addServer();
            server.start();
            metadata.join(server);
        } catch (TatamiException e) {
            throw new IllegalStateException(e);
        }
    }

    long seed() {
        return seed;
    }

    /** Whether blocks get all the room they want. */
    boolean hasRoom() {
        return hasRoom;
    }

    SimTime time() {
        return time;
    }

    /** For what has no generator of its own. */
    Random random() {
        return random;
    }

    SimNetwork network() {
        return network;
    }

    SimMembership membership() {
        return membership;
    }

    SimMetadata metadata() {
        return metadata;
    }

    Judge judge() {
        return judge;
    }

    Chaos chaos() {
        return chaos;
    }

    Coverage coverage() {
        return coverage;
    }

    List<SimServer> servers() {
        return servers;
    }

    SimServer server(ServerId id) {
        return servers.get(id.value() - 1);
    }

    List<SimClient> clients() {
        return clients;
    }

    /** What has happened to every server. */
    Map<ServerId, SimServer.Fate> fates() {
        Map<ServerId, SimServer.Fate> fates = new LinkedHashMap<>();
        servers.forEach(server -> fates.put(server.id(), server.fate()));
        return fates;
    }

    /** How long something stays away. */
    long awayNanos() {
        return TimeUnit.MILLISECONDS.toNanos(1 + random.nextInt(random.nextBoolean() ? 200 : 6_000));
    }

    /** The process of one more client. */
    SimClient client() {
        SimClient client = new SimClient(this, clients.size() + 1, new Random(random.nextLong()));
        clients.add(client);
        return client;
    }

    /** Work of a client, which may wait, and begins in a while. */
    void begin(Runnable work, long delayNanos) {
        working++;
        time.after(delayNanos, () -> {
            work.run();
            working--;
        });
    }

    /** Runs {@code watch} at each step of a group from now on. */
    void steps(Runnable watch) {
        step = watch;
    }

    /** A group is at a step. */
    void step() {
        step.run();
    }

    /** Whether no work is left. */
    boolean isIdle() {
        return working == 0;
    }

    /** Something threw where nobody would hear of it. */
    void bug(Throwable thrown) {
        if (bug == null) {
            bug = thrown;
        }
    }

    /** Lets things happen until {@code done}, or for so long; whether it is done. */
    boolean run(BooleanSupplier done, long millis) {
        boolean isDone =
                time.threads().run(() -> bug != null || done.getAsBoolean(), TimeUnit.MILLISECONDS.toNanos(millis));
        Throwable thrown = bug;
        if (thrown != null) {
            throw new IllegalStateException(thrown.getMessage(), thrown);
        }
        return isDone;
    }

    @Override
    public void close() {
        CrashPoint.listen(null);
        time.threads().end();
        servers.forEach(server -> server.drives().forEach(SimDrive::close));
    }
}
