package io.tatami.meta.service.tree;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.ErrorCode;
import io.tatami.base.SessionId;
import io.tatami.base.TatamiException;
import io.tatami.meta.service.RequestOrigin;
import io.tatami.meta.service.tree.flow.RestingWalks;
import io.tatami.meta.state.Caller;
import io.tatami.protocol.MetaMethods;
import io.tatami.protocol.wire.AttributeChange;
import io.tatami.protocol.wire.DeleteDirectoryReply;
import io.tatami.protocol.wire.LocateDirectoryReply;
import io.tatami.protocol.wire.MkdirsReply;
import io.tatami.protocol.wire.RenameDirectoryRequest;
import io.tatami.protocol.wire.ResolveReply;
import io.tatami.protocol.wire.ResolveRequest;
import io.tatami.protocol.wire.SetDirectoryAttributesRequest;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** Ann deletes {@code /open/a}, which is hers and has more below it than one request looks at. */
class LargeDeletionTest {
    private static final String TOP = "/open/a";
    private static final long DELETION = 77;

    private TreeCluster cluster;
    private TreeClient root;
    private TreeClient ann;
    private TreeClient bob;

    @BeforeEach
    void open() throws TatamiException {
        cluster = new TreeCluster(Runnable::run);
        root = TreeClient.root(cluster);
        ann = TreeClient.user(cluster, "ann");
        bob = TreeClient.user(cluster, "bob");
        root.mkdirs("/open", 0777);
        for (int i = 0; i < 90; i++) {
            ann.mkdirs(TOP + "/d" + i + "/d".repeat(100), 0777);
        }
        ann.chmod(TOP, 0777);
    }

    private boolean isUnfinished() throws TatamiException {
        return TreeCluster.joined(ann.deletePart(TOP, DELETION)).getUnfinished();
    }

    /** Until nothing is left to be looked at; how many requests that took. */
    private int deleteToEnd() throws TatamiException {
        int requests = 1;
        while (isUnfinished()) {
            assertTrue(root.isDirectory(TOP));
            requests++;
        }
        return requests;
    }

    @Test
    void isThereUntilTheLastRequestAndThenGone() throws TatamiException {
        assertEquals(3, deleteToEnd());
        assertFalse(root.isDirectory(TOP));
        cluster.rest();
        assertEquals(List.of("/open"), TreeInspector.inspect(cluster).directories());
        assertEquals(List.of(), TreeInspector.inspect(cluster).orphans());
    }

    @Test
    void whoAsksForOneReplyGetsIt() throws TatamiException {
        ann.delete(TOP, true);
        assertFalse(root.isDirectory(TOP));
    }

    @Test
    void whatIsBelowIsLocatedMeanwhileWithoutAVersion() throws TatamiException {
        long below = root.status(TOP + "/d0/d").getId();
        assertTrue(isUnfinished());
        LocateDirectoryReply meanwhile = root.locate(below);
        assertEquals(5, meanwhile.getPathIdCount());
        assertEquals(0, meanwhile.getVersion());
        deleteToEnd();
        assertEquals(0, root.locate(below).getPathIdCount());
    }

    @Test
    void superuserNeedsOneRequest() throws TatamiException {
        assertFalse(TreeCluster.joined(root.deletePart(TOP, DELETION)).getUnfinished());
        assertFalse(root.isDirectory(TOP));
    }

    @Test
    void whatIsOfAnotherDeepInItRefusesAllWithTheSameWords() throws TatamiException {
        // One is met by the first request and one by the last.
        for (String there : List.of("/d0", "/d89")) {
            String foreign = TOP + there + "/d".repeat(100) + "/bobs";
            bob.mkdirs(foreign, 0700);
            bob.mkdirs(foreign + "/inside", 0700);
            List<String> before = TreeInspector.inspect(cluster).directories();
            TatamiException inParts = assertThrows(TatamiException.class, this::deleteToEnd);
            TatamiException atOnce = assertThrows(TatamiException.class, () -> ann.delete(TOP, true));
            assertEquals(ErrorCode.PERMISSION_DENIED, inParts.code());
            assertEquals(atOnce.getMessage(), inParts.getMessage());
            assertEquals(before, TreeInspector.inspect(cluster).directories());
            ann.create(TOP + "/file" + there.substring(1));
            bob.delete(foreign, true);
        }
        deleteToEnd();
        assertFalse(root.isDirectory(TOP));
    }

    @Test
    void nothingIsPutIntoItOrProtectedWhileTheDeletionRests() throws TatamiException {
        bob.mkdirs("/open/mine/below");
        assertTrue(isUnfinished());
        CompletableFuture<MkdirsReply> made =
                bob.begin(MetaMethods.MKDIRS, TreeClient.mkdirsRequest(TOP + "/d0/bobs", 0700, false));
        CompletableFuture<?> renamed = bob.begin(
                MetaMethods.RENAME_DIRECTORY,
                RenameDirectoryRequest.newBuilder()
                        .setSource("/open/mine")
                        .setDestination(TOP + "/mine")
                        .build());
        CompletableFuture<?> protectedBy = root.begin(
                MetaMethods.SET_DIRECTORY_ATTRIBUTES,
                SetDirectoryAttributesRequest.newBuilder()
                        .setPath(TOP + "/d0")
                        .setChange(AttributeChange.newBuilder().setMode(0700).setOwner("bob"))
                        .build());
        CompletableFuture<ResolveReply> resolved = bob.begin(
                MetaMethods.RESOLVE,
                ResolveRequest.newBuilder().setPath(TOP + "/d0").build());
        List<CompletableFuture<?>> waiting = List.of(made, renamed, protectedBy, resolved);
        waiting.forEach(change -> assertFalse(change.isDone()));
        bob.mkdirs("/open/elsewhere");

        deleteToEnd();
        assertEquals(1, TreeCluster.joined(resolved).getResolvedComponents());
        for (CompletableFuture<?> late : List.of(made, renamed, protectedBy)) {
            assertNotFound(() -> TreeCluster.joined(late));
        }
        assertTrue(root.isDirectory("/open/mine/below"));
    }

    @Test
    void whoDoesNotComeAgainLeavesNothingLockedAndNothingDeleted() throws TatamiException {
        List<String> before = TreeInspector.inspect(cluster).directories();
        assertTrue(isUnfinished());
        CompletableFuture<?> renamed = ann.begin(
                MetaMethods.RENAME_DIRECTORY,
                RenameDirectoryRequest.newBuilder()
                        .setSource(TOP)
                        .setDestination("/open/b")
                        .build());
        cluster.rest();
        assertFalse(renamed.isDone());
        assertEquals(before, TreeInspector.inspect(cluster).directories());

        cluster.clock.goAhead(RestingWalks.REST_MAX);
        cluster.rest();
        TreeCluster.joined(renamed);
        bob.create("/open/b/f");
        bob.mkdirs("/open/b/d0/bobs");
        assertEquals(
                before.size() + 1, TreeInspector.inspect(cluster).directories().size());
        assertNotFound(this::isUnfinished);
    }

    @Test
    void deletionThatWasForgottenBeginsAnew() throws TatamiException {
        assertTrue(isUnfinished());
        assertTrue(isUnfinished());
        cluster.clock.goAhead(RestingWalks.REST_MAX);
        cluster.rest();
        assertEquals(3, deleteToEnd());
        assertFalse(root.isDirectory(TOP));
    }

    @Test
    void leaderThatBeginsAnewBeginsTheDeletionAnew() throws TatamiException {
        List<String> before = TreeInspector.inspect(cluster).directories();
        assertTrue(isUnfinished());
        assertTrue(isUnfinished());
        cluster.restart();
        assertEquals(before, TreeInspector.inspect(cluster).directories());
        bob.mkdirs(TOP + "/d0/bobs");
        assertEquals(3, deleteToEnd());
        assertFalse(root.isDirectory(TOP));
    }

    @Test
    void requestWhoseReplyWasLostGoesOnUnderTheSameNumber() throws TatamiException {
        Caller caller = new Caller("ann", List.of(), false);
        RequestOrigin first = new RequestOrigin(caller, new SessionId(7), 1, 0, RequestOrigin.NO_DEADLINE);
        RequestOrigin second = new RequestOrigin(caller, new SessionId(7), 2, 1, RequestOrigin.NO_DEADLINE);
        assertTrue(TreeCluster.joined(ann.deletePart(first, TOP, DELETION)).getUnfinished());
        assertTrue(TreeCluster.joined(ann.deletePart(first, TOP, DELETION)).getUnfinished());
        assertFalse(TreeCluster.joined(ann.deletePart(second, TOP, DELETION)).getUnfinished());
        assertFalse(root.isDirectory(TOP));
    }

    @Test
    void goesOnForNobodyElse() throws TatamiException {
        assertTrue(isUnfinished());
        CompletableFuture<DeleteDirectoryReply> bobs = bob.deletePart(TOP, DELETION);
        CompletableFuture<DeleteDirectoryReply> other = ann.deletePart(TOP, DELETION + 1);
        assertFalse(bobs.isDone());
        assertFalse(other.isDone());
        assertTrue(isUnfinished());
        assertFalse(isUnfinished());
        for (CompletableFuture<DeleteDirectoryReply> late : List.of(bobs, other)) {
            assertNotFound(() -> TreeCluster.joined(late));
        }
    }

    private static void assertNotFound(Executable action) {
        assertEquals(
                ErrorCode.NOT_FOUND, assertThrows(TatamiException.class, action).code());
    }
}
