package io.tatami.meta.op.rename;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.meta.op.file.FileShard;
import io.tatami.meta.state.MemoryView;
import io.tatami.meta.state.TransactionId;
import io.tatami.meta.state.wire.EntryRecord;
import io.tatami.meta.state.wire.FileEntry;
import io.tatami.meta.state.wire.FinishMovesRequest;
import io.tatami.meta.state.wire.TransactionRecord;
import io.tatami.protocol.wire.FinishMoveRequest;
import java.util.Objects;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Three entries are leaving: a by the move 1, b by the move 2, c by the move 3. */
final class FinishMovesTest {
    private static final String[] NAMES = {"a", "b", "c"};
    private static final int MARK = 50;

    private final FileShard shard = new FileShard();

    @BeforeEach
    void leave() {
        shard.change(state -> {
            for (int i = 0; i < NAMES.length; i++) {
                state.entries()
                        .changeName(
                                FileShard.HOME,
                                NAMES[i],
                                EntryRecord.newBuilder()
                                        .setFile(FileEntry.newBuilder()
                                                .setFileId(10 + i)
                                                .setLength(7))
                                        .setLeavingTransaction(i + 1)
                                        .setLeavingMark(MARK + i)
                                        .setLeavingToGroup(1)
                                        .build(),
                                1_000);
                state.putTransaction(new TransactionId(i + 1), TransactionRecord.getDefaultInstance());
            }
        });
        assertEquals(3, shard.state().slice(FileShard.HOME).getMoving());
    }

    @Test
    void committedEntriesGoAndAbortedOnesStayWithoutTheirMarks() throws Exception {
        finish(move(0, true), move(1, false));
        assertNull(shard.state().entry(FileShard.HOME, "a"));
        EntryRecord aborted = entry("b");
        assertEquals(11, aborted.getFile().getFileId());
        assertEquals(0, aborted.getLeavingTransaction());
        assertEquals(3, entry("c").getLeavingTransaction(), "nothing was said of it");
        assertEquals(2, shard.state().slice(FileShard.HOME).getFiles());
        assertEquals(14, shard.state().slice(FileShard.HOME).getBytes());
        assertEquals(1, shard.state().slice(FileShard.HOME).getMoving());
        assertNull(shard.state().transaction(new TransactionId(1)));
        assertNull(shard.state().transaction(new TransactionId(2)));
        assertNotNull(shard.state().transaction(new TransactionId(3)));
    }

    @Test
    void repeatedEndChangesNothing() throws Exception {
        finish(move(0, true), move(1, false));
        MemoryView before = shard.store().copy();
        finish(move(0, true), move(1, false));
        assertTrue(shard.store().sameAs(before));
    }

    @Test
    void lateEndTakesAwayNoNewFileOfThatName() throws Exception {
        finish(move(0, true));
        shard.change(state -> state.entries()
                .changeName(
                        FileShard.HOME,
                        "a",
                        EntryRecord.newBuilder()
                                .setFile(FileEntry.newBuilder().setFileId(99))
                                .build(),
                        2_000));
        finish(move(0, true));
        assertEquals(99, entry("a").getFile().getFileId());
    }

    /** A prepare that came after the end of the move left a mark of another number, which has no meaning. */
    @Test
    void committedMoveTakesAwayOnlyTheEntryWithItsMark() throws Exception {
        finish(move(0, true).setMark(MARK + 9));
        assertEquals(10, entry("a").getFile().getFileId());
        assertEquals(0, entry("a").getLeavingTransaction());
    }

    private static FinishMoveRequest.Builder move(int entry, boolean isCommitted) {
        return FinishMoveRequest.newBuilder()
                .setTransactionId(entry + 1)
                .setParentId(FileShard.HOME.value())
                .setName(NAMES[entry])
                .setMark(MARK + entry)
                .setCommitted(isCommitted);
    }

    private void finish(FinishMoveRequest.Builder... moves) throws Exception {
        FinishMovesRequest.Builder request = FinishMovesRequest.newBuilder();
        for (FinishMoveRequest.Builder move : moves) {
            request.addMove(move);
        }
        shard.run(new FinishMoves(), request.build());
    }

    private EntryRecord entry(String name) {
        return Objects.requireNonNull(shard.state().entry(FileShard.HOME, name));
    }
}
