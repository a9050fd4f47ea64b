package io.tatami.meta.service.tree.flow;

import io.tatami.base.ErrorCode;
import io.tatami.files.CrashPoint;
import io.tatami.meta.op.tree.CommitRename;
import io.tatami.meta.op.tree.PlanRename;
import io.tatami.meta.op.tree.wire.CommitRenameRequest;
import io.tatami.meta.op.tree.wire.RenamePlan;
import io.tatami.meta.service.Flow;
import io.tatami.meta.service.RequestOrigin;
import io.tatami.meta.service.tree.Announced;
import io.tatami.meta.service.tree.Failures;
import io.tatami.meta.service.tree.LeaderTree;
import io.tatami.protocol.MetaMethods;
import io.tatami.protocol.RefusalFormat;
import io.tatami.protocol.wire.Empty;
import io.tatami.protocol.wire.RenameDirectoryRequest;
import io.tatami.protocol.wire.ReserveMarkerReply;
import io.tatami.protocol.wire.TreeChange;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Renames a directory, by the leader of the namespace group: plan and check; reserve the new name by a marker; announce
 * the change and wait for every acknowledgement; commit in one batch; release the old name. To replace an empty
 * directory, no marker is needed; it is announced too, and its emptiness is judged after the acknowledgements.
 */
final class RenameDirectoryFlow implements Flow<RenameDirectoryRequest, Empty> {
    private static final PlanRename PLAN = new PlanRename();
    private static final CommitRename COMMIT = new CommitRename();

    private final LeaderTree tree;

    RenameDirectoryFlow(LeaderTree tree) {
        this.tree = tree;
    }

    @Override
    public CompletableFuture<Empty> run(RequestOrigin origin, RenameDirectoryRequest request) {
        return tree.term().thenCompose(changes -> tree.repeating(() -> attempt(origin, request)));
    }

    private CompletableFuture<Empty> attempt(RequestOrigin origin, RenameDirectoryRequest request) {
        return tree.group()
                .read(PLAN, origin, request)
                .thenCompose(plan -> plan.hasRefusal()
                        ? refuse(request, plan)
                        : tree.holding(
                                List.of(plan.getSource(), plan.getDestination()),
                                plan.getDestination(),
                                request.getSource(),
                                () -> rename(origin, request, plan),
                                // After the answer: for a request that meets the marker meanwhile, the tree is asked.
                                renamed -> tree.release(plan.getSource())));
    }

    private CompletableFuture<Empty> rename(RequestOrigin origin, RenameDirectoryRequest request, RenamePlan plan) {
        boolean replaces = plan.getDestination().getDirectoryId() != 0;
        CompletableFuture<ReserveMarkerReply> reserved = replaces
                ? CompletableFuture.completedFuture(ReserveMarkerReply.getDefaultInstance())
                : tree.reserve(plan.getDestination(), plan.getSource().getDirectoryId());
        return reserved.thenCompose(reply -> {
            if (reply.getTaken()) {
                return Failures.failed(
                        ErrorCode.INVALID_ARGUMENT,
                        "Source " + request.getSource() + " and destination " + request.getDestination()
                                + " must both be directories");
            }
            CrashPoint.hit("meta.rename-directory.reserved");
            return tree.changing(changes(plan), announced -> commit(origin, request, plan, announced));
        });
    }

    private CompletableFuture<Empty> commit(
            RequestOrigin origin, RenameDirectoryRequest request, RenamePlan plan, Announced announced) {
        CrashPoint.hit("meta.rename-directory.announced");
        long replaced = plan.getDestination().getDirectoryId();
        if (replaced != 0 && !announced.isWithoutFiles(plan.getDestination())) {
            return announced.isInMotion(plan.getDestination())
                    ? Failures.failed(ErrorCode.BUSY, "entries of " + request.getDestination() + " are being moved")
                    : CompletableFuture.failedFuture(PlanRename.notEmpty(request.getDestination()));
        }
        CommitRenameRequest commit = CommitRenameRequest.newBuilder()
                .setRequest(request)
                .setPlan(plan)
                .setVersion(announced.version().value())
                .build();
        return tree.group()
                .submitOnce(MetaMethods.RENAME_DIRECTORY, COMMIT, origin, commit)
                .thenCompose(reply -> {
                    CrashPoint.hit("meta.rename-directory.committed");
                    // Before the answer: a marker that came after a deletion of the directory around it would stay.
                    CompletableFuture<Void> relabelled = replaced == 0
                            ? CompletableFuture.completedFuture(null)
                            : tree.relabel(
                                    plan.getDestination(), plan.getSource().getDirectoryId());
                    return relabelled.thenApply(done -> reply);
                });
    }

    private static List<TreeChange> changes(RenamePlan plan) {
        List<TreeChange> changes = new ArrayList<>();
        changes.add(TreeChange.newBuilder()
                .setDirectoryId(plan.getSource().getDirectoryId())
                .build());
        if (plan.getDestination().getDirectoryId() != 0) {
            changes.add(TreeChange.newBuilder()
                    .setDirectoryId(plan.getDestination().getDirectoryId())
                    .build());
        }
        return changes;
    }

    private CompletableFuture<Empty> refuse(RenameDirectoryRequest request, RenamePlan plan) {
        return tree.askWhoHas(plan.getDestination())
                .thenCompose(reply -> reply.getTaken()
                        ? Failures.failed(
                                ErrorCode.NOT_A_DIRECTORY,
                                "rename destination parent " + request.getDestination() + " is a file.")
                        : CompletableFuture.failedFuture(RefusalFormat.exception(
                                plan.getRefusal().getRefusal(),
                                plan.getRefusal().getMessage())));
    }
}
