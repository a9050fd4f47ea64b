package io.tatami.meta.service.copies;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.ServerId;
import io.tatami.protocol.wire.WriteTarget;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class SourceLoadsTest {
    private static final long BLOCK_BYTES = 16 << 20;

    private static WriteTarget source(int server) {
        return WriteTarget.newBuilder().setServerId(server).build();
    }

    @Test
    void serverThatHasACopyOfEveryBlockSendsNoMoreThanTheOthers() {
        SourceLoads loads = new SourceLoads(Map.of());
        Map<Integer, Integer> first = new HashMap<>();
        for (int block = 0; block < 400; block++) {
            List<WriteTarget> ordered = loads.order(List.of(source(1), source(2 + block % 4)), BLOCK_BYTES);
            assertEquals(2, ordered.size());
            first.merge(ordered.get(0).getServerId(), 1, Integer::sum);
        }
        assertEquals(5, first.size());
        assertTrue(first.values().stream().allMatch(count -> count >= 60 && count <= 100), first::toString);
    }

    @Test
    void whatIsUnderWayCounts() {
        SourceLoads loads = new SourceLoads(Map.of(new ServerId(1), 2 * BLOCK_BYTES, new ServerId(2), BLOCK_BYTES));
        assertEquals(
                List.of(source(3), source(2), source(1)),
                loads.order(List.of(source(1), source(2), source(3)), BLOCK_BYTES));
        assertEquals(
                List.of(source(2), source(3), source(1)),
                loads.order(List.of(source(2), source(1), source(3)), BLOCK_BYTES));
    }

    @Test
    void noSourceIsNoFailure() {
        assertEquals(List.of(), new SourceLoads(Map.of()).order(List.of(), BLOCK_BYTES));
    }
}
