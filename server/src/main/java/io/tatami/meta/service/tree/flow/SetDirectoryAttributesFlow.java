package io.tatami.meta.service.tree.flow;

import io.tatami.files.CrashPoint;
import io.tatami.meta.op.tree.CommitAttributes;
import io.tatami.meta.op.tree.PlanAttributes;
import io.tatami.meta.op.tree.wire.AttributesPlan;
import io.tatami.meta.op.tree.wire.CommitAttributesRequest;
import io.tatami.meta.service.Flow;
import io.tatami.meta.service.RequestOrigin;
import io.tatami.meta.service.tree.LeaderTree;
import io.tatami.protocol.MetaMethods;
import io.tatami.protocol.wire.Empty;
import io.tatami.protocol.wire.SetDirectoryAttributesRequest;
import io.tatami.protocol.wire.TreeChange;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Changes a directory's attributes. What handles carry or depend on is announced first; so is a new modification time,
 * because the shards' later one must not count any more. The rest is one commit.
 */
final class SetDirectoryAttributesFlow implements Flow<SetDirectoryAttributesRequest, Empty> {
    private static final PlanAttributes PLAN = new PlanAttributes();
    private static final CommitAttributes COMMIT = new CommitAttributes();

    private final LeaderTree tree;

    SetDirectoryAttributesFlow(LeaderTree tree) {
        this.tree = tree;
    }

    @Override
    public CompletableFuture<Empty> run(RequestOrigin origin, SetDirectoryAttributesRequest request) {
        return tree.term().thenCompose(changes -> tree.repeating(() -> attempt(origin, request)));
    }

    private CompletableFuture<Empty> attempt(RequestOrigin origin, SetDirectoryAttributesRequest request) {
        return tree.group().read(PLAN, origin, request).thenCompose(plan -> {
            boolean resetsTimes = request.getChange().hasModifiedMillis();
            if (!plan.getConcernsHandles() && !resetsTimes) {
                return commit(origin, request, plan);
            }
            TreeChange change = TreeChange.newBuilder()
                    .setDirectoryId(plan.getPlace().getDirectoryId())
                    .setSelfOnly(!plan.getConcernsHandles())
                    .setResetTimes(resetsTimes)
                    .build();
            return tree.holding(
                    List.of(),
                    plan.getPlace(),
                    request.getPath(),
                    () -> tree.changing(List.of(change), announced -> {
                        CrashPoint.hit("meta.set-directory-attributes.announced");
                        return commit(origin, request, plan);
                    }));
        });
    }

    private CompletableFuture<Empty> commit(
            RequestOrigin origin, SetDirectoryAttributesRequest request, AttributesPlan plan) {
        CommitAttributesRequest commit = CommitAttributesRequest.newBuilder()
                .setRequest(request)
                .setDirectoryId(plan.getPlace().getDirectoryId())
                .build();
        return tree.group().submitOnce(MetaMethods.SET_DIRECTORY_ATTRIBUTES, COMMIT, origin, commit);
    }
}
