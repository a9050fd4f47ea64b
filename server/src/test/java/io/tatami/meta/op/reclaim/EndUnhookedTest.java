package io.tatami.meta.op.reclaim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.DirectoryId;
import io.tatami.meta.op.tree.MemoryTree;
import io.tatami.meta.op.tree.wire.EndUnhookedRequest;
import io.tatami.meta.state.MemoryView;
import io.tatami.meta.state.TreeState.Intent;
import io.tatami.meta.state.TreeState.Named;
import io.tatami.meta.state.wire.IntentRecord;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What is below {@code /gone}, which was taken out of the tree under the intent 1. */
final class EndUnhookedTest {
    private final MemoryTree tree = new MemoryTree();
    private final DirectoryId stays = tree.make(DirectoryId.ROOT, "stays");
    private final DirectoryId gone = tree.make(DirectoryId.ROOT, "gone");

    private void unhook() {
        tree.change(state -> {
            state.remove(new Named(DirectoryId.ROOT, "gone", tree.record(DirectoryId.ROOT, "gone")));
            state.addIntent(
                    IntentRecord.newBuilder().setDirectoryId(gone.value()).build());
        });
    }

    @Test
    void subdirectoriesAreUnhookedBeforeTheIntentOfTheirParentEnds() throws Exception {
        DirectoryId b = tree.make(gone, "b");
        DirectoryId below = tree.make(b, "below");
        unhook();
        end(1);
        assertEquals(List.of(b.value()), tree.unhooked());
        assertNull(tree.state().find(b));
        end(2);
        assertEquals(List.of(below.value()), tree.unhooked());
        end(3);
        assertEquals(List.of(), tree.unhooked());
        assertEquals(1, tree.state().children(DirectoryId.ROOT, "", 10).size());
        assertEquals(stays.value(), tree.record(DirectoryId.ROOT, "stays").getDirectoryId());
    }

    @Test
    void repeatedEndChangesNothing() throws Exception {
        tree.make(gone, "b");
        unhook();
        end(1);
        MemoryView before = tree.copy();
        end(1);
        assertTrue(tree.isAsIn(before));
    }

    @Test
    void aWideDirectoryEndsInSeveralStepsOfBoundedLength() throws Exception {
        int children = 600;
        for (int i = 0; i < children; i++) {
            tree.make(gone, "d" + i);
        }
        unhook();
        int steps = 0;
        while (tree.state().intent(1) != null) {
            int before = tree.unhooked().size();
            end(1);
            assertTrue(tree.unhooked().size() - before <= 256, "too much in one step");
            steps++;
        }
        assertEquals(3, steps);
        assertEquals(children, tree.unhooked().size());
        assertTrue(tree.state().children(gone, "", 1).isEmpty());
    }

    @Test
    void severalIntentsShareOneStep() throws Exception {
        for (int i = 0; i < 256; i++) {
            tree.make(gone, "d" + i);
        }
        DirectoryId second = tree.make(DirectoryId.ROOT, "second");
        DirectoryId child = tree.make(second, "child");
        unhook();
        tree.change(state -> state.addIntent(
                IntentRecord.newBuilder().setDirectoryId(second.value()).build()));
        end(1, 2);
        assertEquals(child.value(), tree.record(second, "child").getDirectoryId(), "the step was used up");
        assertTrue(
                tree.state().intents(0, 2).stream().map(Intent::number).toList().contains(2L));
        end(1, 2);
        assertNull(tree.state().intent(1));
        assertNull(tree.state().intent(2));
        assertNull(tree.state().find(child));
    }

    private void end(long... numbers) throws Exception {
        EndUnhookedRequest.Builder request = EndUnhookedRequest.newBuilder();
        for (long number : numbers) {
            request.addNumber(number);
        }
        tree.run(new EndUnhooked(), request.build());
    }
}
