package io.tatami.meta.service.tree.flow;

import io.tatami.files.CrashPoint;
import io.tatami.meta.op.widen.CommitWiden;
import io.tatami.meta.op.widen.PlanWiden;
import io.tatami.meta.service.Flow;
import io.tatami.meta.service.RequestOrigin;
import io.tatami.meta.service.tree.LeaderTree;
import io.tatami.protocol.wire.TreeChange;
import io.tatami.protocol.wire.WidenDirectoryReply;
import io.tatami.protocol.wire.WidenDirectoryRequest;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Divides a directory over twice as many shards: announced to its shards of now and then, so that none acts on a handle
 * with the old spread, then one commit. That the entries follow is {@link WideningDirectories}' work.
 */
final class WidenDirectoryFlow implements Flow<WidenDirectoryRequest, WidenDirectoryReply> {
    private final LeaderTree tree;
    private final PlanWiden plan;
    private final CommitWiden commit;

    WidenDirectoryFlow(LeaderTree tree) {
        this.tree = tree;
        this.plan = new PlanWiden(tree.shards());
        this.commit = new CommitWiden(tree.shards());
    }

    @Override
    public CompletableFuture<WidenDirectoryReply> run(RequestOrigin origin, WidenDirectoryRequest request) {
        return tree.term().thenCompose(changes -> tree.repeating(() -> attempt(origin, request)));
    }

    private CompletableFuture<WidenDirectoryReply> attempt(RequestOrigin origin, WidenDirectoryRequest request) {
        return tree.group().read(plan, origin, request).thenCompose(planned -> {
            if (!planned.hasPlace()) {
                return CompletableFuture.completedFuture(WidenDirectoryReply.newBuilder()
                        .setUnderWay(planned.getUnderWay())
                        .build());
            }
            TreeChange change = TreeChange.newBuilder()
                    .setDirectoryId(request.getDirectoryId())
                    .setSelfOnly(true)
                    .build();
            return tree.holding(
                    List.of(),
                    planned.getPlace(),
                    planned.getPlace().getName(),
                    () -> tree.spreading(change, planned.getPlace().getSpread() * 2, announced -> {
                        CrashPoint.hit("meta.widen-directory.announced");
                        return tree.group().submit(commit, origin, request);
                    }));
        });
    }
}
