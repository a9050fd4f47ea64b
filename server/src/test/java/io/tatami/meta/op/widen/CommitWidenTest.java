package io.tatami.meta.op.widen;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.DirectoryId;
import io.tatami.meta.op.tree.MemoryTree;
import io.tatami.meta.state.MemoryView;
import io.tatami.meta.state.wire.DirectoryRecord;
import io.tatami.meta.state.wire.WideningRecord;
import io.tatami.protocol.wire.WidenDirectoryRequest;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** Widening of {@code /a} from 2 shards to 4. */
final class CommitWidenTest {
    private static final int FROM = MemoryTree.SPREAD;

    private final MemoryTree tree = new MemoryTree();
    private final DirectoryId a = tree.make(DirectoryId.ROOT, "a");

    @Test
    void directoryIsDividedOverTwiceAsManyShardsAndSaysFromHowMany() throws Exception {
        DirectoryRecord before = tree.record(DirectoryId.ROOT, "a");
        assertTrue(widen(4, FROM));
        assertEquals(
                before.toBuilder().setSpread(2 * FROM).setWideningFrom(FROM).build(),
                tree.record(DirectoryId.ROOT, "a"));
        assertEquals(
                WideningRecord.newBuilder()
                        .setFromSpread(FROM)
                        .setSpread(2 * FROM)
                        .build(),
                tree.state().widening(a));
    }

    @Test
    void repeatedRequestWidensNoFurther() throws Exception {
        assertTrue(widen(8, FROM));
        MemoryView before = tree.copy();
        assertFalse(widen(8, FROM));
        assertFalse(widen(8, 2 * FROM), "entries of the first widening are still on their way");
        assertTrue(tree.isAsIn(before));
    }

    @Test
    void directoryIsDividedOverNoMoreShardsThanThereAre() throws Exception {
        assertFalse(widen(2 * FROM - 1, FROM));
        assertNull(tree.state().widening(a));
    }

    @Test
    void directoryThatIsGoneIsNotWidened() throws Exception {
        tree.change(state -> state.remove(Objects.requireNonNull(state.find(a))));
        assertFalse(widen(4, FROM));
        assertNull(tree.state().widening(a));
    }

    private boolean widen(int shards, int from) throws Exception {
        WidenDirectoryRequest request = WidenDirectoryRequest.newBuilder()
                .setDirectoryId(a.value())
                .setFromSpread(from)
                .build();
        return tree.run(new CommitWiden(shards), request).getWidened();
    }
}
