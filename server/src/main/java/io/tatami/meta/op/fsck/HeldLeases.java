package io.tatami.meta.op.fsck;

import io.tatami.meta.state.wire.HomeRecord;
import io.tatami.protocol.wire.HeldLease;

/** The leases of files as a check tells them. */
final class HeldLeases {
    private HeldLeases() {}

    /** @param home of a file that is open */
    static HeldLease of(HomeRecord home, long nowMillis) {
        HeldLease.Holder holder = switch (home.getState()) {
            case RECOVERING -> HeldLease.Holder.RECOVERY;
            case TRUNCATING -> HeldLease.Holder.TRUNCATION;
            case OPEN, UNWRITTEN, CLOSED, UNRECOGNIZED -> HeldLease.Holder.WRITER;
        };
        return HeldLease.newBuilder()
                .setHolder(holder)
                .setSession(home.getWriterSession())
                .setUnchangedMillis(Math.max(0, nowMillis - home.getModifiedMillis()))
                .build();
    }
}
