package io.tatami.meta.op.reclaim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.tatami.base.BlockId;
import io.tatami.base.FileId;
import io.tatami.base.ServerId;
import io.tatami.meta.op.file.FileShard;
import io.tatami.meta.state.wire.BlockRecord;
import io.tatami.meta.state.wire.DisownRequest;
import io.tatami.meta.state.wire.ReclaimRecord;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** An audit found blocks on a server that the shard does not know there. */
final class DisownTest {
    private static final ServerId NOT_A_HOLDER = new ServerId(9);

    private final FileShard shard = new FileShard();

    @Test
    void recordedCopyIsNeverDisowned() throws Exception {
        BlockRecord block = written();
        ServerId holder = new ServerId(block.getServerId(0));
        assertEquals(0, disown(holder, block.getBlockId(), 0));
        assertNull(shard.state().reclaim(1));
        assertNotNull(shard.state().replica(holder, new BlockId(block.getBlockId())));
    }

    @Test
    void strayCopyIsQueuedUpToTheGenerationThatIsGoodElsewhere() throws Exception {
        BlockRecord block = written();
        assertEquals(1, disown(NOT_A_HOLDER, block.getBlockId(), 0));
        ReclaimRecord queued = Objects.requireNonNull(shard.state().reclaim(1));
        assertEquals(List.of(NOT_A_HOLDER.value()), queued.getServerIdList());
        assertEquals(block.getGeneration(), queued.getGeneration());
        ServerId holder = new ServerId(block.getServerId(0));
        assertNotNull(shard.state().replica(holder, new BlockId(block.getBlockId())));
    }

    @Test
    void copyOfABlockThatNoFileHasGoesInEveryGeneration() throws Exception {
        shard.change(state -> {
            BlockId unused = state.mintBlock();
        });
        long block = shard.state().newestBlock().value();
        assertEquals(1, disown(NOT_A_HOLDER, block, 0));
        assertEquals(
                Long.MAX_VALUE, Objects.requireNonNull(shard.state().reclaim(1)).getGeneration());
    }

    @Test
    void copyWithAnotherNumberThanTheRecordedOneIsQueuedByItsNumber() throws Exception {
        BlockRecord block = written();
        ServerId holder = new ServerId(block.getServerId(0));
        DisownRequest.Builder copies = DisownRequest.newBuilder()
                .setServerId(holder.value())
                .addBlockId(block.getBlockId())
                .addBlockId(block.getBlockId())
                .addCopyNumber(0)
                .addCopyNumber(7);
        assertEquals(1, shard.run(new Disown(), copies.build()).getDisowned(), "0 is the recorded one");
        ReclaimRecord queued = Objects.requireNonNull(shard.state().reclaim(1));
        assertEquals(List.of(7), queued.getCopyNumberList());
        assertEquals(List.of(holder.value()), queued.getServerIdList());
        assertNull(shard.state().reclaim(2));
    }

    @Test
    void blocksOfOthersAndBlocksThatWereNotMintedYetStay() throws Exception {
        BlockRecord block = written();
        long newest = shard.state().newestBlock().value();
        assertEquals(0, disown(NOT_A_HOLDER, newest + 1, 0));
        assertEquals(0, disown(NOT_A_HOLDER, BlockId.of(1, 0, 1).value(), 0));
        assertEquals(0, disown(NOT_A_HOLDER, block.getBlockId(), 1), "asked in another restore epoch");
        assertNull(shard.state().reclaim(1));
    }

    private BlockRecord written() throws Exception {
        FileId file = shard.written("f", 10);
        return shard.state().blocks(file).get(0);
    }

    private int disown(ServerId server, long block, int restoreEpoch) throws Exception {
        return shard.run(
                        new Disown(),
                        DisownRequest.newBuilder()
                                .setServerId(server.value())
                                .addBlockId(block)
                                .setRestoreEpoch(restoreEpoch)
                                .build())
                .getDisowned();
    }
}
