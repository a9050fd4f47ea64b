package io.tatami.meta.state;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.tatami.base.DirectoryId;
import io.tatami.base.FileId;
import io.tatami.base.SessionId;
import io.tatami.meta.state.wire.DirectorySliceRecord;
import io.tatami.meta.state.wire.HomeRecord;
import io.tatami.meta.state.wire.LeaseRecord;
import io.tatami.meta.state.wire.TotalsRecord;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class TotalsTest {
    /** Whatever batches put, replace and remove, the totals are what a count of all records gives. */
    @Test
    void totalsEqualACountOfAllRecords() {
        long seed = Long.getLong("tatami.test.seed", System.nanoTime());
        System.out.println("seed " + seed);
        Random random = new Random(seed);
        MemoryView store = new MemoryView();
        for (int batch = 0; batch < 200; batch++) {
            Draft draft = new Draft(store);
            Totals totals = new Totals();
            for (int i = 0; i < 5; i++) {
                Draft operation = new Draft(draft);
                change(new ShardState(operation), random);
                totals.count(operation, draft);
                operation.mergeInto(draft);
            }
            totals.writeTo(draft);
            store.apply(draft);
        }
        assertEquals(counted(store), Totals.of(store));
    }

    private static void change(ShardState shard, Random random) {
        DirectoryId directory = new DirectoryId(1 + random.nextInt(10));
        FileId file = FileId.of(0, 0, 1 + random.nextInt(10));
        switch (random.nextInt(6)) {
            case 0 ->
                shard.putSlice(
                        directory,
                        DirectorySliceRecord.newBuilder()
                                .setFiles(random.nextInt(100))
                                .setBytes(random.nextInt(1000))
                                .build());
            case 1 -> shard.removeSlice(directory);
            case 2 ->
                shard.putHome(
                        file,
                        HomeRecord.newBuilder()
                                .setReplication(1 + random.nextInt(4))
                                .build());
            case 3 -> shard.removeHome(file);
            case 4 -> shard.putLease(new SessionId(3), file, LeaseRecord.getDefaultInstance());
            default -> shard.removeLease(new SessionId(3), file);
        }
    }

    private static TotalsRecord counted(MemoryView store) {
        TotalsRecord.Builder totals = TotalsRecord.newBuilder();
        try (View.Cursor shares = store.scan(Keys.kind('s'), Keys.after(Keys.kind('s')))) {
            while (shares.next()) {
                DirectorySliceRecord share = Records.parse(shares.value(), DirectorySliceRecord.parser());
                totals.setFiles(totals.getFiles() + share.getFiles());
                totals.setBytes(totals.getBytes() + share.getBytes());
            }
        }
        try (View.Cursor leases = store.scan(Keys.kind('l'), Keys.after(Keys.kind('l')))) {
            while (leases.next()) {
                totals.setLeases(totals.getLeases() + 1);
            }
        }
        List<Long> byCopies = new ArrayList<>(List.of(0L, 0L, 0L));
        try (View.Cursor homes = store.scan(Keys.kind('f'), Keys.after(Keys.kind('f')))) {
            while (homes.next()) {
                int copies = Records.parse(homes.value(), HomeRecord.parser()).getReplication();
                if (copies >= Totals.COPIES_COUNTED_MIN) {
                    byCopies.set(copies - 2, byCopies.get(copies - 2) + 1);
                }
            }
        }
        while (!byCopies.isEmpty() && byCopies.get(byCopies.size() - 1) == 0) {
            byCopies.remove(byCopies.size() - 1);
        }
        totals.addAllFilesByCopies(byCopies);
        return totals.build();
    }
}
