package io.tatami.meta.service.cluster;

import io.tatami.meta.op.cluster.CountRecords;
import io.tatami.meta.service.GroupPart;
import io.tatami.meta.service.GroupTable;
import io.tatami.meta.service.PartContext;
import io.tatami.meta.state.Draft;
import io.tatami.meta.state.View;
import io.tatami.protocol.MetaMethods;
import java.util.function.Predicate;

/** What every group says of itself. */
public final class StatusHandlers implements GroupPart<Draft> {
    private final Predicate<View> firstDirectoriesMissing;

    /** @param firstDirectoriesMissing whether the cluster still waits for them, as far as this group has a say in it */
    public StatusHandlers(Predicate<View> firstDirectoriesMissing) {
        this.firstDirectoriesMissing = firstDirectoriesMissing;
    }

    @Override
    public void register(GroupTable<Draft> table, PartContext<Draft> parts) {
        table.read(MetaMethods.GROUP_STATUS, new CountRecords(firstDirectoriesMissing));
    }
}
