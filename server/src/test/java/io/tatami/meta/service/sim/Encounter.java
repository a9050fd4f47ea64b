package io.tatami.meta.service.sim;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/**
 * What two clients do at once, where transactions may get in each other's way. Before it there are the directories /a,
 * /a/a, /b and /b/c over two shards, the closed files /f0, /a/f1, /b/f0 to /b/f2 and /b/far, whose home is the other
 * shard, and /a/open, which the other writes.
 */
record Encounter(
        String name, Function<SimClient, CompletableFuture<?>> one, Function<SimClient, CompletableFuture<?>> other) {
    static final List<Encounter> ALL = List.of(
            new Encounter(
                    "opposing-directories",
                    one -> one.renameDirectory("/a", "/b/a", false),
                    other -> other.renameDirectory("/b", "/a/b", false)),
            new Encounter(
                    "opposing-files",
                    one -> one.renameFile("/a/f1", "/b/f0", true),
                    other -> other.renameFile("/b/f0", "/a/f1", true)),
            new Encounter(
                    "one-file-to-two-names",
                    one -> one.renameFile("/f0", "/a/x", false),
                    other -> other.renameFile("/f0", "/b/x", false)),
            new Encounter(
                    "two-files-to-one-name",
                    one -> one.renameFile("/a/f1", "/b/x", true),
                    other -> other.renameFile("/f0", "/b/x", true)),
            new Encounter(
                    "into-a-deleted-directory",
                    one -> one.renameFile("/f0", "/b/c/x", false),
                    other -> other.deleteDirectory("/b", true)),
            new Encounter(
                    "out-of-a-deleted-directory",
                    one -> one.renameFile("/b/f0", "/a/x", false),
                    other -> other.deleteDirectory("/b", true)),
            new Encounter(
                    "into-a-moving-directory",
                    one -> one.renameFile("/f0", "/a/a/x", false),
                    other -> other.renameDirectory("/a", "/b/a", false)),
            new Encounter(
                    "created-in-a-moving-directory",
                    one -> one.create("/a/x", false, 1),
                    other -> other.renameDirectory("/a", "/b/a", false)),
            new Encounter(
                    "created-where-a-directory-comes",
                    one -> one.create("/b/x", false, 1),
                    other -> other.mkdirs("/b/x", 1)),
            new Encounter(
                    "created-in-a-deleted-directory",
                    one -> one.create("/b/c/x", false, 1),
                    other -> other.deleteDirectory("/b/c", false)),
            new Encounter(
                    "renamed-and-deleted",
                    one -> one.renameFile("/a/f1", "/b/x", false),
                    other -> other.deleteFile("/a/f1")),
            new Encounter(
                    "renamed-and-appended-to",
                    one -> one.renameFile("/a/f1", "/b/x", false),
                    other -> other.append("/a/f1")),
            new Encounter(
                    "renamed-and-closed",
                    one -> one.renameFile("/a/open", "/b/x", false),
                    other -> other.close(other.writing().get(0))),
            new Encounter(
                    "renamed-and-recovered",
                    one -> one.renameFile("/a/open", "/b/x", false),
                    other -> other.recoverLease("/a/open")),
            new Encounter(
                    "truncated-far-from-home-and-replaced",
                    one -> one.truncate("/b/far", 0),
                    other -> other.renameFile("/b/f1", "/b/far", true)),
            new Encounter(
                    "created-in-a-widened-directory", one -> one.widen("/b"), other -> other.create("/b/x", false, 1)),
            new Encounter(
                    "renamed-out-of-a-widened-directory",
                    one -> one.widen("/b"),
                    other -> other.renameFile("/b/f1", "/a/x", false)),
            new Encounter(
                    "deleted-while-it-is-widened", one -> one.widen("/b"), other -> other.deleteDirectory("/b", true)),
            new Encounter(
                    "replaced-while-it-is-widened",
                    one -> one.widen("/b/c"),
                    other -> other.renameDirectory("/a/a", "/b/c", true)),
            // The first looks something up for as long as the second waits for its handle.
            new Encounter(
                    "created-in-one-batch-and-appended-to",
                    one -> one.lookup("/b/f0")
                            .thenCompose(found -> one.create("/b/x", false, 1))
                            .thenCompose(made -> one.append("/b/y")),
                    other -> other.create("/b/y", false, 0)),
            new Encounter(
                    "closed-under-an-earlier-opening",
                    one -> one.lookup("/a/open"),
                    other -> other.recoverLease("/a/open")
                            .thenCompose(taken -> other.append("/a/open"))
                            .thenCompose(again -> other.close(other.writing().get(0)))));

    static Encounter named(String name) {
        return ALL.stream()
                .filter(each -> each.name.equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no encounter is called " + name));
    }

    /** Makes what is there before; returns who begin. */
    static List<SimClient> prepare(SimulatedRun run) {
        SimClient first = run.client();
        run.finish(first.mkdirs("/a/a", 2));
        run.finish(first.mkdirs("/b/c", 1));
        for (String path : List.of("/f0", "/a/f1", "/a/f3", "/b/f0", "/b/f1", "/b/f2")) {
            run.finish(first.create(path, false, 0));
            run.finish(first.close(first.writing().get(0)));
        }
        run.finish(first.renameFile("/a/f3", "/b/far", false));
        SimClient second = run.client();
        run.finish(second.create("/a/open", false, 1));
        return List.of(first, second);
    }
}
