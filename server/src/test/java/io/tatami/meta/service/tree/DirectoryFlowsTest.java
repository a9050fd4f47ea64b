package io.tatami.meta.service.tree;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.DirectoryId;
import io.tatami.base.ErrorCode;
import io.tatami.base.GroupId;
import io.tatami.base.SessionId;
import io.tatami.base.TatamiException;
import io.tatami.files.CrashPoint;
import io.tatami.meta.op.tree.ShardsOfHandles;
import io.tatami.meta.service.RequestOrigin;
import io.tatami.meta.state.Caller;
import io.tatami.protocol.MetaMethods;
import io.tatami.protocol.wire.AttributeChange;
import io.tatami.protocol.wire.ContentSummaryReply;
import io.tatami.protocol.wire.DeleteDirectoryRequest;
import io.tatami.protocol.wire.GetDirectoriesRequest;
import io.tatami.protocol.wire.LocateDirectoryReply;
import io.tatami.protocol.wire.MkdirsRequest;
import io.tatami.protocol.wire.RenameDirectoryRequest;
import io.tatami.protocol.wire.ResolveReply;
import io.tatami.protocol.wire.SignedHandle;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

class DirectoryFlowsTest {
    private TreeCluster cluster;
    private TreeClient root;

    @BeforeEach
    void open() throws TatamiException {
        cluster = new TreeCluster(Runnable::run);
        root = TreeClient.root(cluster);
    }

    @AfterEach
    void disarm() {
        CrashPoint.listen(null);
    }

    @Test
    void mkdirsMakesEveryMissingDirectoryAndSaysWhetherItMadeOne() throws TatamiException {
        assertTrue(root.mkdirs("/a/b/c", 0700));
        assertFalse(root.mkdirs("/a/b/c"));
        assertTrue(root.isDirectory("/a/b"));
        assertEquals(0700, root.status("/a/b/c").getAttributes().getMode());
        assertEquals("root", root.status("/a").getAttributes().getOwner());
        assertFalse(root.isDirectory("/a/b/c/d"));
    }

    @Test
    void directoriesOnTheWayCanAlwaysBeEnteredByTheirOwner() throws TatamiException {
        root.mkdirs("/a/b", 01444);
        assertEquals(0744, root.status("/a").getAttributes().getMode());
        assertEquals(01444, root.status("/a/b").getAttributes().getMode());
    }

    @Test
    void mkdirWithoutParentsNeedsTheParent() throws TatamiException {
        assertFailure(ErrorCode.NOT_FOUND, () -> root.mkdir("/a/b"));
        assertTrue(root.mkdir("/a"));
        assertTrue(root.mkdir("/a/b"));
    }

    @Test
    void fileInTheWayOfMkdirsIsToldApart() throws TatamiException {
        root.create("/f");
        assertFailure(ErrorCode.ALREADY_EXISTS, () -> root.mkdirs("/f"));
        assertFailure(ErrorCode.NOT_A_DIRECTORY, () -> root.mkdirs("/f/g"));
        assertFailure(ErrorCode.NOT_A_DIRECTORY, () -> root.mkdir("/f/g"));
        TreeClient ann = TreeClient.user(cluster, "ann");
        assertFailure(ErrorCode.ALREADY_EXISTS, () -> ann.mkdirs("/f"));
        assertFailure(ErrorCode.PERMISSION_DENIED, () -> ann.mkdirs("/g"));
    }

    @Test
    void fileIsNotMadeWhereADirectoryIs() throws TatamiException {
        root.mkdirs("/a/b");
        assertFailure(ErrorCode.IS_A_DIRECTORY, () -> root.create("/a"));
        assertFailure(ErrorCode.IS_A_DIRECTORY, () -> root.create("/a/b"));
    }

    @Test
    void nameIsFreeForFilesOnceItsDirectoryIsGone() throws TatamiException {
        root.mkdirs("/a");
        root.delete("/a", false);
        root.create("/a");
        root.mkdirs("/b/c");
        root.rename("/b/c", "/b/d", false);
        root.create("/b/c");
        assertFailure(ErrorCode.IS_A_DIRECTORY, () -> root.create("/b/d"));
    }

    @Test
    void invalidPathsAreRefused() {
        for (String path : List.of("a", "/a//b", "/a/", "/a/../b", "/a/./b", "")) {
            assertFailure(ErrorCode.INVALID_ARGUMENT, () -> root.mkdirs(path));
        }
        assertFailure(ErrorCode.PATH_TOO_LONG, () -> root.mkdirs("/" + "x".repeat(256)));
        assertFailure(ErrorCode.PATH_TOO_LONG, () -> root.mkdirs("/xxxxxxxxx".repeat(801)));
    }

    @Test
    void renameTakesTheSubtreeAlong() throws TatamiException {
        root.mkdirs("/a/b/c");
        root.create("/a/b/f");
        long id = root.status("/a/b").getId();
        root.mkdirs("/x");
        root.rename("/a/b", "/x/y", false);
        assertEquals(id, root.status("/x/y").getId());
        assertTrue(root.isDirectory("/x/y/c"));
        assertFalse(root.isDirectory("/a/b"));
        assertFailure(ErrorCode.ALREADY_EXISTS, () -> root.create("/x/y/f"));
    }

    @Test
    void directoryIsLocatedByItsIdUntilItIsGoneWithWhatIsAboveIt() throws TatamiException {
        root.mkdirs("/a/d");
        root.mkdirs("/b");
        long b = root.status("/b").getId();
        long d = root.status("/a/d").getId();
        assertEquals(
                List.of(DirectoryId.ROOT.value(), root.status("/a").getId(), d),
                root.locate(d).getPathIdList());
        root.rename("/a/d", "/b/d", false);
        LocateDirectoryReply moved = root.locate(d);
        assertEquals(List.of(DirectoryId.ROOT.value(), b, d), moved.getPathIdList());
        root.delete("/b", true);
        LocateDirectoryReply gone = root.locate(d);
        assertEquals(0, gone.getPathIdCount());
        assertTrue(moved.getVersion() > 0 && gone.getVersion() > moved.getVersion());
    }

    @Test
    void renameRefusesWhatHdfsRefuses() throws TatamiException {
        root.mkdirs("/a/b");
        root.mkdirs("/full/sub");
        root.mkdirs("/files");
        root.create("/files/f");
        root.create("/f");
        assertFailure(ErrorCode.NOT_FOUND, () -> root.rename("/none", "/x", false));
        assertFailure(ErrorCode.NOT_FOUND, () -> root.rename("/a", "/none/x", false));
        assertFailure(ErrorCode.NOT_A_DIRECTORY, () -> root.rename("/a", "/f/x/y", false));
        assertFailure(ErrorCode.INVALID_ARGUMENT, () -> root.rename("/", "/x", false));
        assertFailure(ErrorCode.INVALID_ARGUMENT, () -> root.rename("/a", "/", true));
        assertFailure(ErrorCode.INVALID_ARGUMENT, () -> root.rename("/a", "/a/b/c", false));
        assertFailure(ErrorCode.INVALID_ARGUMENT, () -> root.rename("/a", "/f", true));
        assertFailure(ErrorCode.ALREADY_EXISTS, () -> root.rename("/a", "/a", true));
        assertFailure(ErrorCode.ALREADY_EXISTS, () -> root.rename("/a", "/full", false));
        assertFailure(ErrorCode.NOT_EMPTY, () -> root.rename("/a", "/full", true));
        assertFailure(ErrorCode.NOT_EMPTY, () -> root.rename("/a", "/files", true));
        assertTrue(root.isDirectory("/a/b"));
        root.create("/files/g");
    }

    @Test
    void renameReplacesAnEmptyDirectoryAtOnce() throws TatamiException {
        root.mkdirs("/a/b");
        root.mkdirs("/x");
        SignedHandle old = root.resolve("/x").getHandle();
        root.rename("/a", "/x", true);
        assertTrue(root.isDirectory("/x/b"));
        assertFalse(root.isDirectory("/a"));
        assertFailure(ErrorCode.STALE_HANDLE, () -> root.createThrough(old, "f"));
        assertFailure(ErrorCode.IS_A_DIRECTORY, () -> root.create("/x"));
        cluster.rest();
        assertFailure(ErrorCode.IS_A_DIRECTORY, () -> root.create("/x/b"));
    }

    @Test
    void oldHandlesAreStaleAfterEveryChangeOfAnAncestor() throws TatamiException {
        root.mkdirs("/a/b");
        SignedHandle first = root.resolve("/a/b").getHandle();
        root.createThrough(first, "f");
        root.chmod("/a", 0700);
        assertFailure(ErrorCode.STALE_HANDLE, () -> root.createThrough(first, "g"));
        SignedHandle second = root.resolve("/a/b").getHandle();
        root.createThrough(second, "g");
        root.rename("/a", "/c", false);
        assertFailure(ErrorCode.STALE_HANDLE, () -> root.createThrough(second, "h"));
        SignedHandle third = root.resolve("/c/b").getHandle();
        root.mkdirs("/c/b/d/e");
        root.createThrough(third, "h");
        root.delete("/c", true);
        assertFailure(ErrorCode.STALE_HANDLE, () -> root.createThrough(third, "i"));
    }

    @Test
    void resolveStopsAtTheDeepestDirectory() throws TatamiException {
        root.mkdirs("/a/b");
        assertEquals(0, root.resolve("/").getResolvedComponents());
        assertEquals(2, root.resolve("/a/b").getResolvedComponents());
        assertEquals(2, root.resolve("/a/b/f/g").getResolvedComponents());
        root.chmod("/a", 0700);
        TreeClient ann = TreeClient.user(cluster, "ann");
        assertEquals(1, ann.resolve("/a").getResolvedComponents());
        assertFailure(ErrorCode.PERMISSION_DENIED, () -> ann.resolve("/a/b"));
    }

    @Test
    void deleteWithoutRecursionTakesOnlyEmptyDirectories() throws TatamiException {
        root.mkdirs("/a/b");
        root.mkdirs("/c");
        root.create("/c/f");
        assertFailure(ErrorCode.NOT_EMPTY, () -> root.delete("/a", false));
        assertFailure(ErrorCode.NOT_EMPTY, () -> root.delete("/c", false));
        assertFailure(ErrorCode.NOT_FOUND, () -> root.delete("/d", false));
        assertFailure(ErrorCode.INVALID_ARGUMENT, () -> root.delete("/", true));
        root.create("/c/g");
        root.delete("/a/b", false);
        root.delete("/a", false);
        assertFalse(root.isDirectory("/a"));
    }

    @Test
    void recursiveDeletionLeavesNothingInTreeOrShards() throws TatamiException {
        for (int i = 0; i < 40; i++) {
            root.mkdirs("/a/d" + i + "/e");
            root.create("/a/d" + i + "/f");
        }
        root.delete("/a", true);
        cluster.rest();
        cluster.readTree(tree -> assertFalse(tree.hasChildren(new DirectoryId(1))));
        cluster.readTree(tree -> assertEquals(List.of(), tree.intents(0, 10)));
        for (int shard = 0; shard < TreeCluster.SHARDS; shard++) {
            cluster.readShard(GroupId.ofShard(shard), state -> {
                for (long id = 1; id < 200; id++) {
                    assertEquals(List.of(), TestFiles.names(state, new DirectoryId(id)));
                }
            });
        }
    }

    @Test
    void deletionChecksWhatHdfsChecks() throws TatamiException {
        TreeClient ann = TreeClient.user(cluster, "ann");
        TreeClient bob = TreeClient.user(cluster, "bob");
        root.mkdirs("/tmp", 01777);
        ann.mkdirs("/tmp/ann");
        assertFailure(ErrorCode.PERMISSION_DENIED, () -> bob.delete("/tmp/ann", true));
        root.mkdirs("/open", 0777);
        ann.mkdirs("/open/x", 0777);
        ann.mkdirs("/open/x/sub", 0700);
        assertFailure(ErrorCode.PERMISSION_DENIED, () -> ann.delete("/tmp", true));
        bob.delete("/open/x", true);
        assertFalse(root.isDirectory("/open/x"));
        ann.mkdirs("/open/y", 0777);
        ann.mkdirs("/open/y/sub", 0700);
        ann.create("/open/y/sub/f");
        assertFailure(ErrorCode.PERMISSION_DENIED, () -> bob.delete("/open/y", true));
        ann.delete("/open/y", true);
    }

    @Test
    void stickyDirectoriesBelowKeepTheFilesOfOthers() throws TatamiException {
        TreeClient ann = TreeClient.user(cluster, "ann");
        TreeClient bob = TreeClient.user(cluster, "bob");
        root.mkdirs("/open", 0777);
        ann.mkdirs("/open/top", 0777);
        root.mkdirs("/open/top/sticky", 01777);
        bob.create("/open/top/sticky/mine");
        assertFailure(ErrorCode.PERMISSION_DENIED, () -> ann.delete("/open/top", true));
        bob.delete("/open/top", true);
        assertFalse(root.isDirectory("/open/top"));
    }

    @Test
    void renameOutOfAStickyDirectoryIsForOwners() throws TatamiException {
        TreeClient ann = TreeClient.user(cluster, "ann");
        TreeClient bob = TreeClient.user(cluster, "bob");
        root.mkdirs("/tmp", 01777);
        ann.mkdirs("/tmp/ann");
        assertFailure(ErrorCode.PERMISSION_DENIED, () -> bob.rename("/tmp/ann", "/tmp/bob", false));
        ann.rename("/tmp/ann", "/tmp/anna", false);
        assertTrue(root.isDirectory("/tmp/anna"));
    }

    @Test
    void replacingInAStickyDirectoryIsForOwners() throws TatamiException {
        TreeClient ann = TreeClient.user(cluster, "ann");
        TreeClient bob = TreeClient.user(cluster, "bob");
        root.mkdirs("/tmp", 01777);
        ann.mkdirs("/tmp/ann");
        bob.mkdirs("/tmp/bob");
        assertFailure(ErrorCode.PERMISSION_DENIED, () -> bob.rename("/tmp/bob", "/tmp/ann", true));
        root.rename("/tmp/bob", "/tmp/ann", true);
        assertFalse(root.isDirectory("/tmp/bob"));
    }

    @Test
    void setTimesResetsWhatTheSharesKnow() throws TatamiException {
        root.mkdirs("/a");
        root.create("/a/f");
        root.change("/a", AttributeChange.newBuilder().setModifiedMillis(5).build());
        assertEquals(5, root.status("/a").getAttributes().getModifiedMillis());
        long id = root.status("/a").getId();
        for (int shard = 0; shard < TreeCluster.SHARDS; shard++) {
            cluster.readShard(
                    GroupId.ofShard(shard),
                    state -> assertEquals(0, state.slice(new DirectoryId(id)).getLastChangeMillis()));
        }
    }

    @Test
    void parentsAreModifiedByMkdirRenameAndDelete() throws TatamiException {
        root.mkdirs("/a");
        root.mkdirs("/b");
        long before = modified("/a");
        root.mkdirs("/a/x");
        assertTrue(modified("/a") > before);
        before = modified("/a");
        long beforeOther = modified("/b");
        root.rename("/a/x", "/b/x", false);
        assertTrue(modified("/a") > before);
        assertTrue(modified("/b") > beforeOther);
        beforeOther = modified("/b");
        root.delete("/b/x", false);
        assertTrue(modified("/b") > beforeOther);
    }

    @Test
    void contentSummaryCountsFilesDirectoriesAndBytes() throws TatamiException {
        root.mkdirs("/a/b/c");
        root.create("/a/file");
        root.create("/a/b/c/f");
        ContentSummaryReply sum = root.summary("/a");
        assertEquals(3, sum.getDirectories());
        assertEquals(2, sum.getFiles());
        assertEquals(5, sum.getLength());
        root.chmod("/a/b/c", 0700);
        TreeClient ann = TreeClient.user(cluster, "ann");
        assertFailure(ErrorCode.PERMISSION_DENIED, () -> ann.summary("/a"));
        assertFailure(ErrorCode.NOT_FOUND, () -> root.summary("/none"));
    }

    /** The shard that had it hears of the rename after the client. */
    @Test
    void aFileThatWasRenamedIntoAnotherShardIsSummedUpOnce() throws TatamiException {
        root.mkdirs("/a/from");
        root.create("/a/from/f");
        GroupId source = root.shardOf(root.resolve("/a/from").getHandle(), "f");
        String destination = directoryElsewhere("/a/to", source);
        CrashPoint.listen(name -> {
            if (name.equals("meta.move.committed")) {
                cluster.silent.add(source);
            }
        });
        root.renameFile("/a/from/f", destination + "/f");
        cluster.silent.clear();

        ContentSummaryReply sum = root.summary("/a");
        assertEquals(1, sum.getFiles());
        assertEquals(1, sum.getLength());
        assertEquals(0, root.summary("/a/from").getFiles());
    }

    /** One of {@code prefix0, prefix1...} whose files are in another shard. */
    private String directoryElsewhere(String prefix, GroupId shard) throws TatamiException {
        for (int i = 0; ; i++) {
            root.mkdirs(prefix + i);
            if (!root.shardOf(root.resolve(prefix + i).getHandle(), "f").equals(shard)) {
                return prefix + i;
            }
        }
    }

    @Test
    void largeSubtreesAreWalkedPageByPage() throws TatamiException {
        for (int i = 0; i < 4_200; i++) {
            root.mkdirs(i % 100 == 0 ? "/a/d" + i + "/e/f" : "/a/d" + i);
        }
        root.create("/a/d4100/e/f/file");
        assertEquals(1 + 4_200 + 2 * 42, root.summary("/a").getDirectories());
        assertEquals(1, root.summary("/a").getFiles());
    }

    @Test
    void aCountOfALargeSubtreeRestsAndGoesOnForWhoBeganIt() throws TatamiException {
        for (int i = 0; i < 4_500; i++) {
            root.mkdirs("/a/d" + i);
        }
        ContentSummaryReply begun = root.summary("/a", 0);
        assertNotEquals(0, begun.getUnfinished());
        assertTrue(begun.getDirectories() < 4_501, () -> "it counted all at once: " + begun);

        // Somebody else, another path, or a server that forgot: it begins anew.
        TreeClient ann = TreeClient.user(cluster, "ann");
        assertEquals(
                begun.getDirectories(), ann.summary("/a", begun.getUnfinished()).getDirectories());
        assertEquals(1, root.summary("/a/d7", begun.getUnfinished()).getDirectories());

        ContentSummaryReply rest = root.summary("/a", begun.getUnfinished());
        assertEquals(4_501, rest.getDirectories());
        assertEquals(0, rest.getUnfinished());

        ContentSummaryReply lost = root.summary("/a", 0);
        cluster.restart();
        assertEquals(
                begun.getDirectories(), root.summary("/a", lost.getUnfinished()).getDirectories());
    }

    @Test
    void deletionAndRenameAreAnsweredBeforeTheOldNameIsFree() throws TatamiException {
        List<Runnable> held = new ArrayList<>();
        boolean[] holds = new boolean[1];
        cluster = new TreeCluster(task -> {
            if (holds[0]) {
                held.add(task);
            } else {
                task.run();
            }
        });
        root = TreeClient.root(cluster);
        root.mkdirs("/a/b");
        root.mkdirs("/a/c");
        cluster.watcher = method -> holds[0] |= method.number() == MetaMethods.SETTLE_MARKER.number();

        CompletableFuture<?> deleted = root.begin(
                MetaMethods.DELETE_DIRECTORY,
                DeleteDirectoryRequest.newBuilder().setPath("/a/b").build());
        assertTrue(deleted.isDone() && !deleted.isCompletedExceptionally());
        holds[0] = false;
        CompletableFuture<?> renamed = root.begin(
                MetaMethods.RENAME_DIRECTORY,
                RenameDirectoryRequest.newBuilder()
                        .setSource("/a/c")
                        .setDestination("/a/d")
                        .build());
        assertTrue(renamed.isDone() && !renamed.isCompletedExceptionally());
        holds[0] = false;
        CompletableFuture<?> again = root.begin(
                MetaMethods.MKDIRS, MkdirsRequest.newBuilder().setPath("/a/b").build());
        assertFalse(again.isDone());

        assertEquals(2, held.size());
        held.forEach(Runnable::run);
        assertTrue(again.isDone() && !again.isCompletedExceptionally());
        assertTrue(root.isDirectory("/a/b"));
        assertFailure(ErrorCode.IS_A_DIRECTORY, () -> root.create("/a/b"));
        root.create("/a/c");
    }

    @Test
    void silentShardWithdrawsChangesAndHoldsNobodyUp() throws TatamiException {
        root.mkdirs("/a/b");
        cluster.silent.add(root.shardOf(root.resolve("/a/b").getHandle(), "f"));
        assertFailure(ErrorCode.BUSY, () -> root.chmod("/a", 0700));
        assertFailure(ErrorCode.BUSY, () -> root.delete("/a", true));
        assertEquals(2, root.resolve("/a/b").getResolvedComponents());
        cluster.silent.clear();
        assertEquals(0755, root.status("/a").getAttributes().getMode());
        root.create("/a/b/f");
        root.chmod("/a", 0700);
    }

    @Test
    void aShardThatHasNothingOfADirectoryOrBelowItIsNotAskedWhenThatChanges() throws TatamiException {
        root.mkdirs("/a/b");
        Set<GroupId> asked = Set.of(
                root.shardOf(root.resolve("/a").getHandle(), "f"),
                root.shardOf(root.resolve("/a/b").getHandle(), "f"));
        for (int shard = 0; shard < TreeCluster.SHARDS; shard++) {
            if (!asked.contains(GroupId.ofShard(shard))) {
                cluster.silent.add(GroupId.ofShard(shard));
            }
        }
        assertFalse(cluster.silent.isEmpty());
        root.chmod("/a", 0700);
        SignedHandle old = root.resolve("/a/b").getHandle();
        root.chmod("/a", 0711);
        assertFailure(ErrorCode.STALE_HANDLE, () -> root.createThrough(old, "f"));
    }

    /** When the rename was planned there was no directory below. */
    @Test
    void aHandleOfADirectoryThatIsMadeJustBeforeARenameIsAnnouncedIsStaleAfterIt() throws TatamiException {
        root.mkdirs("/a");
        List<SignedHandle> old = new ArrayList<>();
        cluster.watcher = method -> {
            if (method.number() == MetaMethods.RESERVE_MARKER.number() && old.isEmpty()) {
                cluster.watcher = made -> {};
                for (int i = 0; i < 2 * TreeCluster.SHARDS; i++) {
                    old.add(handleOfNew("/a/made" + i));
                }
            }
        };
        root.rename("/a", "/b", false);
        assertEquals(2 * TreeCluster.SHARDS, old.size());
        for (SignedHandle handle : old) {
            assertFailure(ErrorCode.STALE_HANDLE, () -> root.createThrough(handle, "f"));
        }
    }

    /** The shard that commits the move has nothing of the directory that the file leaves. */
    @Test
    void aMoveOutOfADirectoryThatIsDeletedMeanwhileIsNotCommittedInAShardThatHasNothingOfIt() throws TatamiException {
        root.mkdirs("/from");
        root.create("/from/f");
        GroupId source = root.shardOf(root.resolve("/from").getHandle(), "f");
        String to = directoryElsewhere("/to", source);
        CrashPoint.listen(name -> {
            if (name.equals("meta.move.prepared")) {
                CrashPoint.listen(null);
                deleteAll("/from");
            }
        });
        assertFailure(ErrorCode.STALE_HANDLE, () -> root.renameFile("/from/f", to + "/f"));
        assertFalse(root.isDirectory("/from"));
        root.create(to + "/f");
    }

    /** The shard that the file would come to hears of no change of the directory that it would leave. */
    @Test
    void aMoveIsNotRefusedByThePermissionsThatADirectoryHadBefore() throws TatamiException {
        TreeClient ann = TreeClient.user(cluster, "ann");
        root.mkdirs("/from");
        root.create("/from/f");
        SignedHandle old = ann.resolve("/from").getHandle();
        String to = directoryElsewhere("/to", root.shardOf(old, "f"));
        root.chmod(to, 0777);
        assertFailure(ErrorCode.PERMISSION_DENIED, () -> ann.renameFileFrom(old, "f", to + "/f"));

        root.chmod("/from", 0777);

        assertFailure(ErrorCode.STALE_HANDLE, () -> ann.renameFileFrom(old, "f", to + "/f"));
        ann.renameFile("/from/f", to + "/f");
    }

    private void deleteAll(String path) {
        try {
            root.delete(path, true);
        } catch (TatamiException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void aHandleThatIsMadeWhileARenameAsksForItsShardsIsStaleAfterIt() throws TatamiException {
        root.mkdirs("/a");
        List<CompletableFuture<ResolveReply>> resolved = new ArrayList<>();
        cluster.afterReads(operation -> {
            if (operation instanceof ShardsOfHandles) {
                cluster.afterReads(other -> {});
                for (int i = 0; i < 2 * TreeCluster.SHARDS; i++) {
                    resolved.add(resolveNew("/a/made" + i));
                }
            }
        });
        root.rename("/a", "/b", false);
        assertEquals(2 * TreeCluster.SHARDS, resolved.size());
        for (CompletableFuture<ResolveReply> reply : resolved) {
            ResolveReply given = reply.join();
            if (given.getResolvedComponents() == 2) {
                assertFailure(ErrorCode.STALE_HANDLE, () -> root.createThrough(given.getHandle(), "f"));
            }
        }
    }

    private CompletableFuture<ResolveReply> resolveNew(String path) {
        try {
            root.mkdirs(path);
            return root.resolveLater(path);
        } catch (TatamiException e) {
            throw new AssertionError(e);
        }
    }

    private SignedHandle handleOfNew(String path) {
        try {
            root.mkdirs(path);
            return root.resolve(path).getHandle();
        } catch (TatamiException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void whoKnowsHowManyNamesWereGivenKnowsWhichDirectoriesWereThere() throws TatamiException {
        root.mkdirs("/a/b");
        root.mkdirs("/d");
        long known = root.resolve("/a").getLinks();
        assertTrue(root.status("/a/b").getLink() <= known);

        root.rename("/d", "/a/d", false);
        assertTrue(root.status("/a/d").getLink() > known);
        assertTrue(root.status("/a/b").getLink() <= known);

        cluster.restart();
        assertTrue(root.status("/a/d").getLink() <= root.resolve("/a").getLinks());
        root.mkdirs("/a/e");
        assertTrue(root.status("/a/e").getLink() > root.status("/a/d").getLink());
    }

    @Test
    void retriedDeletionIsDoneOnce() throws TatamiException {
        root.mkdirs("/a");
        RequestOrigin origin = new RequestOrigin(
                new Caller("root", List.of(), true), new SessionId(7), 1, 0, RequestOrigin.NO_DEADLINE);
        DeleteDirectoryRequest request =
                DeleteDirectoryRequest.newBuilder().setPath("/a").build();
        cluster.call(origin, GroupId.NAMESPACE, MetaMethods.DELETE_DIRECTORY, request);
        assertFalse(root.isDirectory("/a"));
    }

    @Test
    void aCopyOfARequestThatFoundItsDirectoryDoesNotMakeItOnceItIsDeleted() throws TatamiException {
        root.mkdirs("/a");
        RequestOrigin origin = new RequestOrigin(
                new Caller("root", List.of(), true), new SessionId(7), 1, 0, RequestOrigin.NO_DEADLINE);
        MkdirsRequest request = TreeClient.mkdirsRequest("/a", 0755, true);
        for (int copy = 0; copy < 2; copy++) {
            assertFalse(cluster.call(origin, GroupId.NAMESPACE, MetaMethods.MKDIRS, request)
                    .getCreated());
            assertEquals(copy == 0, root.isDirectory("/a"));
            if (copy == 0) {
                root.delete("/a", false);
            }
        }
    }

    /** Hadoop's most common call: nothing is logged where all is there, unless the request was sent before. */
    @Test
    void mkdirsOfADirectoryThatIsThereChangesNothing() throws TatamiException {
        root.mkdirs("/a/b/c");
        long before = cluster.logged(GroupId.NAMESPACE);
        Caller caller = new Caller("root", List.of(), true);
        SessionId session = new SessionId(7);
        for (int number = 1; number <= 100; number++) {
            RequestOrigin first =
                    new RequestOrigin(caller, session, number, number - 1, RequestOrigin.NO_DEADLINE, true, true);
            for (String path : List.of("/a", "/a/b/c")) {
                MkdirsRequest request = TreeClient.mkdirsRequest(path, 0755, true);
                assertFalse(cluster.call(first, GroupId.NAMESPACE, MetaMethods.MKDIRS, request)
                        .getCreated());
            }
        }
        assertEquals(before, cluster.logged(GroupId.NAMESPACE));
        RequestOrigin again = new RequestOrigin(caller, session, 101, 100, RequestOrigin.NO_DEADLINE);
        MkdirsRequest request = TreeClient.mkdirsRequest("/a", 0755, true);
        assertFalse(cluster.call(again, GroupId.NAMESPACE, MetaMethods.MKDIRS, request)
                .getCreated());
        assertTrue(before < cluster.logged(GroupId.NAMESPACE));
    }

    /** A first attempt that was late finds what the attempt after it has found, though the directory is gone by now. */
    @Test
    void firstAttemptThatComesAfterTheNextOneMakesNothing() throws TatamiException {
        root.mkdirs("/a");
        Caller caller = new Caller("root", List.of(), true);
        SessionId session = new SessionId(7);
        MkdirsRequest request = TreeClient.mkdirsRequest("/a", 0755, true);
        RequestOrigin second = new RequestOrigin(caller, session, 1, 0, RequestOrigin.NO_DEADLINE);
        RequestOrigin first = new RequestOrigin(caller, session, 1, 0, RequestOrigin.NO_DEADLINE, true, true);
        assertFalse(cluster.call(second, GroupId.NAMESPACE, MetaMethods.MKDIRS, request)
                .getCreated());
        root.delete("/a", false);
        assertFalse(cluster.call(first, GroupId.NAMESPACE, MetaMethods.MKDIRS, request)
                .getCreated());
        assertFalse(root.isDirectory("/a"));
    }

    @Test
    void clientsWithoutAccessSeeNoDirectoriesById() throws TatamiException {
        root.mkdirs("/secret/inside");
        root.chmod("/secret", 0700);
        long id = root.status("/secret/inside").getId();
        var byId = GetDirectoriesRequest.newBuilder().addDirectoryId(id).build();
        Caller ann = new Caller("ann", List.of(), false);
        Caller superuser = new Caller("root", List.of(), true);
        assertEquals(
                0,
                cluster.call(ann, GroupId.NAMESPACE, MetaMethods.GET_DIRECTORIES, byId)
                        .getStatusCount());
        assertEquals(
                1,
                cluster.call(superuser, GroupId.NAMESPACE, MetaMethods.GET_DIRECTORIES, byId)
                        .getStatusCount());
        var byName = GetDirectoriesRequest.newBuilder()
                .setParentId(root.status("/secret").getId())
                .addName("inside")
                .addName("gone")
                .build();
        assertEquals(
                id,
                cluster.call(superuser, GroupId.NAMESPACE, MetaMethods.GET_DIRECTORIES, byName)
                        .getStatus(0)
                        .getId());
    }

    private long modified(String path) throws TatamiException {
        return root.status(path).getAttributes().getModifiedMillis();
    }

    private static void assertFailure(ErrorCode expected, Executable action) {
        TatamiException failure = assertThrows(TatamiException.class, action);
        assertEquals(expected, failure.code(), failure.toString());
    }
}
