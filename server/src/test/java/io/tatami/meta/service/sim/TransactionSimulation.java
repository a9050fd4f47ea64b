package io.tatami.meta.service.sim;

import io.tatami.base.ErrorCode;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/**
 * One seed. Clients work on a few names in a few directories, which are widened meanwhile, while messages are lost,
 * doubled, delayed and reordered, links are cut, and groups crash at steps of their work and start again. Some clients
 * die. Then all heals, and must be as {@link SimulatedRun} says.
 */
final class TransactionSimulation {
    /** What must have come about in a long run, beside a crash at each step. */
    static final List<String> REQUIRED = required();

    private static final int STEPS_MAX = 16;

    private static final String[] NAMES = {"a", "b", "c", "d"};

    private final SimWorld world;
    private final Coverage coverage;
    private final Faults faults;
    private final SimulatedRun run;
    private final Set<SimClient> working = new HashSet<>();
    private final long troubleMillis;

    TransactionSimulation(long seed, Plant plant, Map<String, Long> counts) {
        this.world = new SimWorld(seed);
        this.coverage = new Coverage(counts);
        this.faults = new RandomFaults(world, coverage);
        this.run = new SimulatedRun(world, 2 << world.below(3), faults, plant, coverage);
        this.troubleMillis = 1_000L + world.below(6_000);
    }

    private static List<String> required() {
        List<String> required = new ArrayList<>(List.of(
                "clients died",
                "links cut",
                "logs failed after a write",
                "logs failed before a write",
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
        run.run(() -> {
            beginCalm();
            beginTrouble();
            run.healAndCheck(working::isEmpty);
            coverage.count("seeds");
        });
        return world.traced();
    }

    // ------------------------------------------------------------------------------------------ phases

    private void beginCalm() {
        SimClient first = run.client();
        run.finish(first.mkdirs("/a/a", spread()));
        run.finish(first.mkdirs("/b", spread()));
        run.finish(first.mkdirs("/b/c", spread()));
        run.finish(first.mkdirs("/c", spread()));
        for (String path : List.of("/f0", "/a/f1", "/b/f0", "/a/a/f2", "/c/f1")) {
            run.finish(first.create(path, false, world.below(2)));
            run.finish(first.close(first.writing().get(0)));
        }
    }

    private void beginTrouble() {
        faults.begin();
        int count = 1 + world.below(5);
        for (int i = 0; i < count; i++) {
            SimClient unused = run.client();
        }
        for (SimClient each : run.clients()) {
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
        int from = world.below(run.cluster().shards() + 1) - 1;
        int to = world.below(run.cluster().shards() + 1) - 1;
        run.cluster().network().cut(from, to, 200 + world.below(8_000));
    }

    // ------------------------------------------------------------------------------------------ clients

    private void die(SimClient client) {
        coverage.count("clients died");
        client.session().die();
        working.remove(client);
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
        DELETE_MANY("delete many"),
        DELETE_DIRECTORY("delete directory"),
        DELETE_EMPTY_DIRECTORY("delete empty directory"),
        MKDIRS("mkdirs"),
        MKDIRS_AGAIN("mkdirs"),
        SET_MODE("set mode"),
        WIDEN("widen"),
        WIDEN_AGAIN("widen"),
        APPEND("append"),
        ADD_BLOCK("write"),
        ADD_BLOCK_AGAIN("write"),
        CLOSE("close"),
        RECOVER_LEASE("recover lease"),
        RECOVER_OPEN("recover open file"),
        TRUNCATE("truncate"),
        CONCAT("concat"),
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
            case DELETE_MANY -> client.deleteFiles(someDirectory(), List.of("f0", "f1", "f2"));
            case DELETE_DIRECTORY -> client.deleteDirectory(someDirectory(), true);
            case DELETE_EMPTY_DIRECTORY -> client.deleteDirectory(someDirectory(), false);
            case MKDIRS, MKDIRS_AGAIN -> client.mkdirs(anyDirectory(), spread());
            case SET_MODE -> client.setMode(someDirectory(), 0700 + world.below(64));
            case WIDEN, WIDEN_AGAIN -> client.widen(someDirectory());
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
            case RECOVER_LEASE -> client.recoverLease(somePath());
            case RECOVER_OPEN -> client.recoverLease(openPath(client));
            case TRUNCATE -> truncate(client);
            case CONCAT -> client.concat(somePath(), List.of("f" + world.below(3)));
            case LOOKUP -> client.lookup(somePath());
            case LIST -> client.list(world.chance(0.3) ? "/" : someDirectory());
        };
    }

    /** Sometimes to more than there is. */
    private CompletableFuture<?> truncate(SimClient client) {
        List<NamespaceModel.File> files = new ArrayList<>(run.model().files().values());
        if (files.isEmpty()) {
            return client.truncate(anyPath(), 0);
        }
        NamespaceModel.File file = files.get(world.below(files.size()));
        return client.truncate(run.path(file.name()), world.below((int) Math.max(0, file.length()) + 2));
    }

    // ------------------------------------------------------------------------------------------ names

    private int spread() {
        return 1 << world.below(Integer.numberOfTrailingZeros(run.cluster().shards()) + 1);
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
        List<Long> ids = new ArrayList<>(run.model().directories().keySet());
        long id = ids.get(world.below(ids.size()));
        String path = run.pathOf(id);
        return path.isEmpty() ? "/" + anyName() : path;
    }

    /** A name of a file, or of nothing, or of a directory. */
    private String anyPath() {
        String directory = world.chance(0.2) ? "" : someDirectory();
        return directory + "/" + (world.chance(0.1) ? anyName() : "f" + world.below(3));
    }

    /** Mostly of a file. */
    private String somePath() {
        List<NamespaceModel.File> files = new ArrayList<>(run.model().files().values());
        return files.isEmpty() || world.chance(0.15)
                ? anyPath()
                : run.path(files.get(world.below(files.size())).name());
    }

    private String openPath(SimClient client) {
        List<String> open = new ArrayList<>();
        run.model().files().values().forEach(file -> {
            if (file.writer() == client.session().id()) {
                open.add(run.path(file.name()));
            }
        });
        return open.isEmpty() ? somePath() : open.get(world.below(open.size()));
    }
}
