package io.tatami.meta.op.tree;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.DirectoryId;
import io.tatami.base.ErrorCode;
import io.tatami.meta.op.tree.wire.CommitDeleteRequest;
import io.tatami.meta.state.MemoryView;
import io.tatami.meta.state.wire.IntentRecord;
import io.tatami.protocol.wire.DeleteDirectoryRequest;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The deletion of {@code /a}, with and without {@code /a/b}. */
final class CommitDeleteTest {
    private final MemoryTree tree = new MemoryTree();
    private final DirectoryId a = tree.make(DirectoryId.ROOT, "a");

    @Test
    void deletedDirectoryLeavesTheTreeAndAnIntentForItsShards() throws Exception {
        tree.nowMillis = 5_000;
        tree.run(new CommitDelete(), deletion(false).build());
        assertNull(tree.state().find(a));
        assertEquals(List.of(a.value()), tree.unhooked());
        IntentRecord intent = tree.state().intents(0, 1).get(0).record();
        assertEquals(MemoryTree.SPREAD, intent.getSpread());
        assertEquals(5_000, tree.modifiedMillis(DirectoryId.ROOT));
    }

    @Test
    void repeatedDeletionFindsNothingAndAddsNoIntent() throws Exception {
        tree.run(new CommitDelete(), deletion(false).build());
        MemoryView before = tree.copy();
        assertEquals(
                ErrorCode.NOT_FOUND,
                tree.refusal(new CommitDelete(), deletion(false).build()).code());
        assertTrue(tree.isAsIn(before));
    }

    @Test
    void directoryWithSubdirectoriesIsDeletedOnlyRecursively() throws Exception {
        DirectoryId b = tree.make(a, "b");
        assertEquals(
                ErrorCode.NOT_EMPTY,
                tree.refusal(new CommitDelete(), deletion(false).build()).code());
        tree.run(new CommitDelete(), deletion(true).build());
        assertEquals(List.of(a.value()), tree.unhooked());
        assertEquals(b.value(), tree.record(a, "b").getDirectoryId(), "what is below goes later, step by step");
    }

    @Test
    void anotherDirectoryUnderThePathIsNotDeleted() throws Exception {
        tree.run(new CommitDelete(), deletion(false).build());
        DirectoryId other = tree.make(DirectoryId.ROOT, "a");
        assertInstanceOf(
                PlanOutdatedException.class,
                tree.refusal(new CommitDelete(), deletion(true).build()));
        assertEquals(other.value(), tree.record(DirectoryId.ROOT, "a").getDirectoryId());
    }

    /** The shards that were asked whether they hold a file of it are not all of its shards any more. */
    @Test
    void directoryThatWasWidenedMeanwhileIsNotDeleted() throws Exception {
        assertInstanceOf(
                PlanOutdatedException.class,
                tree.refusal(
                        new CommitDelete(),
                        deletion(false).setSpread(MemoryTree.SPREAD / 2).build()));
        assertEquals(List.of(), tree.unhooked());
    }

    @Test
    void onlyWhoMayWriteTheParentDeletes() throws Exception {
        tree.caller = MemoryTree.BOB;
        assertEquals(
                ErrorCode.PERMISSION_DENIED,
                tree.refusal(new CommitDelete(), deletion(true).build()).code());
    }

    @Test
    void rootIsNeverDeleted() throws Exception {
        CommitDeleteRequest ofRoot = CommitDeleteRequest.newBuilder()
                .setRequest(DeleteDirectoryRequest.newBuilder().setPath("/").setRecursive(true))
                .setDirectoryId(DirectoryId.ROOT.value())
                .setSpread(1)
                .build();
        assertEquals(
                ErrorCode.INVALID_ARGUMENT,
                tree.refusal(new CommitDelete(), ofRoot).code());
    }

    private CommitDeleteRequest.Builder deletion(boolean recursive) {
        return CommitDeleteRequest.newBuilder()
                .setRequest(DeleteDirectoryRequest.newBuilder().setPath("/a").setRecursive(recursive))
                .setDirectoryId(a.value())
                .setSpread(MemoryTree.SPREAD);
    }
}
