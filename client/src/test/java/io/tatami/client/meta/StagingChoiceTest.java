package io.tatami.client.meta;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.ServerId;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Which server stages a block. */
final class StagingChoiceTest {
    private static final long MIB = 1 << 20;
    private static final long BLOCK_BYTES = 256 * MIB;
    private static final ServerId A = new ServerId(1);
    private static final ServerId B = new ServerId(2);
    private static final ServerId C = new ServerId(3);

    private final StagingChoice choice = new StagingChoice();

    @Test
    void equallyFullTiersAreTakenInTheOrderGiven() {
        tier(A, 1024, 0);
        tier(B, 1024, 0);
        assertEquals(B, choice.choose(List.of(B, A), BLOCK_BYTES));
        assertEquals(A, choice.choose(List.of(B, A), BLOCK_BYTES));
        assertEquals(B, choice.choose(List.of(B, A), BLOCK_BYTES));
    }

    @Test
    void whatOtherPlansAreToStageCounts() {
        tier(A, 1024, 600);
        tier(B, 1024, 0);
        tier(C, 1024, 600);
        assertEquals(B, choice.choose(List.of(A, B, C), BLOCK_BYTES));
        assertEquals(B, choice.choose(List.of(A, B, C), BLOCK_BYTES));
        assertEquals(B, choice.choose(List.of(A, B, C), BLOCK_BYTES - MIB));
        assertEquals(A, choice.choose(List.of(A, B, C), BLOCK_BYTES));
    }

    @Test
    void aTierOfTwiceTheSizeTakesTwiceAsMuch() {
        tier(A, 2048, 0);
        tier(B, 1024, 0);
        Map<ServerId, Integer> blocks = new HashMap<>();
        for (int block = 0; block < 30; block++) {
            blocks.merge(choice.choose(List.of(A, B), BLOCK_BYTES), 1, Integer::sum);
        }
        assertEquals(Map.of(A, 20, B, 10), blocks);
    }

    @Test
    void aServerWithoutATierIsTakenOnlyWhereThereIsNoOther() {
        choice.learn(A, StagingChoice.Tier.NONE);
        tier(B, 4, 4_000);
        assertEquals(B, choice.choose(List.of(A, C, B), BLOCK_BYTES));
        assertEquals(A, choice.choose(List.of(A, C), BLOCK_BYTES));
    }

    @Test
    void blocksAtRandomFillAllTiersEvenly() {
        int servers = 12;
        int blocks = 1_200;
        List<ServerId> all =
                IntStream.rangeClosed(1, servers).mapToObj(ServerId::new).toList();
        all.forEach(server -> tier(server, 100_000, 0));
        Random random = new Random(5);
        Map<ServerId, Integer> chosen = new HashMap<>();
        for (int block = 0; block < blocks; block++) {
            List<ServerId> holders = new ArrayList<>(all);
            Collections.shuffle(holders, random);
            chosen.merge(choice.choose(holders.subList(0, 3), BLOCK_BYTES), 1, Integer::sum);
        }
        int most = Collections.max(chosen.values());
        int least = Collections.min(chosen.values());
        assertTrue(chosen.size() == servers && most - least <= 2, chosen::toString);
    }

    private void tier(ServerId server, long mebibytes, long plannedMebibytes) {
        choice.learn(server, new StagingChoice.Tier(mebibytes * MIB, plannedMebibytes * MIB));
    }
}
