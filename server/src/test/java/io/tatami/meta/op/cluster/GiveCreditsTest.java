package io.tatami.meta.op.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.ServerId;
import io.tatami.meta.op.file.FileShard;
import io.tatami.meta.state.MemoryView;
import io.tatami.protocol.wire.GiveCreditsReply;
import io.tatami.protocol.wire.GiveCreditsRequest;
import org.junit.jupiter.api.Test;

/** Gifts of the server 5 to a shard that has none of it yet. */
final class GiveCreditsTest {
    private static final ServerId SERVER = new ServerId(5);

    private final FileShard shard = new FileShard();

    @Test
    void giftsAddUpAndTheAnswerNamesTheNewestBlock() throws Exception {
        shard.written("f", 10);
        assertEquals(10, give(1, 10).getLeft());
        GiveCreditsReply reply = give(2, 5);
        assertEquals(15, reply.getLeft());
        assertEquals(shard.state().newestBlock().value(), reply.getNewestBlockId());
        assertEquals(15, shard.state().credit(SERVER).getBlocks());
    }

    @Test
    void giftCountsOnceHoweverOftenItComes() throws Exception {
        give(1, 10);
        give(2, 5);
        MemoryView before = shard.store().copy();
        assertEquals(15, give(2, 5).getLeft());
        assertEquals(15, give(1, 10).getLeft());
        assertTrue(shard.store().sameAs(before));
    }

    @Test
    void questionWithoutAGiftUsesUpNoSequence() throws Exception {
        assertEquals(0, give(1, 0).getLeft());
        assertEquals(3, give(1, 3).getLeft());
    }

    @Test
    void sequencesAreComparedAsUnsignedNumbers() throws Exception {
        give(1, 1);
        assertEquals(2, give(-1, 1).getLeft(), "the largest of all");
        assertEquals(2, give(2, 1).getLeft());
    }

    @Test
    void serverThatCountsWrongGivesNoMoreThanTheBound() throws Exception {
        assertEquals(4_096, give(1, 1_000_000).getLeft());
        assertEquals(4_096, give(2, 1).getLeft());
    }

    private GiveCreditsReply give(long sequence, int blocks) throws Exception {
        return shard.run(
                new GiveCredits(),
                GiveCreditsRequest.newBuilder()
                        .setServerId(SERVER.value())
                        .setSequence(sequence)
                        .setBlocks(blocks)
                        .build());
    }
}
