package io.tatami.meta.op.tree;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.DirectoryId;
import io.tatami.base.ErrorCode;
import io.tatami.meta.op.tree.wire.CommitAttributesRequest;
import io.tatami.meta.state.MemoryView;
import io.tatami.meta.state.wire.DirectoryRecord;
import io.tatami.protocol.wire.AttributeChange;
import io.tatami.protocol.wire.SetDirectoryAttributesRequest;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** Changes of the attributes of {@code /a}. */
final class CommitAttributesTest {
    private final MemoryTree tree = new MemoryTree();
    private final DirectoryId a = tree.make(DirectoryId.ROOT, "a");

    @Test
    void onlyTheAttributesOfTheChangeAreChanged() throws Exception {
        DirectoryRecord before = tree.record(DirectoryId.ROOT, "a");
        tree.run(new CommitAttributes(), commit(AttributeChange.newBuilder().setMode(0700)));
        DirectoryRecord.Builder expected = before.toBuilder();
        expected.getAttributesBuilder().setMode(0700);
        assertEquals(expected.build(), tree.record(DirectoryId.ROOT, "a"));
    }

    @Test
    void repeatedChangeChangesNothing() throws Exception {
        CommitAttributesRequest commit = commit(AttributeChange.newBuilder().setMode(0700));
        tree.run(new CommitAttributes(), commit);
        MemoryView before = tree.copy();
        tree.nowMillis = 9_000;
        tree.run(new CommitAttributes(), commit);
        assertTrue(tree.isAsIn(before));
    }

    @Test
    void anotherDirectoryUnderThePathIsNotChanged() throws Exception {
        tree.change(state -> state.remove(Objects.requireNonNull(state.find(a))));
        DirectoryId other = tree.make(DirectoryId.ROOT, "a");
        assertInstanceOf(
                PlanOutdatedException.class,
                tree.refusal(
                        new CommitAttributes(),
                        commit(AttributeChange.newBuilder().setMode(0))));
        assertEquals(0755, tree.record(DirectoryId.ROOT, "a").getAttributes().getMode());
        assertEquals(other, Objects.requireNonNull(tree.state().find(other)).id());
    }

    @Test
    void onlyTheOwnerChangesTheMode() throws Exception {
        tree.caller = MemoryTree.BOB;
        assertEquals(
                ErrorCode.PERMISSION_DENIED,
                tree.refusal(
                                new CommitAttributes(),
                                commit(AttributeChange.newBuilder().setMode(0777)))
                        .code());
    }

    @Test
    void directoryIsGivenToNobodyElseButByTheSuperuser() throws Exception {
        assertEquals(
                ErrorCode.PERMISSION_DENIED,
                tree.refusal(
                                new CommitAttributes(),
                                commit(AttributeChange.newBuilder().setOwner("bob")))
                        .code());
        assertEquals("alice", tree.record(DirectoryId.ROOT, "a").getAttributes().getOwner());
    }

    @Test
    void missingDirectoryIsNotFound() throws Exception {
        tree.change(state -> state.remove(Objects.requireNonNull(state.find(a))));
        assertEquals(
                ErrorCode.NOT_FOUND,
                tree.refusal(
                                new CommitAttributes(),
                                commit(AttributeChange.newBuilder().setMode(0)))
                        .code());
    }

    private CommitAttributesRequest commit(AttributeChange.Builder change) {
        return CommitAttributesRequest.newBuilder()
                .setRequest(
                        SetDirectoryAttributesRequest.newBuilder().setPath("/a").setChange(change))
                .setDirectoryId(a.value())
                .build();
    }
}
