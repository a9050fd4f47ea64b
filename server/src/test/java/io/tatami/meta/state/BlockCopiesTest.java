package io.tatami.meta.state;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.ServerId;
import io.tatami.meta.state.BlockCopies.Copy;
import io.tatami.meta.state.wire.BlockRecord;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class BlockCopiesTest {
    private static final ServerId A = new ServerId(1);
    private static final ServerId B = new ServerId(2);
    private static final ServerId C = new ServerId(3);

    private final BlockRecord.Builder block = BlockRecord.newBuilder().setBlockId(7);
    private final BlockCopies copies = BlockCopies.of(block);

    @BeforeEach
    void grantTwo() {
        copies.grant(A);
        copies.grant(B);
    }

    @Test
    void aBlockWithItsGrantedCopiesHasNoNumbersInItsRecord() {
        assertEquals(List.of(new Copy(A, 0), new Copy(B, 0)), BlockCopies.counted(block));
        assertEquals(0, block.getCopyNumberCount());
    }

    @Test
    void anIntendedCopyCountsOnlyUnderTheNumberThatItWasGiven() {
        Copy made = copies.intend(C);
        assertFalse(copies.count(new Copy(C, made.number() + 1)));
        assertEquals(List.of(A, B), servers());
        assertTrue(copies.count(made));
        assertEquals(List.of(new Copy(A, 0), new Copy(B, 0), made), BlockCopies.counted(block));
        assertEquals(List.of(), BlockCopies.intended(block));
        assertFalse(copies.count(made));
    }

    @Test
    void noNumberIsGivenTwice() {
        Copy first = copies.intend(C);
        copies.remove(C);
        Copy second = copies.intend(C);
        assertTrue(second.number() > first.number());
        assertFalse(copies.count(first));
    }

    @Test
    void aVoidIntentDoesNotCount() {
        Copy made = copies.intend(C);
        copies.clearIntended();
        assertFalse(copies.count(made));
        assertEquals(List.of(A, B), servers());
    }

    @Test
    void copiesThatASealLeavesOutAreSparesWithTheirNumbers() {
        Copy made = copies.intend(C);
        copies.count(made);
        copies.keepCounted(List.of(B));
        assertEquals(List.of(new Copy(B, 0)), BlockCopies.counted(block));
        assertEquals(List.of(new Copy(A, 0), made), BlockCopies.spares(block));
    }

    @Test
    void aServerHasOneCopyOfAnyKind() {
        copies.keepCounted(List.of(B));
        copies.intend(C);
        for (ServerId server : List.of(A, B, C)) {
            assertThrows(IllegalStateException.class, () -> copies.intend(server));
            assertThrows(IllegalStateException.class, () -> copies.grant(server));
        }
        for (ServerId server : List.of(A, B, C)) {
            copies.remove(server);
            assertEquals(Optional.empty(), BlockCopies.on(block, server));
        }
        assertEquals(List.of(), BlockCopies.all(block));
    }

    private List<ServerId> servers() {
        return BlockCopies.counted(block).stream().map(Copy::server).toList();
    }
}
