package io.tatami.meta.service.cluster;

import io.tatami.meta.op.cluster.CountRecords;
import io.tatami.meta.service.GroupParts;
import io.tatami.meta.service.GroupTable;
import io.tatami.meta.service.Handlers;
import io.tatami.meta.state.Draft;
import io.tatami.protocol.MetaMethods;

/** What every group says of itself. */
public final class StatusHandlers implements Handlers<Draft> {
    @Override
    public void register(GroupTable<Draft> table, GroupParts<Draft> parts) {
        table.read(MetaMethods.GROUP_STATUS, new CountRecords());
    }
}
