package io.tatami.meta.state;

import io.tatami.meta.state.Needs.Urgency;
import io.tatami.meta.state.wire.DirectorySliceRecord;
import io.tatami.meta.state.wire.HomeRecord;
import io.tatami.meta.state.wire.ReclaimRecord;
import io.tatami.meta.state.wire.TotalsRecord;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How much a group holds, kept with every batch so that nobody needs to count: for each kind of record that is counted,
 * what an operation adds and takes away is found by a look at the record it replaces. One object adds up a batch.
 */
public final class Totals {
    private static final byte[] KEY = Keys.singleton("totals");

    /** Files with fewer copies are not counted by their copies; of most clusters these are all. */
    public static final int COPIES_COUNTED_MIN = 2;

    private TotalsRecord before = TotalsRecord.getDefaultInstance();
    private TotalsRecord.@Nullable Builder totals;

    public static TotalsRecord of(View view) {
        byte[] value = view.get(KEY);
        return value == null ? TotalsRecord.getDefaultInstance() : Records.parse(value, TotalsRecord.parser());
    }

    /** How many blocks wait for copies in one class. */
    public static long waiting(TotalsRecord totals, Urgency urgency) {
        return urgency.number() < totals.getNeedsByClassCount() ? totals.getNeedsByClass(urgency.number()) : 0;
    }

    /** Counts what an operation makes of {@code base}, on which it was decided. */
    public void count(Draft operation, View base) {
        operation.changes().forEach((key, change) -> {
            if (isCounted(key[0])) {
                byte[] old = change.isNew() ? null : base.get(key);
                if (!Arrays.equals(old, change.value())) {
                    TotalsRecord.Builder sum = begun(base);
                    add(sum, key, old, -1);
                    add(sum, key, change.value(), 1);
                }
            }
        });
    }

    private TotalsRecord.Builder begun(View base) {
        TotalsRecord.Builder sum = totals;
        if (sum == null) {
            before = of(base);
            sum = before.toBuilder();
            totals = sum;
        }
        return sum;
    }

    /** Puts the totals after everything that was counted, where they are others than before. */
    public void writeTo(Draft batch) {
        TotalsRecord after = totals == null ? before : totals.build();
        if (!after.equals(before)) {
            batch.put(KEY, after.toByteArray());
        }
    }

    private static boolean isCounted(byte kind) {
        return switch (kind) {
            case 'b', 'f', 'g', 'i', 'l', 'o', 's', 't', 'q', 'u', 'x' -> true;
            default -> false;
        };
    }

    private static void add(TotalsRecord.Builder totals, byte[] key, byte @Nullable [] value, int sign) {
        if (value == null) {
            return;
        }
        switch (key[0]) {
            case 'b' -> totals.setBlocks(totals.getBlocks() + sign);
            case 'f' -> addHome(totals, Records.parse(value, HomeRecord.parser()), sign);
            case 'g' -> totals.setGates(totals.getGates() + sign);
            case 'i' -> totals.setDirectories(totals.getDirectories() + sign);
            case 'l' -> totals.setLeases(totals.getLeases() + sign);
            case 'o' -> totals.setOutbox(totals.getOutbox() + sign);
            case 's' -> addShare(totals, Records.parse(value, DirectorySliceRecord.parser()), sign);
            case 't' -> totals.setTransactions(totals.getTransactions() + sign);
            case 'q' -> addReclaim(totals, Records.parse(value, ReclaimRecord.parser()), sign);
            case 'u' -> addNeed(totals, key[1], sign);
            case 'x' -> totals.setIntents(totals.getIntents() + sign);
            default -> throw new IllegalStateException("records of kind " + (char) key[0] + " are not counted");
        }
    }

    /** A block that is granted in its file's home has no record of its own. */
    private static void addHome(TotalsRecord.Builder totals, HomeRecord home, int sign) {
        if (home.hasGranted()) {
            totals.setBlocks(totals.getBlocks() + sign);
        }
        if (home.getReplication() >= COPIES_COUNTED_MIN) {
            addCopies(totals, home.getReplication() - COPIES_COUNTED_MIN, sign);
        }
    }

    /** A file from before there was the count is taken away without having been added. */
    private static void addCopies(TotalsRecord.Builder totals, int index, int sign) {
        List<Long> counts = counted(totals.getFilesByCopiesList(), index, sign);
        totals.clearFilesByCopies().addAllFilesByCopies(counts);
    }

    /** Blocks and files whose copies are to be looked at, each in its class. */
    private static void addNeed(TotalsRecord.Builder totals, int index, int sign) {
        List<Long> counts = counted(totals.getNeedsByClassList(), index, sign);
        totals.clearNeedsByClass().addAllNeedsByClass(counts);
    }

    private static List<Long> counted(List<Long> before, int index, int sign) {
        List<Long> counts = new ArrayList<>(before);
        while (counts.size() <= index) {
            counts.add(0L);
        }
        counts.set(index, Math.max(0, counts.get(index) + sign));
        while (!counts.isEmpty() && counts.get(counts.size() - 1) == 0) {
            counts.remove(counts.size() - 1);
        }
        return counts;
    }

    private static void addShare(TotalsRecord.Builder totals, DirectorySliceRecord share, int sign) {
        totals.setFiles(totals.getFiles() + sign * share.getFiles());
        totals.setSymlinks(totals.getSymlinks() + sign * share.getSymlinks());
        totals.setBytes(totals.getBytes() + sign * share.getBytes());
    }

    private static void addReclaim(TotalsRecord.Builder totals, ReclaimRecord reclaim, int sign) {
        if (reclaim.getBlockId() == 0) {
            totals.setReclaimDirectories(totals.getReclaimDirectories() + sign);
        } else {
            totals.setReclaimBlocks(totals.getReclaimBlocks() + sign);
            totals.setReclaimBytes(totals.getReclaimBytes() + sign * reclaim.getBytes());
        }
    }
}
