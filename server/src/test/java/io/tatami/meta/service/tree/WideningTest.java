package io.tatami.meta.service.tree;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.DirectoryId;
import io.tatami.base.ErrorCode;
import io.tatami.base.GroupId;
import io.tatami.base.TatamiException;
import io.tatami.files.CrashPoint;
import io.tatami.meta.op.Arrivals;
import io.tatami.meta.state.Caller;
import io.tatami.meta.state.TreeState.Named;
import io.tatami.meta.state.wire.DirectorySliceRecord;
import io.tatami.protocol.MetaMethods;
import io.tatami.protocol.Placement;
import io.tatami.protocol.wire.ContentSummaryReply;
import io.tatami.protocol.wire.ContentSummaryRequest;
import io.tatami.protocol.wire.DeleteFileRequest;
import io.tatami.protocol.wire.Empty;
import io.tatami.protocol.wire.Handle;
import io.tatami.protocol.wire.SignedHandle;
import io.tatami.protocol.wire.WidenDirectoryReply;
import io.tatami.protocol.wire.WidenDirectoryRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

class WideningTest {
    private static final Caller SUPERUSER = new Caller("root", List.of("supergroup"), true);
    private static final String TOP = "/d";
    private static final int FILES = 40;

    private TreeCluster cluster;
    private TreeClient root;
    private DirectoryId directory;

    @BeforeEach
    void open() throws TatamiException {
        cluster = new TreeCluster(Runnable::run);
        root = TreeClient.root(cluster);
        root.mkdirs(TOP, 0777);
        directory = new DirectoryId(root.status(TOP).getId());
    }

    @AfterEach
    void disarm() {
        CrashPoint.listen(null);
    }

    /** At a point that is passed, once. */
    private interface Meanwhile {
        void run() throws TatamiException;
    }

    private static void at(String point, Meanwhile action) {
        CrashPoint.listen(name -> {
            if (name.equals(point)) {
                CrashPoint.listen(null);
                try {
                    action.run();
                } catch (TatamiException e) {
                    throw new IllegalStateException(e);
                }
            }
        });
    }

    private boolean widen(int from) throws TatamiException {
        WidenDirectoryReply reply = cluster.call(
                SUPERUSER,
                GroupId.NAMESPACE,
                MetaMethods.WIDEN_DIRECTORY,
                WidenDirectoryRequest.newBuilder()
                        .setDirectoryId(directory.value())
                        .setFromSpread(from)
                        .build());
        return reply.getWidened();
    }

    private void createFiles(int count) throws TatamiException {
        createFiles(0, count);
    }

    private void createFiles(int from, int to) throws TatamiException {
        for (int i = from; i < to; i++) {
            root.create(TOP + "/f" + i);
        }
    }

    private SignedHandle handle() throws TatamiException {
        return root.resolve(TOP).getHandle();
    }

    private void delete(String name) throws TatamiException {
        SignedHandle signed = handle();
        Handle handle = cluster.signer.open(signed);
        Empty unused = cluster.call(
                SUPERUSER,
                Placement.shardOf(directory, name, handle.getSpread(), TreeCluster.SHARDS),
                MetaMethods.DELETE_FILE,
                DeleteFileRequest.newBuilder().setHandle(signed).setName(name).build());
    }

    /** Asserts that each entry is in its shard and nowhere else, that shares agree, and that nothing is under way. */
    private void assertSettled(int spread, TreeSet<String> names) {
        TreeSet<String> found = new TreeSet<>();
        for (int shard = 0; shard < TreeCluster.SHARDS; shard++) {
            GroupId group = GroupId.ofShard(shard);
            cluster.readShard(group, state -> {
                List<String> here = TestFiles.names(state, directory);
                for (String name : here) {
                    assertEquals(group, Placement.shardOf(directory, name, spread, TreeCluster.SHARDS), name);
                    assertTrue(found.add(name), name + " is there twice");
                }
                DirectorySliceRecord share = state.slice(directory);
                assertEquals(here.size(), share.getFiles(), "in " + group);
                assertEquals(0, share.getMoving(), "in " + group);
            });
        }
        assertEquals(names, found);
        cluster.readTree(tree -> {
            assertNull(tree.widening(directory));
            Named settled = Objects.requireNonNull(tree.find(directory));
            assertEquals(0, settled.record().getWideningFrom());
            assertEquals(spread, settled.record().getSpread());
        });
    }

    private static TreeSet<String> files(int count) {
        return new TreeSet<>(IntStream.range(0, count).mapToObj(i -> "f" + i).toList());
    }

    @Test
    void directoryThatGrowsIsDividedOverMoreShardsByItself() throws TatamiException {
        createFiles(Arrivals.GROWTH_STEP);
        assertEquals(1, root.status(TOP).getSpread());
        noticeAndHandOver();
        assertSettled(2, files(Arrivals.GROWTH_STEP));
        createFiles(Arrivals.GROWTH_STEP, 3 * Arrivals.GROWTH_STEP);
        noticeAndHandOver();
        assertSettled(4, files(3 * Arrivals.GROWTH_STEP));
    }

    @Test
    void directoryThatHasGrownFarAtOnceIsDividedOverAllShardsWithoutAnotherChange() throws TatamiException {
        createFiles(4 * Arrivals.GROWTH_STEP);
        for (int spread = 1; spread < TreeCluster.SHARDS; spread *= 2) {
            noticeAndHandOver();
        }
        assertSettled(TreeCluster.SHARDS, files(4 * Arrivals.GROWTH_STEP));
    }

    @Test
    void clientThatKeepsItsHandleFromTheMiddleOfAWideningBringsAboutTheNext() throws TatamiException {
        createFiles(FILES);
        assertTrue(widen(1));
        SignedHandle kept = handle();
        noticeAndHandOver();
        for (int i = FILES; i < 3 * Arrivals.GROWTH_STEP; i++) {
            root.createThrough(kept, "f" + i);
        }
        noticeAndHandOver();
        assertSettled(4, files(3 * Arrivals.GROWTH_STEP));
    }

    /** The tree's work may come before that of the shards which tell it what there is to do. */
    private void noticeAndHandOver() throws TatamiException {
        cluster.rest();
        cluster.rest();
    }

    @Test
    void directoryIsNotDividedTwiceForOneReasonNorOverMoreShardsThanThereAre() throws TatamiException {
        createFiles(FILES);
        assertTrue(widen(1));
        assertFalse(widen(1));
        assertFalse(widen(2), "entries were still on their way");
        cluster.rest();
        assertFalse(widen(1));
        assertTrue(widen(2));
        cluster.rest();
        assertFalse(widen(4));
        assertSettled(4, files(FILES));
    }

    @Test
    void handleFromBeforeIsRefusedAndSaysSoToAllShards() throws TatamiException {
        SignedHandle before = handle();
        assertTrue(widen(1));
        TatamiException refused = assertThrows(TatamiException.class, () -> root.createThrough(before, "x"));
        assertEquals(ErrorCode.STALE_HANDLE, refused.code());
    }

    @Test
    void entriesAreFetchedByWhoeverNeedsThem() throws TatamiException {
        createFiles(FILES);
        assertTrue(widen(1));
        for (int i = 0; i < FILES; i += 2) {
            delete("f" + i);
        }
        for (int i = 1; i < FILES; i += 2) {
            int taken = i;
            assertEquals(
                    ErrorCode.ALREADY_EXISTS,
                    assertThrows(TatamiException.class, () -> root.create(TOP + "/f" + taken))
                            .code());
        }
        TreeSet<String> odd = files(FILES);
        odd.removeIf(name -> Integer.parseInt(name.substring(1)) % 2 == 0);
        cluster.rest();
        assertSettled(2, odd);
    }

    private void assertSum(int files, String when) throws TatamiException {
        assertSum(files, root.summary("/"), when + ", below another");
        assertSum(files, root.summary(TOP), when);
    }

    private static void assertSum(int files, ContentSummaryReply sum, String when) {
        int bytes = files(files).stream().mapToInt(String::length).sum();
        assertEquals(files, sum.getFiles(), when);
        assertEquals(bytes, sum.getLength(), when);
    }

    @Test
    void everyFileIsSummedUpOnceWhereverTheHandOverIs() throws TatamiException {
        ContentSummaryRequest summary =
                ContentSummaryRequest.newBuilder().setPath(TOP).build();
        for (String point : List.of(
                "meta.widen-directory.announced",
                "meta.widen.fetched",
                "meta.widen.given",
                "meta.widen.arrived",
                "meta.widen-directory.handed-over")) {
            open();
            createFiles(FILES);
            // A sum waits for the step in which it comes.
            List<CompletableFuture<ContentSummaryReply>> summed = new ArrayList<>();
            at(point, () -> summed.add(root.begin(MetaMethods.CONTENT_SUMMARY, summary)));
            assertTrue(widen(1));
            assertSum(FILES, "before anything was given, " + point);
            for (int i = 0; i < FILES; i += 3) {
                int taken = i;
                assertThrows(TatamiException.class, () -> root.create(TOP + "/f" + taken));
            }
            assertSum(FILES, "where some are fetched ahead, " + point);
            cluster.rest();
            assertEquals(1, summed.size(), point);
            assertSum(FILES, TreeCluster.joined(summed.get(0)), point);
            assertSum(FILES, "after " + point);
        }
    }

    @Test
    void everyFileIsSummedUpOnceWhereTheHandOverStopsAtAnyPoint() throws TatamiException {
        for (String point : List.of("meta.widen.given", "meta.widen.arrived")) {
            open();
            createFiles(FILES);
            at(point, () -> {
                throw new IllegalStateException("crash at " + point);
            });
            assertTrue(widen(1));
            assertThrows(TatamiException.class, () -> cluster.rest());
            assertSum(FILES, point);
            cluster.restart();
            assertSum(FILES, point);
            cluster.rest();
            assertSum(FILES, point);
            assertSettled(2, files(FILES));
        }
    }

    /** The tree was asked for the directory before it was divided, and the shards after that. */
    @Test
    void everyFileIsSummedUpOnceWhenTheDirectoryIsDividedMeanwhile() throws TatamiException {
        createFiles(FILES);
        cluster.watcher = method -> {
            if (method == MetaMethods.READ_SHARES) {
                cluster.watcher = ignored -> {};
                try {
                    divideTwice();
                } catch (TatamiException e) {
                    throw new IllegalStateException(e);
                }
            }
        };
        assertSum(FILES, "divided twice since");
        assertSettled(4, files(FILES));
    }

    private void divideTwice() throws TatamiException {
        assertTrue(widen(1));
        cluster.rest();
        assertTrue(widen(2));
        cluster.rest();
    }

    @Test
    void whoeverCrashesAtAnyPointAnotherGoesOn() throws TatamiException {
        for (String point : List.of(
                "meta.widen-directory.announced",
                "meta.widen.given",
                "meta.widen.arrived",
                "meta.widen-directory.handed-over")) {
            open();
            createFiles(FILES);
            at(point, () -> {
                throw new IllegalStateException("crash at " + point);
            });
            assertThrows(TatamiException.class, () -> {
                boolean unused = widen(1);
                cluster.rest();
            });
            cluster.restart();
            if (point.endsWith("announced")) {
                assertTrue(widen(1), point);
            }
            cluster.rest();
            assertSettled(2, files(FILES));
        }
    }

    @Test
    void shardThatDoesNotAnswerKeepsNothingFromGoingOnLater() throws TatamiException {
        createFiles(FILES);
        assertTrue(widen(1));
        int first = Placement.firstShardOf(directory, TreeCluster.SHARDS);
        GroupId giver = GroupId.ofShard(first);
        cluster.silent.add(giver);
        assertThrows(TatamiException.class, () -> cluster.rest());
        cluster.silent.remove(giver);
        cluster.rest();
        assertSettled(2, files(FILES));
    }

    @Test
    void namesOfDirectoriesStayFreeOfFiles() throws TatamiException {
        for (int i = 0; i < 16; i++) {
            root.mkdirs(TOP + "/sub" + i);
        }
        assertTrue(widen(1));
        for (int i = 0; i < 16; i += 2) {
            String taken = TOP + "/sub" + i;
            assertThrows(TatamiException.class, () -> root.create(taken));
            assertFalse(root.mkdirs(taken));
        }
        assertTrue(root.mkdirs(TOP + "/another"));
        cluster.rest();
        assertEquals(18, TreeInspector.inspect(cluster).directories().size());
        for (int i = 0; i < 16; i++) {
            String taken = TOP + "/sub" + i;
            assertThrows(TatamiException.class, () -> root.create(taken));
        }
    }

    @Test
    void nameReservedUnderTheOldSpreadIsReservedAnew() throws TatamiException {
        for (int i = 0; i < 8; i++) {
            int from = i == 0 ? 1 : 2;
            at("meta.mkdirs.reserved", () -> {
                boolean unused = widen(from);
                cluster.rest();
            });
            assertTrue(root.mkdirs(TOP + "/sub" + i));
            TreeInspector.inspect(cluster);
        }
        at("meta.rename-directory.reserved", () -> {
            boolean unused = widen(2);
            cluster.rest();
        });
        root.rename(TOP + "/sub0", TOP + "/renamed", false);
        assertTrue(root.isDirectory(TOP + "/renamed"));
        TreeInspector.inspect(cluster);
    }

    @Test
    void emptyDirectoryOfWhichCopiesAreLeftIsBusyAndNotFull() throws TatamiException {
        createFiles(FILES);
        assertTrue(widen(1));
        at("meta.widen.arrived", () -> {
            for (int i = 0; i < FILES; i++) {
                delete("f" + i);
            }
            assertBusy(() -> root.delete(TOP, false));
        });
        cluster.rest();
        assertSettled(2, new TreeSet<>());
        root.delete(TOP, false);
        assertFalse(root.isDirectory(TOP));
    }

    /** Its shards are asked one after the other, and a file that goes from one to another may be in neither answer. */
    @Test
    void directoryIsNotTakenForEmptyWhileItIsDivided() throws TatamiException {
        root.mkdirs("/e");
        assertTrue(widen(1));
        assertBusy(() -> root.delete(TOP, false));
        assertBusy(() -> root.rename("/e", TOP, true));
        cluster.rest();
        root.rename("/e", TOP, true);
        assertEquals(1, root.status(TOP).getSpread());
    }

    @Test
    void directoryIsNotTakenForEmptyWhenItIsDividedWhileItsShardsAreAsked() throws TatamiException {
        root.mkdirs("/e");
        at("meta.delete-directory.announced", () -> assertTrue(widen(1)));
        assertBusy(() -> root.delete(TOP, false));
        cluster.rest();
        at("meta.rename-directory.announced", () -> assertTrue(widen(2)));
        assertBusy(() -> root.rename("/e", TOP, true));
        cluster.rest();
        assertSettled(4, files(0));
    }

    private static void assertBusy(Executable change) {
        TatamiException refused = assertThrows(TatamiException.class, change);
        assertEquals(ErrorCode.BUSY, refused.code(), refused.toString());
    }

    @Test
    void directoryDeletedOnTheWayIsReclaimedWhole() throws TatamiException {
        for (String point : List.of("meta.widen.given", "meta.widen.arrived", "meta.widen-directory.handed-over")) {
            open();
            createFiles(FILES);
            assertTrue(widen(1));
            at(point, () -> root.delete(TOP, true));
            cluster.rest();
            cluster.rest();
            assertEquals(List.of(), TreeInspector.inspect(cluster).orphans(), point);
            cluster.readTree(tree -> {
                assertNull(tree.widening(directory), point);
                assertEquals(List.of(), tree.intents(0, 1), point);
            });
        }
    }
}
