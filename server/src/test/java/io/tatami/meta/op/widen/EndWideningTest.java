package io.tatami.meta.op.widen;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.DirectoryId;
import io.tatami.meta.op.tree.MemoryTree;
import io.tatami.meta.op.tree.wire.WideningDirectory;
import io.tatami.meta.state.MemoryView;
import io.tatami.meta.state.wire.DirectoryRecord;
import io.tatami.protocol.wire.WidenDirectoryRequest;
import java.util.Objects;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The end of the widening of {@code /a} from 2 shards to 4. */
final class EndWideningTest {
    private static final int FROM = MemoryTree.SPREAD;

    private final MemoryTree tree = new MemoryTree();
    private final DirectoryId a = tree.make(DirectoryId.ROOT, "a");

    @BeforeEach
    void widen() throws Exception {
        WidenDirectoryRequest request = WidenDirectoryRequest.newBuilder()
                .setDirectoryId(a.value())
                .setFromSpread(FROM)
                .build();
        assertTrue(tree.run(new CommitWiden(8), request).getWidened());
    }

    @Test
    void directoryKeepsItsSpreadAndCountsAsWideningNoMore() throws Exception {
        end(2 * FROM);
        DirectoryRecord ended = tree.record(DirectoryId.ROOT, "a");
        assertEquals(2 * FROM, ended.getSpread());
        assertEquals(0, ended.getWideningFrom());
        assertNull(tree.state().widening(a));
    }

    @Test
    void repeatedEndChangesNothing() throws Exception {
        end(2 * FROM);
        MemoryView before = tree.copy();
        end(2 * FROM);
        assertTrue(tree.isAsIn(before));
    }

    /** It is late, and of a widening before this one. */
    @Test
    void endOfAnotherWideningEndsNothing() throws Exception {
        MemoryView before = tree.copy();
        end(FROM);
        assertTrue(tree.isAsIn(before));
        assertNotNull(tree.state().widening(a));
    }

    @Test
    void directoryThatLeftTheTreeMeanwhileDoesNotComeBack() throws Exception {
        tree.change(state -> state.remove(Objects.requireNonNull(state.find(a))));
        end(2 * FROM);
        assertNull(tree.state().widening(a));
        assertNull(tree.state().find(a));
        assertNull(tree.state().directory(DirectoryId.ROOT, "a"));
    }

    private void end(int spread) throws Exception {
        tree.run(
                new EndWidening(),
                WideningDirectory.newBuilder()
                        .setDirectoryId(a.value())
                        .setSpread(spread)
                        .build());
    }
}
