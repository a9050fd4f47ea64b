package io.tatami.meta.op.servers;

import io.tatami.meta.state.wire.BlockServerRecord;

/**
 * The rack of a block server: what an administrator gave it, else what it was started with, else what the table or the
 * script of racks says of its host.
 */
public final class ServerRack {
    /** Of a server of which nobody says anything; servers of earlier releases register with it. */
    public static final String DEFAULT = "/default-rack";

    private ServerRack() {}

    public static String of(BlockServerRecord record) {
        if (!record.getGivenRack().isEmpty()) {
            return record.getGivenRack();
        }
        if (!isResolved(record)) {
            return record.getRack();
        }
        return record.getResolvedRack().isEmpty() ? DEFAULT : record.getResolvedRack();
    }

    /** Whether the table or the script is to be asked for the rack. */
    public static boolean isResolved(BlockServerRecord record) {
        return record.getGivenRack().isEmpty()
                && (record.getRack().isEmpty() || record.getRack().equals(DEFAULT));
    }

    /** The record as it is to be kept: where the rack is another than before, that is counted. */
    static BlockServerRecord counted(BlockServerRecord before, BlockServerRecord now) {
        return of(before).equals(of(now))
                ? now
                : now.toBuilder().setRackChanges(now.getRackChanges() + 1).build();
    }
}
