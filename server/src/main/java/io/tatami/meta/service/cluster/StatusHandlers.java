package io.tatami.meta.service.cluster;

import io.tatami.meta.op.cluster.CountRecords;
import io.tatami.meta.service.GroupFigures;
import io.tatami.meta.service.GroupPart;
import io.tatami.meta.service.GroupTable;
import io.tatami.meta.service.PartContext;
import io.tatami.meta.state.Draft;
import io.tatami.meta.state.View;
import io.tatami.protocol.MetaMethods;
import io.tatami.protocol.wire.GroupStatusReply;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;

/** What every group says of itself. */
public final class StatusHandlers implements GroupPart<Draft> {
    private final CountRecords count;
    private final GroupFigures figures;

    /** @param firstDirectoriesMissing whether the cluster still waits for them, as far as this group has a say in it */
    public StatusHandlers(Predicate<View> firstDirectoriesMissing, GroupFigures figures) {
        this.count = new CountRecords(firstDirectoriesMissing);
        this.figures = figures;
    }

    @Override
    public void register(GroupTable<Draft> table, PartContext<Draft> parts) {
        table.flow(
                MetaMethods.GROUP_STATUS,
                (origin, request) -> parts.group().read(count, origin, request).thenCompose(this::withFigures));
    }

    private CompletableFuture<GroupStatusReply> withFigures(GroupStatusReply records) {
        return figures.logBytes()
                .thenApply(logBytes -> records.toBuilder()
                        .setLogBytes(logBytes)
                        .setChangeMicrosP99(figures.changeMicrosP99())
                        .build());
    }
}
