package io.tatami.meta.state;

import io.tatami.meta.state.wire.ReclaimRecord;
import io.tatami.meta.state.wire.ShareRecord;
import io.tatami.meta.state.wire.TotalsRecord;
import java.util.Arrays;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How much a group holds, kept with every batch so that nobody needs to count: for each kind of record that is counted,
 * what a batch adds and takes away is found by a look at the record it replaces. Pure.
 */
public final class Totals {
    private static final byte[] KEY = Keys.singleton("totals");
    private static final String COUNTED_KINDS = "bgilostqx";

    private Totals() {}

    public static TotalsRecord of(View view) {
        byte[] value = view.get(KEY);
        return value == null ? TotalsRecord.getDefaultInstance() : Records.parse(value, TotalsRecord.parser());
    }

    /** Brings the totals up to what {@code batch} makes of {@code before}, which is its base. */
    public static void update(Draft batch, View before) {
        TotalsRecord.Builder totals = null;
        for (char kind : COUNTED_KINDS.toCharArray()) {
            byte[] from = Keys.kind(kind);
            for (Map.Entry<byte[], Draft.Change> change :
                    batch.changes().subMap(from, true, Keys.after(from), false).entrySet()) {
                byte[] old = before.get(change.getKey());
                byte[] now = change.getValue().value();
                if (totals == null) {
                    totals = of(before).toBuilder();
                }
                if (!Arrays.equals(old, now)) {
                    add(totals, kind, old, -1);
                    add(totals, kind, now, 1);
                }
            }
        }
        if (totals != null) {
            byte[] value = totals.build().toByteArray();
            if (!Arrays.equals(value, before.get(KEY))) {
                batch.put(KEY, value);
            }
        }
    }

    private static void add(TotalsRecord.Builder totals, char kind, byte @Nullable [] value, int sign) {
        if (value == null) {
            return;
        }
        switch (kind) {
            case 'b' -> totals.setBlocks(totals.getBlocks() + sign);
            case 'g' -> totals.setGates(totals.getGates() + sign);
            case 'i' -> totals.setDirectories(totals.getDirectories() + sign);
            case 'l' -> totals.setLeases(totals.getLeases() + sign);
            case 'o' -> totals.setOutbox(totals.getOutbox() + sign);
            case 's' -> addShare(totals, Records.parse(value, ShareRecord.parser()), sign);
            case 't' -> totals.setTransactions(totals.getTransactions() + sign);
            case 'q' -> addReclaim(totals, Records.parse(value, ReclaimRecord.parser()), sign);
            case 'x' -> totals.setIntents(totals.getIntents() + sign);
            default -> throw new IllegalStateException("records of kind " + kind + " are not counted");
        }
    }

    private static void addShare(TotalsRecord.Builder totals, ShareRecord share, int sign) {
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
