package io.tatami.copies;

import io.tatami.base.Check;
import io.tatami.base.TatamiException;
import io.tatami.client.TatamiClient;
import java.io.IOException;
import java.util.List;
import java.util.Random;
import java.util.function.Supplier;

/**
 * What must come after all faults: clients end, files are closed, the world heals, and all that was promised is there.
 */
final class Aftermath {
    /** By then every client has ended. */
    private static final long CLIENTS_MILLIS = 400_000;

    /** Leases lapse, and recoveries end. */
    private static final long SETTLED_MILLIS = 200_000;

    /** Nothing is at work any more of processes that have ended. */
    private static final long REMAINS_MILLIS = 6_000;

    /** Blocks have all their copies, and nothing is left to be reclaimed. */
    private static final long HEALED_MILLIS = 600_000;

    /** Two audits are done, and what both found is gone. */
    private static final long AUDITED_MILLIS = 400_000;

    /** Each begins with an audit. One that meets an intent for the same server proves nothing of what is there. */
    private static final int AUDITING_LEADERS = 5;

    /** On a server, for each that nobody knows. */
    private static final int KNOWN_BLOCKS = 100;

    /** Between two looks at how far that is. */
    private static final long LOOK_MILLIS = 500;

    private final CopiesWorld world;
    private final Random random;

    Aftermath(CopiesWorld world, Random random) {
        this.world = world;
        this.random = random;
    }

    /** Ends the faults and waits for all that. */
    void follow() throws TatamiException {
        world.chaos().end();
        Check.check(world.run(world::isIdle, CLIENTS_MILLIS), "a client waits for ever");
        boolean closed = world.run(this::areFilesClosed, SETTLED_MILLIS);
        Check.check(closed, "a file is not closed although all servers are up");
        heal();
        readAll();
        world.judge().checkCopies();
        stopServers();
    }

    /** By itself, once nothing goes wrong any more. What is left then that nobody knows of is found by audits. */
    private void heal() {
        Health health = new Health(world);
        String missing = waited(health::missing, HEALED_MILLIS);
        Check.check(missing.isEmpty(), "the world does not heal: %s", missing);
        world.coverage().count("worlds healed");
        List<String> leaked = health.leaked();
        if (!leaked.isEmpty()) {
            world.coverage().count("copies that only audits find", leaked.size());
            String left = String.join("; ", leaked);
            for (int leader = 0; !left.isEmpty() && leader < AUDITING_LEADERS; leader++) {
                world.metadata().kill();
                // An audit disowns nothing where more than a hundredth of what a server has is unknown.
                world.metadata().grant(leader == 0 ? KNOWN_BLOCKS * leaked.size() : 0);
                world.metadata().start();
                left = waited(() -> String.join("; ", health.leaked()), AUDITED_MILLIS);
            }
            Check.check(left.isEmpty(), "audits leave %s", left);
        }
    }

    /** Looks now and then until it is empty, or for so long. */
    private String waited(Supplier<String> missing, long millis) {
        String now = missing.get();
        for (long waited = 0; !now.isEmpty() && waited < millis; waited += LOOK_MILLIS) {
            boolean unused = world.run(() -> false, LOOK_MILLIS);
            now = missing.get();
        }
        return now;
    }

    private boolean areFilesClosed() {
        for (FileModel file : world.judge().files()) {
            if (file.isBegun() && world.metadata().isOpen(file.file())) {
                return false;
            }
        }
        return true;
    }

    /** All that was promised can be read, by a client that comes now. */
    private void readAll() {
        world.begin(
                () -> {
                    try (TatamiClient client = world.client().open()) {
                        for (FileModel file : world.judge().files()) {
                            if (file.isBegun() && !file.isDeleting()) {
                                readAll(client, file);
                            }
                        }
                    } catch (IOException e) {
                        throw new IllegalStateException("what was promised cannot be read: " + e, e);
                    }
                },
                0);
        Check.check(world.run(world::isIdle, CLIENTS_MILLIS), "the last reader waits for ever");
    }

    private void readAll(TatamiClient client, FileModel file) throws IOException {
        boolean isAll = false;
        while (!isAll) {
            isAll = SimReader.read(world, client, file, random);
        }
    }

    /** Every process gives back what it has. */
    private void stopServers() {
        world.servers().forEach(SimServer::kill);
        boolean unused = world.run(() -> false, REMAINS_MILLIS);
    }
}
