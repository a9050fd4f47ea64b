package io.tatami.meta.service.tree.flow;

import io.tatami.base.ErrorCode;
import io.tatami.files.CrashPoint;
import io.tatami.meta.op.tree.CommitDelete;
import io.tatami.meta.op.tree.PlanDelete;
import io.tatami.meta.op.tree.PlanOutdatedException;
import io.tatami.meta.op.tree.wire.CommitDeleteRequest;
import io.tatami.meta.op.tree.wire.DeletePlan;
import io.tatami.meta.service.BackgroundTask;
import io.tatami.meta.service.Flow;
import io.tatami.meta.service.RequestOrigin;
import io.tatami.meta.service.tree.Announced;
import io.tatami.meta.service.tree.Failures;
import io.tatami.meta.service.tree.LeaderTree;
import io.tatami.meta.service.tree.flow.RestingWalks.Key;
import io.tatami.meta.state.Caller;
import io.tatami.protocol.MetaMethods;
import io.tatami.protocol.wire.DeleteDirectoryReply;
import io.tatami.protocol.wire.DeleteDirectoryRequest;
import io.tatami.protocol.wire.TreeChange;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/**
 * Deletes a directory: announced, so that nothing more is made in it, judged, and unhooked in one commit. The
 * superuser's deletion takes the same time for any subtree; for others the directories below are walked, as HDFS checks
 * access to them, in as many requests as that takes. Writers below ask whether their directory stands, as after any
 * change that was announced.
 */
final class DeleteDirectoryFlow implements Flow<DeleteDirectoryRequest, DeleteDirectoryReply> {
    private static final PlanDelete PLAN = new PlanDelete();
    private static final CommitDelete COMMIT = new CommitDelete();

    private final LeaderTree tree;
    private final DeletionAccess access;
    private final RestingWalks<SubtreeDeletion> resting;

    DeleteDirectoryFlow(LeaderTree tree) {
        this.tree = tree;
        this.access = new DeletionAccess(tree);
        this.resting = new RestingWalks<>(tree.parts().clock(), SubtreeDeletion::forget);
    }

    /** The deletions that wait to go on. */
    BackgroundTask resting() {
        return resting;
    }

    @Override
    public CompletableFuture<DeleteDirectoryReply> run(RequestOrigin origin, DeleteDirectoryRequest request) {
        return tree.term()
                .thenCompose(changes -> tree.repeating(() -> {
                    SubtreeDeletion rested = resting.take(new Key(origin.caller(), request));
                    return rested == null ? begin(origin, request) : rested.goOn(origin);
                }));
    }

    private CompletableFuture<DeleteDirectoryReply> begin(RequestOrigin origin, DeleteDirectoryRequest request) {
        return tree.group().read(PLAN, origin, request).thenCompose(plan -> {
            boolean surelyNotEmpty = plan.getHasChildDirectories() && !request.getRecursive();
            if (surelyNotEmpty && origin.caller().superuser()) {
                return CompletableFuture.failedFuture(PlanDelete.notEmpty(request.getPath()));
            }
            SubtreeDeletion deletion = new SubtreeDeletion(origin, request, plan, resting);
            CompletableFuture<DeleteDirectoryReply> answer = deletion.answer();
            CompletableFuture<DeleteDirectoryReply> unused =
                    fenced(deletion, announced -> judge(deletion, announced)).whenComplete(deletion::end);
            return answer;
        });
    }

    /**
     * Holds the name until its marker is released. Until the deletion is over, shards refuse handles through the
     * directory.
     */
    private CompletableFuture<DeleteDirectoryReply> fenced(
            SubtreeDeletion deletion, Function<Announced, CompletableFuture<DeleteDirectoryReply>> body) {
        return tree.names()
                .holding(
                        List.of(deletion.plan().getPlace()),
                        waited -> waited
                                ? CompletableFuture.failedFuture(new PlanOutdatedException(deletion.path()))
                                : tree.changing(List.of(change(deletion)), body),
                        deleted -> freeName(deletion));
    }

    private static TreeChange change(SubtreeDeletion deletion) {
        return TreeChange.newBuilder()
                .setDirectoryId(deletion.plan().getPlace().getDirectoryId())
                .build();
    }

    private CompletableFuture<DeleteDirectoryReply> judge(SubtreeDeletion deletion, Announced announced) {
        CrashPoint.hit("meta.delete-directory.announced");
        DeletePlan plan = deletion.plan();
        long directory = plan.getPlace().getDirectoryId();
        if (announced.isWithoutFiles(plan.getPlace()) && !plan.getHasChildDirectories()) {
            return commit(deletion);
        }
        Caller caller = deletion.origin().caller();
        if (caller.superuser()) {
            return granted(deletion, announced);
        }
        return tree.judged()
                .judging(
                        directory,
                        () -> deletion.walk(access.walk(caller, deletion.path(), plan))
                                .thenCompose(done -> granted(deletion, announced)));
    }

    private CompletableFuture<DeleteDirectoryReply> granted(SubtreeDeletion deletion, Announced announced) {
        DeletePlan plan = deletion.plan();
        if (deletion.request().getRecursive()) {
            return commit(deletion);
        }
        return !plan.getHasChildDirectories() && announced.isInMotion(plan.getPlace())
                ? Failures.failed(ErrorCode.BUSY, "entries of " + deletion.path() + " are being moved")
                : CompletableFuture.failedFuture(PlanDelete.notEmpty(deletion.path()));
    }

    private CompletableFuture<DeleteDirectoryReply> commit(SubtreeDeletion deletion) {
        DeletePlan plan = deletion.plan();
        CommitDeleteRequest commit = CommitDeleteRequest.newBuilder()
                .setRequest(deletion.request())
                .setDirectoryId(plan.getPlace().getDirectoryId())
                .setSpread(plan.getPlace().getSpread())
                .build();
        return tree.group().submitOnce(MetaMethods.DELETE_DIRECTORY, COMMIT, deletion.origin(), commit);
    }

    /** After the answer: for a request that meets the marker meanwhile, the tree is asked. */
    private CompletableFuture<Void> freeName(SubtreeDeletion deletion) {
        CrashPoint.hit("meta.delete-directory.committed");
        return tree.release(deletion.plan().getPlace());
    }
}
