package io.tatami.meta.service.sim;

import io.tatami.base.Check;
import io.tatami.base.CrashPoint;
import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.meta.service.sim.NamespaceModel.Name;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/**
 * One seed. Clients work on a few names in a few directories while messages are lost, doubled, delayed and reordered,
 * links are cut, and groups crash at steps of their work and start again. Some clients die. Then all heals, and within
 * {@link #SETTLED_MILLIS} everything must be settled without those: no request waits, no move, message or reclamation is
 * left. What is stored must be what the order of the commits leads to, see {@link Oracle}, and what clients were told must
 * agree with it. Who has a file open must be able to write on.
 */
final class TransactionSimulation {
    /** Of virtual time, once all is healed. Leases of dead clients run longer. */
    private static final long SETTLED_MILLIS = 150_000;

    /** What must have come about in a long run, beside a crash at each step. */
    static final List<String> REQUIRED = required();

    private static final int STEPS_MAX = 16;
    private static final String[] NAMES = {"a", "b", "c", "d"};

    private final SimWorld world;
    private final Coverage coverage;
    private final Faults faults;
    private final SimulatedCluster cluster;
    private final Ledger ledger = new Ledger();
    private final List<SimClient> clients = new ArrayList<>();
    private final Set<SimClient> working = new HashSet<>();
    private final long troubleMillis;

    TransactionSimulation(long seed, Plant plant, Map<String, Long> counts) {
        this.world = new SimWorld(seed);
        this.coverage = new Coverage(counts);
        this.faults = new Faults(world);
        int shards = 2 << world.below(3);
        this.cluster = new SimulatedCluster(world, shards, faults, new Crashes(world), plant, coverage);
        this.troubleMillis = 1_000L + world.below(6_000);
    }

    private static List<String> required() {
        List<String> required = new ArrayList<>(List.of(
                "clients died",
                "links cut",
                "messages delayed",
                "messages doubled",
                "messages lost",
                "markers left behind",
                "open files written on"));
        for (Step step : Step.values()) {
            required.add(step.text + " ok");
            required.add(step.text + " refused");
        }
        return List.copyOf(required);
    }

    /** Returns what was traced: the same for the same seed. */
    long run() {
        CrashPoint.listen(cluster::passing);
        try {
            cluster.start();
            beginCalm();
            beginTrouble();
            heal();
            check();
            return world.traced();
        } catch (TatamiException e) {
            throw new IllegalStateException(e);
        } finally {
            CrashPoint.listen(null);
        }
    }

    // ------------------------------------------------------------------------------------------ phases

    private void beginCalm() {
        SimClient first = client();
        finish(first.mkdirs("/a/a", spread()));
        finish(first.mkdirs("/b", spread()));
        finish(first.mkdirs("/b/c", spread()));
        finish(first.mkdirs("/c", spread()));
        for (String path : List.of("/f0", "/a/f1", "/b/f0", "/a/a/f2", "/c/f1")) {
            finish(first.create(path, false, world.below(2)));
            finish(first.close(first.writing().get(0)));
        }
    }

    private void beginTrouble() {
        faults.begin();
        int count = 1 + world.below(5);
        for (int i = 0; i < count; i++) {
            client();
        }
        for (SimClient each : clients) {
            working.add(each);
            each.renewLeases();
            int steps = 4 + world.below(STEPS_MAX);
            world.after(world.below(200), () -> next(each, steps));
            if (world.chance(0.3)) {
                world.after(100 + world.below((int) troubleMillis - 100), () -> die(each));
            }
        }
        int cuts = world.below(4);
        for (int i = 0; i < cuts; i++) {
            world.after(world.below((int) troubleMillis), this::cut);
        }
        world.run(troubleMillis);
    }

    private void cut() {
        int from = world.below(cluster.shards() + 1) - 1;
        int to = world.below(cluster.shards() + 1) - 1;
        cluster.network().cut(from, to, 200 + world.below(8_000));
    }

    private void heal() {
        faults.heal();
        cluster.heal();
        boolean settled = world.runUntil(() -> working.isEmpty(), SETTLED_MILLIS);
        Check.check(settled, "%d clients never got their answers", working.size());
        settle();
        for (SimClient each : clients) {
            while (!each.session().isDead() && !each.writing().isEmpty()) {
                SimClient.Writing open = each.writing().get(0);
                finish(each.finish(open));
                each.writing().remove(open);
                coverage.count("open files written on");
            }
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
        coverage.count("seeds");
        long unreachable = checker.unreachableMarkers();
        for (long i = 0; i < unreachable; i++) {
            coverage.count("markers nobody can come to");
        }
        awaitLeases();
        new Checker(cluster).check();
    }

    /** A file takes the name; unless what was asked long ago, and is done only now, puts something there after all. */
    private void takeOver(Name name) {
        CompletableFuture<?> step = client().create(path(name), false, 0);
        Check.check(world.runUntil(step::isDone, SETTLED_MILLIS), "%s is not free, nor taken", name);
        Check.check(
                !step.isCompletedExceptionally() || !model().isFree(name) || !model().isDirectory(name.directory()),
                "%s is kept by a marker that is not true: %s",
                name,
                step);
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

    // ------------------------------------------------------------------------------------------ clients

    private SimClient client() {
        SimSession session = new SimSession(world, cluster, ledger, clients.size() + 1);
        SimClient client = new SimClient(world, cluster, session);
        clients.add(client);
        return client;
    }

    private void die(SimClient client) {
        coverage.count("clients died");
        client.session().die();
        working.remove(client);
    }

    /** Waits for a step that must not fail. */
    private void finish(CompletableFuture<?> step) {
        boolean ended = world.runUntil(step::isDone, SETTLED_MILLIS);
        Check.check(ended, "a step never ended");
        Check.check(!step.isCompletedExceptionally(), "a step failed: %s", step);
    }

    private void next(SimClient client, int left) {
        if (client.session().isDead()) {
            return;
        }
        if (left == 0) {
            working.remove(client);
            return;
        }
        Step step = Step.values()[world.below(Step.values().length)];
        var unused = begin(client, step).whenComplete((done, thrown) -> {
            try {
                coverage.count(step.text + " " + (thrown == null ? "ok" : outcome(thrown)));
                world.after(world.below(60), () -> next(client, left - 1));
            } catch (RuntimeException e) {
                world.bug(e);
            }
        });
    }

    private static String outcome(Throwable thrown) {
        ErrorCode code = SimNetwork.failureOf(thrown).code();
        return switch (code) {
            case DEADLINE_EXCEEDED, REPLY_EVICTED -> "unknown";
            default -> "refused";
        };
    }

    /** What clients do; more often where it is here more than once. */
    private enum Step {
        RENAME("rename"),
        RENAME_AGAIN("rename"),
        RENAME_OVER("rename over"),
        RENAME_OVER_AGAIN("rename over"),
        RENAME_OPEN("rename open file"),
        RENAME_DIRECTORY("rename directory"),
        RENAME_DIRECTORY_OVER("rename directory over"),
        CREATE("create"),
        CREATE_AGAIN("create"),
        CREATE_OVER("create over"),
        DELETE("delete"),
        DELETE_DIRECTORY("delete directory"),
        DELETE_EMPTY_DIRECTORY("delete empty directory"),
        MKDIRS("mkdirs"),
        MKDIRS_AGAIN("mkdirs"),
        APPEND("append"),
        ADD_BLOCK("write"),
        ADD_BLOCK_AGAIN("write"),
        CLOSE("close"),
        LOOKUP("lookup"),
        LIST("list");

        private final String text;

        Step(String text) {
            this.text = text;
        }
    }

    private CompletableFuture<?> begin(SimClient client, Step step) {
        return switch (step) {
            case RENAME, RENAME_AGAIN -> client.renameFile(somePath(), anyPath(), false);
            case RENAME_OVER, RENAME_OVER_AGAIN -> client.renameFile(somePath(), anyPath(), true);
            case RENAME_OPEN -> client.renameFile(openPath(client), anyPath(), true);
            case RENAME_DIRECTORY -> client.renameDirectory(someDirectory(), anyDirectory(), false);
            case RENAME_DIRECTORY_OVER -> client.renameDirectory(someDirectory(), anyDirectory(), true);
            case CREATE, CREATE_AGAIN -> client.create(anyPath(), false, world.below(2));
            case CREATE_OVER -> client.create(anyPath(), true, world.below(2));
            case DELETE -> client.deleteFile(somePath());
            case DELETE_DIRECTORY -> client.deleteDirectory(someDirectory(), true);
            case DELETE_EMPTY_DIRECTORY -> client.deleteDirectory(someDirectory(), false);
            case MKDIRS, MKDIRS_AGAIN -> client.mkdirs(anyDirectory(), spread());
            case APPEND -> client.append(somePath());
            case ADD_BLOCK, ADD_BLOCK_AGAIN ->
                client.writing().isEmpty()
                        ? client.create(anyPath(), false, 1)
                        : client.addBlock(client.writing()
                                .get(world.below(client.writing().size())));
            case CLOSE ->
                client.writing().isEmpty()
                        ? client.append(somePath())
                        : client.close(client.writing()
                                .get(world.below(client.writing().size())));
            case LOOKUP -> client.lookup(somePath());
            case LIST -> client.list(world.chance(0.3) ? "/" : someDirectory());
        };
    }

    // ------------------------------------------------------------------------------------------ names

    private int spread() {
        return 1 << world.below(Integer.numberOfTrailingZeros(cluster.shards()) + 1);
    }

    private String anyName() {
        return NAMES[world.below(NAMES.length)];
    }

    /** Where there may be a directory or not. */
    private String anyDirectory() {
        String path = world.chance(0.5) ? "" : someDirectory();
        return (path + "/" + anyName());
    }

    private String someDirectory() {
        List<Long> ids = new ArrayList<>(model().directories().keySet());
        long id = ids.get(world.below(ids.size()));
        String path = pathOf(id);
        return path.isEmpty() ? "/" + anyName() : path;
    }

    /** A name of a file, or of nothing, or of a directory. */
    private String anyPath() {
        String directory = world.chance(0.2) ? "" : someDirectory();
        return directory + "/" + (world.chance(0.1) ? anyName() : "f" + world.below(3));
    }

    /** Mostly of a file. */
    private String somePath() {
        List<NamespaceModel.File> files = new ArrayList<>(model().files().values());
        return files.isEmpty() || world.chance(0.15)
                ? anyPath()
                : path(files.get(world.below(files.size())).name());
    }

    private String openPath(SimClient client) {
        List<String> open = new ArrayList<>();
        model().files().values().forEach(file -> {
            if (file.writer() == client.session().id()) {
                open.add(path(file.name()));
            }
        });
        return open.isEmpty() ? somePath() : open.get(world.below(open.size()));
    }

    private NamespaceModel model() {
        return cluster.oracle().model();
    }

    private String path(Name name) {
        return pathOf(name.directory()) + "/" + name.name();
    }

    /** Empty for the root. */
    private String pathOf(long directory) {
        Name name = model().directories().get(directory);
        return name == null || name.directory() == 0 ? "" : path(name);
    }
}
