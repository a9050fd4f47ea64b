package io.tatami.meta.op.tree;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.DirectoryId;
import io.tatami.base.ErrorCode;
import io.tatami.meta.op.tree.wire.CommitMkdirsRequest;
import io.tatami.meta.state.MemoryView;
import io.tatami.meta.state.wire.DirectoryRecord;
import io.tatami.protocol.wire.CreateModes;
import io.tatami.protocol.wire.MkdirsRequest;
import org.junit.jupiter.api.Test;

/** Making {@code /a/b/c}, where {@code /a} exists. */
final class CommitMkdirsTest {
    private final MemoryTree tree = new MemoryTree();
    private final DirectoryId a = tree.make(DirectoryId.ROOT, "a");

    @Test
    void allMissingDirectoriesAreMadeAtOnce() throws Exception {
        tree.nowMillis = 5_000;
        assertTrue(tree.run(new CommitMkdirs(), commit().build()).getCreated());
        DirectoryRecord b = tree.record(a, "b");
        DirectoryRecord c = tree.record(new DirectoryId(100), "c");
        assertEquals(100, b.getDirectoryId());
        assertEquals(101, c.getDirectoryId());
        assertEquals(4, c.getSpread());
        assertEquals("alice", c.getAttributes().getOwner());
        assertEquals("users", c.getAttributes().getGroup());
        assertEquals(0500, c.getAttributes().getMode());
        assertEquals(0700, b.getAttributes().getMode(), "the way can be gone on");
        assertEquals(5_000, tree.modifiedMillis(a));
    }

    @Test
    void repeatedRequestMakesNothing() throws Exception {
        tree.run(new CommitMkdirs(), commit().build());
        MemoryView before = tree.copy();
        tree.nowMillis = 9_000;
        assertFalse(tree.run(new CommitMkdirs(), commit().build()).getCreated());
        assertTrue(tree.isAsIn(before));
    }

    @Test
    void directoryThatCameMeanwhileMakesThePlanOutdated() throws Exception {
        tree.make(a, "b");
        assertInstanceOf(PlanOutdatedException.class, tree.refusal(new CommitMkdirs(), commit().build()));
    }

    /** The name was reserved in the shard that owned it before. */
    @Test
    void parentThatWasWidenedMakesThePlanOutdated() throws Exception {
        CommitMkdirsRequest narrower =
                commit().setBaseSpread(MemoryTree.SPREAD / 2).build();
        assertInstanceOf(PlanOutdatedException.class, tree.refusal(new CommitMkdirs(), narrower));
        assertNull(tree.state().directory(a, "b"));
    }

    @Test
    void missingParentsAreMadeOnlyWhenAskedFor() throws Exception {
        CommitMkdirsRequest.Builder alone = commit();
        alone.getRequestBuilder().setCreateParents(false);
        assertEquals(
                ErrorCode.NOT_FOUND,
                tree.refusal(new CommitMkdirs(), alone.build()).code());
    }

    @Test
    void onlyWhoMayWriteTheParentMakesDirectories() throws Exception {
        tree.caller = MemoryTree.BOB;
        assertEquals(
                ErrorCode.PERMISSION_DENIED,
                tree.refusal(new CommitMkdirs(), commit().build()).code());
    }

    private CommitMkdirsRequest.Builder commit() {
        return CommitMkdirsRequest.newBuilder()
                .setRequest(MkdirsRequest.newBuilder()
                        .setPath("/a/b/c")
                        .setModes(CreateModes.newBuilder().setUnmasked(0555).setMasked(0500))
                        .setCreateParents(true))
                .setBaseId(a.value())
                .setBaseSpread(MemoryTree.SPREAD)
                .setSpread(4)
                .addNewId(100)
                .addNewId(101);
    }
}
