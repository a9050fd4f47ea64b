package io.tatami.meta.op;

import io.tatami.base.FileId;
import io.tatami.meta.state.ShardState;
import io.tatami.meta.state.wire.HomeRecord;

/** Another number of copies that a file asks for, at its home: its blocks are looked at in the background. */
public final class CopiesChange {
    private CopiesChange() {}

    /** Without effect where the file is gone, or asks for so many already. */
    public static void apply(ShardState state, FileId file, int replication) {
        HomeRecord home = state.home(file);
        if (home == null || home.getReplication() == replication) {
            return;
        }
        state.putHome(file, home.toBuilder().setReplication(replication).build());
        if (home.getBlocks() > 0) {
            state.needs().lookAtFile(file);
        }
    }
}
