package io.tatami.meta.state;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.tatami.base.GroupId;
import io.tatami.meta.state.wire.TransactionRecord;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** A shard knows where files are on their way to without looking at its transactions. */
final class LeavingMovesTest {
    private static final int IDS = 12;
    private static final int GROUPS = 4;

    private final MemoryView store = new MemoryView();
    private final Map<Long, TransactionRecord> expected = new HashMap<>();

    /** Whatever transactions are put, replaced and removed, in the same batch as the question or before. */
    @Test
    void theShardsThatFilesLeaveForAreThoseOfTheTransactionsAtTheirSource() {
        long seed = Long.getLong("tatami.test.seed", System.nanoTime());
        System.out.println("seed " + seed);
        Random random = new Random(seed);
        for (int batch = 0; batch < 500; batch++) {
            Draft draft = new Draft(store);
            ShardState state = new ShardState(draft);
            for (int i = 0; i < 4; i++) {
                change(state, random);
                if (random.nextInt(3) == 0) {
                    assertEquals(expectedGroups(), state.leavingTo());
                }
            }
            store.apply(draft);
        }
    }

    /** As in a volume that an older server wrote. */
    @Test
    void theFirstQuestionCountsWhatIsThere() {
        Draft draft = new Draft(store);
        ShardState state = new ShardState(draft);
        state.putTransaction(new TransactionId(1), leavingTo(2));
        state.putTransaction(
                new TransactionId(2),
                leavingTo(3).toBuilder().setDestination(true).build());
        store.apply(draft);
        ShardState later = new ShardState(new Draft(store));
        assertEquals(Set.of(new GroupId(2)), later.leavingTo());
        later.removeTransaction(new TransactionId(1));
        later.removeTransaction(new TransactionId(1));
        assertEquals(Set.of(), later.leavingTo());
    }

    private void change(ShardState state, Random random) {
        long id = 1L + random.nextInt(IDS);
        if (random.nextBoolean()) {
            TransactionRecord transaction = leavingTo(random.nextInt(GROUPS)).toBuilder()
                    .setDestination(random.nextInt(3) == 0)
                    .build();
            state.putTransaction(new TransactionId(id), transaction);
            expected.put(id, transaction);
        } else {
            state.removeTransaction(new TransactionId(id));
            expected.remove(id);
        }
    }

    private static TransactionRecord leavingTo(int group) {
        return TransactionRecord.newBuilder().setOtherGroup(group).build();
    }

    private Set<GroupId> expectedGroups() {
        return expected.values().stream()
                .filter(transaction -> !transaction.getDestination())
                .map(transaction -> new GroupId(transaction.getOtherGroup()))
                .collect(Collectors.toSet());
    }
}
