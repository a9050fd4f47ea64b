package io.tatami.meta.service.sim;

import io.tatami.base.Check;
import io.tatami.base.TatamiException;
import io.tatami.files.CrashPoint;
import io.tatami.meta.service.sim.NamespaceModel.Name;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;

/**
 * A cluster, its clients, and what must hold once all has healed: within {@link #SETTLED_MILLIS} everything is settled
 * without those who died; no request waits, no move, message or reclamation is left. What is stored must be what the
 * order of the commits leads to, see {@link Oracle}, and what clients were told must agree with it. Who has a file open
 * must be able to write on.
 */
final class SimulatedRun {
    /** Of virtual time, once all is healed. Leases of dead clients run longer. */
    private static final long SETTLED_MILLIS = 150_000;

    private final SimWorld world;
    private final Coverage coverage;
    private final Faults faults;
    private final SimulatedCluster cluster;
    private final Ledger ledger = new Ledger();
    private final List<SimClient> clients = new ArrayList<>();

    SimulatedRun(SimWorld world, int shards, Faults faults, Plant plant, Coverage coverage) {
        this.world = world;
        this.coverage = coverage;
        this.faults = faults;
        this.cluster = new SimulatedCluster(world, shards, faults, plant, coverage);
    }

    SimulatedCluster cluster() {
        return cluster;
    }

    List<SimClient> clients() {
        return clients;
    }

    /** One more client. */
    SimClient client() {
        SimClient client = new SimClient(world, cluster, new SimSession(world, cluster, ledger, clients.size() + 1));
        clients.add(client);
        return client;
    }

    /** Runs {@code body} with every step of the groups under the eyes of the faults. */
    void run(Runnable body) {
        CrashPoint.listen(cluster::passing);
        try {
            cluster.start();
            body.run();
        } finally {
            CrashPoint.listen(null);
        }
    }

    /** Waits for a step that must not fail. */
    void finish(CompletableFuture<?> step) {
        boolean ended = world.runUntil(step::isDone, SETTLED_MILLIS);
        Check.check(ended, "a step never ended");
        Check.check(!step.isCompletedExceptionally(), "a step failed: %s", step);
    }

    /**
     * Ends all faults; then all that is under way must end, and everything must be as it should.
     *
     * @param idle whether every client that is alive has its answers
     */
    void healAndCheck(BooleanSupplier idle) {
        faults.heal();
        cluster.network().mend();
        cluster.heal();
        Check.check(world.runUntil(idle, SETTLED_MILLIS), "clients never got their answers");
        settle();
        for (SimClient each : clients) {
            while (!each.session().isDead() && !each.writing().isEmpty()) {
                SimClient.Writing open = each.writing().get(0);
                finish(each.finish(open));
                each.writing().remove(open);
                coverage.count("open files written on");
            }
        }
        try {
            check();
        } catch (TatamiException e) {
            throw new IllegalStateException(e);
        }
    }

    /** All that is under way ends by itself. */
    private void settle() {
        long end = world.wallMillis() + SETTLED_MILLIS;
        while (!Checker.isQuiet(cluster) && world.wallMillis() < end) {
            world.run(500);
        }
        Check.check(Checker.isQuiet(cluster), "not settled:%s", Checker.unrest(cluster));
    }

    private void check() throws TatamiException {
        settle();
        Checker checker = new Checker(cluster);
        checker.check();
        ledger.check(cluster.oracle());
        for (Name name : checker.untrueMarkers()) {
            coverage.count("markers left behind");
            takeOver(name);
        }
        long unreachable = checker.unreachableMarkers();
        for (long i = 0; i < unreachable; i++) {
            coverage.count("markers nobody can come to");
        }
        awaitLeases();
        new Checker(cluster).check();
    }

    /**
     * A file takes the name; unless what was asked long ago, and is done only now, puts something there after all, or
     * gives the directory another path: then it is tried there.
     */
    private void takeOver(Name name) {
        while (mayBeTaken(name)) {
            String path = path(name);
            CompletableFuture<?> step = client().create(path, false, 0);
            Check.check(world.runUntil(step::isDone, SETTLED_MILLIS), "%s is not free, nor taken", name);
            if (!step.isCompletedExceptionally()) {
                return;
            }
            Check.check(
                    !mayBeTaken(name) || !path.equals(path(name)),
                    "%s is kept by a marker that is not true: %s",
                    name,
                    step);
        }
    }

    private boolean mayBeTaken(Name name) {
        return model().isFree(name) && model().isDirectory(name.directory());
    }

    /** What dead clients had open is closed. */
    private void awaitLeases() {
        clients.forEach(each -> each.session().die());
        long end = world.wallMillis() + 2 * SimulatedCluster.HARD_LIMIT_MILLIS;
        while ((Checker.hasLeases(cluster) || !Checker.isQuiet(cluster)) && world.wallMillis() < end) {
            world.run(5_000);
        }
        Check.check(!Checker.hasLeases(cluster), "a file stays open although its writer is dead");
    }

    NamespaceModel model() {
        return cluster.oracle().model();
    }

    String path(Name name) {
        return pathOf(name.directory()) + "/" + name.name();
    }

    /** Empty for the root. */
    String pathOf(long directory) {
        Name name = model().directories().get(directory);
        return name == null || name.directory() == 0 ? "" : path(name);
    }
}
