package io.tatami.meta.op.reclaim;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.BlockId;
import io.tatami.base.ServerId;
import io.tatami.meta.op.file.FileShard;
import io.tatami.meta.state.Needs.Urgency;
import io.tatami.meta.state.wire.BlockRecord;
import io.tatami.meta.state.wire.CloseServerReply;
import io.tatami.meta.state.wire.CloseServerRequest;
import io.tatami.meta.state.wire.ReplicaRecord;
import io.tatami.protocol.wire.CompleteRequest;
import io.tatami.protocol.wire.CreateReply;
import io.tatami.protocol.wire.Grant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** A shard places no blocks on a server that drains, and knows when that is done. */
final class CloseServerTest {
    private static final ServerId ONE = new ServerId(1);

    private final FileShard shard = new FileShard();

    private CloseServerReply close(boolean closed, long emptyRound) throws Exception {
        return shard.run(
                new CloseServer(),
                CloseServerRequest.newBuilder()
                        .setServerId(ONE.value())
                        .setClosed(closed)
                        .setEmptyRound(emptyRound)
                        .build());
    }

    private ServerId holderOfNext(String name) throws Exception {
        BlockRecord block = Objects.requireNonNull(shard.state().block(shard.written(name, 500), 0));
        return new ServerId(block.getServerId(0));
    }

    @Test
    void aClosedServerGetsNoBlocksWhateverTheMapSaysUntilItIsOpened() throws Exception {
        var unused = close(true, 0);
        for (int i = 0; i < 40; i++) {
            assertEquals(new ServerId(2), holderOfNext("closed-" + i));
        }
        var unusedOpen = close(false, 0);
        boolean isPlaced = false;
        for (int i = 0; i < 40; i++) {
            isPlaced |= holderOfNext("open-" + i).equals(ONE);
        }
        assertTrue(isPlaced);
    }

    @Test
    void onlyAnAuditThatBeganAfterTheServerWasClosedEndsTheDrain() throws Exception {
        shard.change(state -> assertEquals(1, state.mintAuditRound()));
        assertFalse(close(true, 0).getDrained());
        assertFalse(close(true, 1).getDrained());
        shard.change(state -> assertEquals(2, state.mintAuditRound()));
        assertTrue(close(true, 2).getDrained());
        assertTrue(close(true, 0).getDrained());
    }

    @Test
    void aServerWithARecordedBlockIsNotDrained() throws Exception {
        BlockId block = BlockId.of(0, 0, 1);
        var unused = close(true, 0);
        shard.change(state -> state.putReplica(ONE, block, ReplicaRecord.getDefaultInstance()));
        CloseServerReply reply = close(true, 9);
        assertTrue(reply.getHasBlocks());
        assertFalse(reply.getDrained());
        shard.change(state -> state.removeReplica(ONE, block));
        assertTrue(close(true, 0).getDrained());
    }

    @Test
    void aBlockThatBecomesFinalOnAClosedServerIsQueued() throws Exception {
        assertNull(urgencyOfWritten("before", false));
        assertEquals(Urgency.UNJUDGED, urgencyOfWritten("during", true));
    }

    /** A block is written, and its server may be closed meanwhile. */
    private @Nullable Urgency urgencyOfWritten(String name, boolean closed) throws Exception {
        CreateReply created = shard.create(name, 1);
        Grant grant = created.getGrant(0);
        var unused = shard.run(
                new CloseServer(),
                CloseServerRequest.newBuilder()
                        .setServerId(grant.getServerId(0))
                        .setClosed(closed)
                        .build());
        var unusedStatus = shard.complete(CompleteRequest.newBuilder()
                .setFileId(created.getStatus().getId())
                .addWritten(FileShard.report(grant, 500)));
        return shard.state().needs().urgency(new BlockId(grant.getBlockId()));
    }

    @Test
    void aServerThatWasOpenedIsDrainedAnew() throws Exception {
        var unused = close(true, 0);
        assertTrue(close(true, 5).getDrained());
        assertFalse(close(false, 0).getDrained());
        shard.change(state -> {
            for (int round = 0; round < 5; round++) {
                long minted = state.mintAuditRound();
                assertEquals(round + 1, minted);
            }
        });
        assertFalse(close(true, 0).getDrained());
        assertFalse(close(true, 5).getDrained());
        assertTrue(close(true, 6).getDrained());
    }

    @Test
    void whatIsSoAlreadyIsNotLogged() throws Exception {
        var unused = close(true, 0);
        byte[] before = shard.state().credit(ONE).toByteArray();
        assertEquals(1, shard.state().credit(ONE).getClosedRound());
        var unusedAgain = close(true, 0);
        assertArrayEquals(before, shard.state().credit(ONE).toByteArray());
    }
}
