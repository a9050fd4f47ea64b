package io.tatami.meta.service.tree;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.ErrorCode;
import io.tatami.base.GroupId;
import io.tatami.base.TatamiException;
import io.tatami.files.CrashPoint;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Random operations on a small tree, so that they meet each other: against a model, with crashes, and many at once. */
class RandomTreeTest {
    private static final List<String> CRASH_POINTS = List.of(
            "meta.mkdirs.reserved",
            "meta.rename-directory.reserved",
            "meta.rename-directory.announced",
            "meta.rename-directory.committed",
            "meta.delete-directory.announced",
            "meta.delete-directory.committed",
            "meta.set-directory-attributes.announced",
            "meta.reclaim-subtree.handed-over");

    private final Map<ErrorCode, Integer> outcomes = new EnumMap<>(ErrorCode.class);

    @AfterEach
    void disarm() {
        CrashPoint.listen(null);
    }

    /** What a test asks of the tree and of the model alike. */
    private interface Tree {
        void mkdirs(String path) throws TatamiException;

        void create(String path) throws TatamiException;

        void delete(String path, boolean recursive) throws TatamiException;

        void rename(String source, String destination, boolean overwrite) throws TatamiException;

        void touch(String path) throws TatamiException;
    }

    @FunctionalInterface
    private interface Step {
        void on(Tree tree) throws TatamiException;
    }

    @Test
    void treeAndModelAlwaysAnswerTheSame() throws TatamiException {
        for (long seed = 1; seed <= 20; seed++) {
            Random random = new Random(seed);
            TreeCluster cluster = new TreeCluster(Runnable::run);
            TreeModel model = new TreeModel();
            Tree tree = over(TreeClient.root(cluster));
            for (int i = 0; i < 300; i++) {
                Step step = step(random);
                assertEquals(outcome(step, over(model)), outcome(step, tree), "seed " + seed + ", step " + i);
                if (random.nextInt(40) == 0) {
                    cluster.rest();
                }
            }
            cluster.rest();
            assertSame(model, cluster, "seed " + seed);
            assertEquals(List.of(), TreeInspector.inspect(cluster).orphans(), "seed " + seed);
        }
        for (ErrorCode code : List.of(
                ErrorCode.NOT_FOUND,
                ErrorCode.ALREADY_EXISTS,
                ErrorCode.NOT_A_DIRECTORY,
                ErrorCode.IS_A_DIRECTORY,
                ErrorCode.NOT_EMPTY,
                ErrorCode.INVALID_ARGUMENT)) {
            assertTrue(outcomes.getOrDefault(code, 0) > 0, "no operation met " + code);
        }
    }

    @Test
    void crashAtAnyStepLeavesAllOrNothing() throws TatamiException {
        int crashes = 0;
        for (long seed = 1; seed <= 40; seed++) {
            Random random = new Random(seed);
            TreeCluster cluster = new TreeCluster(Runnable::run);
            TreeModel model = new TreeModel();
            Tree tree = over(TreeClient.root(cluster));
            for (int i = 0; i < 120; i++) {
                String point = CRASH_POINTS.get(random.nextInt(CRASH_POINTS.size()));
                boolean[] crashed = new boolean[1];
                CrashPoint.listen(name -> {
                    if (name.equals(point)) {
                        crashed[0] = true;
                        throw new IllegalStateException("crash at " + name);
                    }
                });
                Step step = step(random);
                String found = outcome(step, tree);
                CrashPoint.listen(null);
                if (crashed[0]) {
                    crashes++;
                    cluster.restart();
                    if (point.endsWith(".committed")) {
                        outcome(step, over(model));
                    }
                } else {
                    assertEquals(outcome(step, over(model)), found, "seed " + seed + ", step " + i);
                }
            }
            cluster.rest();
            assertSame(model, cluster, "seed " + seed);
        }
        assertTrue(crashes > 100, crashes + " crashes");
    }

    @Test
    void silentShardsMakeOperationsFailWholeOrNotAtAll() throws TatamiException {
        for (long seed = 1; seed <= 20; seed++) {
            Random random = new Random(seed);
            TreeCluster cluster = new TreeCluster(Runnable::run);
            TreeModel model = new TreeModel();
            Tree tree = over(TreeClient.root(cluster));
            for (int i = 0; i < 200; i++) {
                cluster.silent.clear();
                if (random.nextInt(3) == 0) {
                    cluster.silent.add(GroupId.ofShard(random.nextInt(TreeCluster.SHARDS)));
                }
                Step step = step(random);
                String found = outcome(step, tree);
                boolean gaveUp = found.equals("BUSY") || found.equals("UNAVAILABLE");
                if (!gaveUp) {
                    assertEquals(outcome(step, over(model)), found, "seed " + seed + ", step " + i);
                }
            }
            cluster.silent.clear();
            cluster.rest();
            assertSame(model, cluster, "seed " + seed);
        }
    }

    @Test
    void operationsAtTheSameTimeMakeNoLoopsAndLoseNothing() throws TatamiException {
        ExecutorService executor = Executors.newFixedThreadPool(4);
        try {
            for (long seed = 1; seed <= 10; seed++) {
                TreeCluster cluster = new TreeCluster(executor);
                TreeClient root = TreeClient.root(cluster);
                for (String name : List.of("/a/a", "/b/b", "/c/c")) {
                    root.mkdirs(name);
                }
                List<CompletableFuture<Void>> clients = new ArrayList<>();
                for (int client = 0; client < 4; client++) {
                    Random random = new Random(seed * 31 + client);
                    clients.add(CompletableFuture.runAsync(() -> {
                        for (int i = 0; i < 100; i++) {
                            assertEquals(
                                    false, outcome(step(random), over(root)).equals("INTERNAL"));
                        }
                    }));
                }
                clients.forEach(CompletableFuture::join);
                cluster.rest();
                TreeInspector inspected = TreeInspector.inspect(cluster);
                for (String path : inspected.directories()) {
                    assertTrue(root.isDirectory(path), path + ", seed " + seed);
                }
            }
        } finally {
            executor.shutdown();
        }
    }

    @Test
    void filesAreOnlyMadeWhereTheirPathLeadsAtThatMoment() throws TatamiException {
        ExecutorService executor = Executors.newFixedThreadPool(4);
        try {
            for (long seed = 1; seed <= 5; seed++) {
                TreeCluster cluster = new TreeCluster(executor);
                TreeClient root = TreeClient.root(cluster);
                AtomicBoolean over = new AtomicBoolean();
                List<CompletableFuture<Void>> writers = new ArrayList<>();
                for (int writer = 0; writer < 3; writer++) {
                    int number = writer;
                    writers.add(CompletableFuture.runAsync(() -> {
                        for (int i = 0; !over.get(); i++) {
                            String name = "/a/b/" + number + "." + i;
                            outcome(tree -> tree.create(name), over(root));
                        }
                    }));
                }
                for (int i = 0; i < 60; i++) {
                    root.mkdirs("/a/b");
                    root.rename("/a", "/c", false);
                    root.delete("/c", true);
                    cluster.rest();
                }
                over.set(true);
                writers.forEach(CompletableFuture::join);
                TreeInspector inspected = TreeInspector.inspect(cluster);
                assertEquals(List.of(), inspected.directories(), "seed " + seed);
                assertEquals(List.of(), inspected.orphans(), "seed " + seed);
            }
            assertTrue(outcomes.getOrDefault(ErrorCode.STALE_HANDLE, 0) > 0, "no handle was ever stale");
        } finally {
            executor.shutdown();
        }
    }

    @Test
    void directoryInWhichAFileWasMadeIsNotDeletedAsEmpty() throws TatamiException {
        ExecutorService executor = Executors.newFixedThreadPool(4);
        try {
            TreeCluster cluster = new TreeCluster(executor);
            TreeClient root = TreeClient.root(cluster);
            List<String> made = new ArrayList<>();
            for (int round = 0; round < 400; round++) {
                String directory = "/d" + round;
                root.mkdirs(directory);
                List<CompletableFuture<String>> writers = new ArrayList<>();
                for (int writer = 0; writer < 3; writer++) {
                    String file = directory + "/f" + writer;
                    writers.add(CompletableFuture.supplyAsync(
                            () -> outcome(tree -> tree.create(file), over(root)).equals("done") ? file : ""));
                }
                outcome(tree -> tree.delete(directory, false), over(root));
                writers.forEach(writer -> made.add(writer.join()));
            }
            made.removeIf(String::isEmpty);
            TreeInspector inspected = TreeInspector.inspect(cluster);
            assertEquals(made.stream().sorted().toList(), inspected.files());
            assertTrue(inspected.directories().size() < 400, "no directory was ever deleted");
        } finally {
            executor.shutdown();
        }
    }

    @Test
    void directoryIsNotPutWhereADeletionWouldHaveBeenRefusedForIt() throws TatamiException {
        ExecutorService executor = Executors.newFixedThreadPool(4);
        try {
            TreeCluster cluster = new TreeCluster(executor);
            TreeClient.root(cluster).mkdirs("/open", 0777);
            TreeClient ann = TreeClient.user(cluster, "ann");
            TreeClient bob = TreeClient.user(cluster, "bob");
            int deletions = 0;
            for (int round = 0; round < 400; round++) {
                String top = "/open/d" + round;
                ann.mkdirs(top, 0777);
                bob.mkdirs(top + "/bobs", 0700);
                CompletableFuture<String> made = CompletableFuture.supplyAsync(
                        () -> outcome(tree -> bob.mkdir(top + "/bobs/inside"), over(bob)));
                String deleted = outcome(tree -> tree.delete(top, true), over(ann));
                String expected = made.join().equals("done") ? "PERMISSION_DENIED" : "done";
                assertEquals(expected, deleted, top);
                deletions += deleted.equals("done") ? 1 : 0;
            }
            assertTrue(deletions > 0, "no directory was ever deleted");
        } finally {
            executor.shutdown();
        }
    }

    @Test
    void opposingRenamesNeverMakeALoop() throws TatamiException {
        ExecutorService executor = Executors.newFixedThreadPool(4);
        try {
            for (int round = 0; round < 100; round++) {
                TreeCluster cluster = new TreeCluster(executor);
                TreeClient root = TreeClient.root(cluster);
                root.mkdirs("/a/x");
                root.mkdirs("/b/y");
                CompletableFuture<String> left =
                        CompletableFuture.supplyAsync(() -> outcome(t -> t.rename("/a", "/b/y/a", false), over(root)));
                CompletableFuture<String> right =
                        CompletableFuture.supplyAsync(() -> outcome(t -> t.rename("/b", "/a/x/b", false), over(root)));
                List<String> both = List.of(left.join(), right.join());
                assertEquals(1, both.stream().filter("done"::equals).count(), both.toString());
                assertEquals(4, TreeInspector.inspect(cluster).directories().size());
            }
        } finally {
            executor.shutdown();
        }
    }

    private static Step step(Random random) {
        String path = path(random);
        String other = path(random);
        boolean flag = random.nextBoolean();
        return switch (random.nextInt(7)) {
            case 0, 1 -> tree -> tree.mkdirs(path);
            case 2 -> tree -> tree.create(path);
            case 3 -> tree -> tree.delete(path, flag);
            case 4, 5 -> tree -> tree.rename(path, other, flag);
            default -> tree -> tree.touch(path);
        };
    }

    private static String path(Random random) {
        StringBuilder path = new StringBuilder();
        int depth = 1 + random.nextInt(3);
        for (int i = 0; i < depth; i++) {
            path.append('/').append((char) ('a' + random.nextInt(3)));
        }
        return path.toString();
    }

    private String outcome(Step step, Tree tree) {
        try {
            step.on(tree);
            return "done";
        } catch (TatamiException e) {
            synchronized (outcomes) {
                outcomes.merge(e.code(), 1, Integer::sum);
            }
            return e.code().toString();
        }
    }

    private static void assertSame(TreeModel model, TreeCluster cluster, String when) throws TatamiException {
        TreeInspector found = TreeInspector.inspect(cluster);
        assertEquals(model.directories(), found.directories(), when);
        assertEquals(model.files(), found.files(), when);
    }

    private static Tree over(TreeClient client) {
        return new Tree() {
            @Override
            public void mkdirs(String path) throws TatamiException {
                client.mkdirs(path);
            }

            @Override
            public void create(String path) throws TatamiException {
                client.create(path);
            }

            @Override
            public void delete(String path, boolean recursive) throws TatamiException {
                client.delete(path, recursive);
            }

            @Override
            public void rename(String source, String destination, boolean overwrite) throws TatamiException {
                client.rename(source, destination, overwrite);
            }

            @Override
            public void touch(String path) throws TatamiException {
                client.chmod(path, 0755);
            }
        };
    }

    private static Tree over(TreeModel model) {
        return new Tree() {
            @Override
            public void mkdirs(String path) throws TatamiException {
                model.mkdirs(path);
            }

            @Override
            public void create(String path) throws TatamiException {
                model.create(path);
            }

            @Override
            public void delete(String path, boolean recursive) throws TatamiException {
                model.delete(path, recursive);
            }

            @Override
            public void rename(String source, String destination, boolean overwrite) throws TatamiException {
                model.rename(source, destination, overwrite);
            }

            @Override
            public void touch(String path) throws TatamiException {
                if (!model.isDirectory(path)) {
                    throw new TatamiException(ErrorCode.NOT_FOUND, path);
                }
            }
        };
    }
}
