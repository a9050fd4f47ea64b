package io.tatami.meta.service.reclaim;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.tatami.base.BlockId;
import io.tatami.base.ServerId;
import io.tatami.meta.op.FileRemoval;
import io.tatami.meta.service.reclaim.ReclaimShard.Deletion;
import io.tatami.meta.state.BlockCopies.Copy;
import io.tatami.meta.state.wire.BlockRecord;
import io.tatami.protocol.wire.DeleteBlocksRequest;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A copy is deleted by its number, so that another copy of the block on that server stays. */
final class NumberedCopiesTest {
    private static final int SERVER = 1;
    private static final int OTHER = 2;

    private final ReclaimShard shard = new ReclaimShard(0);
    private final BlockReclaimer reclaimer = new BlockReclaimer(shard.parts());

    @Test
    void eachServerIsToldTheNumberOfItsOwnCopy() {
        BlockId block = written();
        queue(block, new Copy(new ServerId(SERVER), 0), new Copy(new ServerId(OTHER), 3));

        reclaimAll();

        assertEquals(
                List.of(new Deletion(SERVER, List.of(item(block, 0))), new Deletion(OTHER, List.of(item(block, 3)))),
                shard.deletions);
        assertEquals(0, shard.queued());
    }

    /** The answer names blocks and no numbers. */
    @Test
    void twoCopiesOfOneBlockOnAServerAreDeletedByTwoRequests() {
        BlockId block = written();
        queue(block, new Copy(new ServerId(SERVER), 2));
        queue(block, new Copy(new ServerId(SERVER), 5));

        reclaimAll();

        assertEquals(
                List.of(new Deletion(SERVER, List.of(item(block, 2))), new Deletion(SERVER, List.of(item(block, 5)))),
                shard.deletions);
        assertEquals(0, shard.queued());
    }

    private BlockId written() {
        BlockId block = shard.mint();
        shard.disk(SERVER).add(block.value());
        shard.disk(OTHER).add(block.value());
        return block;
    }

    private void queue(BlockId block, Copy... copies) {
        BlockRecord record = BlockRecord.newBuilder()
                .setBlockId(block.value())
                .setGeneration(1)
                .build();
        shard.change(state -> FileRemoval.queue(state, record, List.of(copies)));
    }

    private static DeleteBlocksRequest.Item item(BlockId block, int copyNumber) {
        return DeleteBlocksRequest.Item.newBuilder()
                .setBlockId(block.value())
                .setGeneration(1)
                .setCopyNumber(copyNumber)
                .build();
    }

    private void reclaimAll() {
        Duration rest = Duration.ZERO;
        while (rest.isZero()) {
            rest = reclaimer.run().join();
        }
    }
}
