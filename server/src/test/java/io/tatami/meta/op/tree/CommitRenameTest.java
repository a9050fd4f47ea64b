package io.tatami.meta.op.tree;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.DirectoryId;
import io.tatami.base.ErrorCode;
import io.tatami.meta.op.tree.wire.CommitRenameRequest;
import io.tatami.meta.state.MemoryView;
import io.tatami.meta.state.TreeState.Named;
import io.tatami.protocol.wire.RenameDirectoryRequest;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** Renames of {@code /from/a}. */
final class CommitRenameTest {
    private final MemoryTree tree = new MemoryTree();
    private final DirectoryId from = tree.make(DirectoryId.ROOT, "from");
    private final DirectoryId to = tree.make(DirectoryId.ROOT, "to");
    private final DirectoryId a = tree.make(from, "a");

    @Test
    void renamedDirectoryHasOnlyItsNewName() throws Exception {
        tree.nowMillis = 5_000;
        tree.run(new CommitRename(), planned("/to/b", false));
        assertNull(tree.state().directory(from, "a"));
        assertEquals(a.value(), tree.record(to, "b").getDirectoryId());
        Named found = Objects.requireNonNull(tree.state().find(a));
        assertEquals(to, found.parent());
        assertEquals("b", found.name());
        assertEquals(5_000, tree.modifiedMillis(from));
        assertEquals(5_000, tree.modifiedMillis(to));
        assertEquals(List.of(), tree.unhooked());
    }

    @Test
    void repeatedRenameFindsNoSourceAndChangesNothing() throws Exception {
        CommitRenameRequest commit = planned("/to/b", true);
        tree.run(new CommitRename(), commit);
        MemoryView before = tree.copy();
        assertEquals(
                ErrorCode.NOT_FOUND, tree.refusal(new CommitRename(), commit).code());
        assertTrue(tree.isAsIn(before));
    }

    @Test
    void emptyDestinationIsReplacedAndItsShardsAreToldLater() throws Exception {
        DirectoryId replaced = tree.make(to, "b");
        tree.run(new CommitRename(), planned("/to/b", true));
        assertEquals(a.value(), tree.record(to, "b").getDirectoryId());
        assertNull(tree.state().find(replaced));
        assertEquals(List.of(replaced.value()), tree.unhooked());
    }

    @Test
    void destinationStaysWithoutOverwriteAndWithSubdirectories() throws Exception {
        CommitRenameRequest commit = planned("/to/b", false);
        DirectoryId there = tree.make(to, "b");
        assertEquals(
                ErrorCode.ALREADY_EXISTS,
                tree.refusal(new CommitRename(), commit).code());
        CommitRenameRequest replacing = planned("/to/b", true);
        tree.make(there, "c");
        assertEquals(
                ErrorCode.NOT_EMPTY, tree.refusal(new CommitRename(), replacing).code());
        assertEquals(a.value(), tree.record(from, "a").getDirectoryId());
        assertEquals(List.of(), tree.unhooked());
    }

    /** Its name was not reserved, and nobody looked whether the directory there holds files. */
    @Test
    void destinationThatCameAfterThePlanIsNotReplaced() throws Exception {
        CommitRenameRequest commit = planned("/to/b", true);
        DirectoryId there = tree.make(to, "b");
        assertInstanceOf(PlanOutdatedException.class, tree.refusal(new CommitRename(), commit));
        assertEquals(there.value(), tree.record(to, "b").getDirectoryId());
    }

    @Test
    void anotherDirectoryUnderTheSourceIsNotRenamed() throws Exception {
        CommitRenameRequest commit = planned("/to/b", false);
        tree.change(state -> state.remove(Objects.requireNonNull(state.find(a))));
        DirectoryId other = tree.make(from, "a");
        assertInstanceOf(PlanOutdatedException.class, tree.refusal(new CommitRename(), commit));
        assertEquals(other.value(), tree.record(from, "a").getDirectoryId());
    }

    @Test
    void directoryNeverComesBelowItself() throws Exception {
        tree.make(a, "b");
        CommitRenameRequest commit = CommitRenameRequest.newBuilder()
                .setRequest(request("/from/a/b/c", false))
                .build();
        assertEquals(
                ErrorCode.INVALID_ARGUMENT,
                tree.refusal(new CommitRename(), commit).code());
    }

    @Test
    void bothParentsMustBeWritable() throws Exception {
        CommitRenameRequest commit = planned("/to/b", false);
        tree.caller = MemoryTree.BOB;
        assertEquals(
                ErrorCode.PERMISSION_DENIED,
                tree.refusal(new CommitRename(), commit).code());
    }

    private CommitRenameRequest planned(String destination, boolean overwrite) throws Exception {
        RenameDirectoryRequest request = request(destination, overwrite);
        return CommitRenameRequest.newBuilder()
                .setRequest(request)
                .setPlan(tree.run(new PlanRename(), request))
                .build();
    }

    private static RenameDirectoryRequest request(String destination, boolean overwrite) {
        return RenameDirectoryRequest.newBuilder()
                .setSource("/from/a")
                .setDestination(destination)
                .setOverwrite(overwrite)
                .build();
    }
}
