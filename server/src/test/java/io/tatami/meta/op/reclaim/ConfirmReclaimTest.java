package io.tatami.meta.op.reclaim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.meta.op.file.FileShard;
import io.tatami.meta.state.MemoryView;
import io.tatami.meta.state.wire.ConfirmReclaimRequest;
import io.tatami.meta.state.wire.ReclaimRecord;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Copies of the block 9 on the servers 1 and 2 are queued under the number 1, those of the block 10 under 2. */
final class ConfirmReclaimTest {
    private final FileShard shard = new FileShard();

    @BeforeEach
    void queue() {
        shard.change(state -> {
            for (long block = 9; block <= 10; block++) {
                state.addReclaim(ReclaimRecord.newBuilder()
                        .setBlockId(block)
                        .setGeneration(3)
                        .addServerId(1)
                        .addServerId(2)
                        .build());
            }
        });
    }

    @Test
    void blockStaysQueuedForTheServersThatHaveNotConfirmed() throws Exception {
        confirm(1, 1);
        ReclaimRecord left = Objects.requireNonNull(shard.state().reclaim(1));
        assertEquals(List.of(2), left.getServerIdList());
        assertEquals(9, left.getBlockId());
        assertEquals(3, left.getGeneration());
        assertEquals(
                List.of(1, 2), Objects.requireNonNull(shard.state().reclaim(2)).getServerIdList());
    }

    @Test
    void blockThatNoServerHasIsOffTheQueue() throws Exception {
        confirm(1, 1);
        confirm(2, 1);
        assertNull(shard.state().reclaim(1));
        assertNotNull(shard.state().reclaim(2));
    }

    @Test
    void repeatedConfirmationsAndThoseOfOtherServersChangeNothing() throws Exception {
        confirm(1, 1);
        MemoryView before = shard.store().copy();
        confirm(1, 1);
        confirm(3, 1);
        confirm(1, 77);
        assertTrue(shard.store().sameAs(before));
    }

    private void confirm(int server, long number) throws Exception {
        shard.run(
                new ConfirmReclaim(),
                ConfirmReclaimRequest.newBuilder()
                        .setServerId(server)
                        .addNumber(number)
                        .build());
    }
}
