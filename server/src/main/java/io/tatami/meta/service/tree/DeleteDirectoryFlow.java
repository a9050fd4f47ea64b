package io.tatami.meta.service.tree;

import io.tatami.base.CrashPoint;
import io.tatami.base.ErrorCode;
import io.tatami.meta.op.tree.CommitDelete;
import io.tatami.meta.op.tree.PlanDelete;
import io.tatami.meta.op.tree.PlanOutdatedException;
import io.tatami.meta.op.tree.wire.CommitDeleteRequest;
import io.tatami.meta.op.tree.wire.DeletePlan;
import io.tatami.meta.service.Flow;
import io.tatami.meta.service.RequestOrigin;
import io.tatami.protocol.MetaMethods;
import io.tatami.protocol.wire.DeleteDirectoryRequest;
import io.tatami.protocol.wire.Empty;
import io.tatami.protocol.wire.TreeChange;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Deletes a directory: announced to all shards, so that nothing more is made in it, judged, and unhooked in one commit.
 * The superuser's deletion takes the same time for any subtree; for others the directories below are walked, as HDFS
 * checks access to them. Writers below are told before the deletion is answered.
 */
final class DeleteDirectoryFlow implements Flow<DeleteDirectoryRequest, Empty> {
    private static final PlanDelete PLAN = new PlanDelete();
    private static final CommitDelete COMMIT = new CommitDelete();

    private static final Logger LOG = LoggerFactory.getLogger(DeleteDirectoryFlow.class);

    private final LeaderTree tree;
    private final DeletionAccess access;

    DeleteDirectoryFlow(LeaderTree tree) {
        this.tree = tree;
        this.access = new DeletionAccess(tree);
    }

    @Override
    public CompletableFuture<Empty> run(RequestOrigin origin, DeleteDirectoryRequest request) {
        return tree.term().thenCompose(changes -> tree.repeating(() -> attempt(origin, request)));
    }

    private CompletableFuture<Empty> attempt(RequestOrigin origin, DeleteDirectoryRequest request) {
        return tree.group().read(PLAN, origin, request).thenCompose(plan -> {
            boolean surelyNotEmpty = plan.getHasChildDirectories() && !request.getRecursive();
            if (surelyNotEmpty && origin.caller().superuser()) {
                return CompletableFuture.failedFuture(PlanDelete.notEmpty(request.getPath()));
            }
            return tree.names()
                    .holding(
                            List.of(plan.getPlace()),
                            waited -> waited
                                    ? CompletableFuture.failedFuture(new PlanOutdatedException(request.getPath()))
                                    : tree.changing(
                                            List.of(change(plan, false)),
                                            announced -> judge(origin, request, plan, announced)));
        });
    }

    private CompletableFuture<Empty> judge(
            RequestOrigin origin, DeleteDirectoryRequest request, DeletePlan plan, Announced announced) {
        CrashPoint.hit("meta.delete-directory.announced");
        long directory = plan.getPlace().getDirectoryId();
        boolean hasFiles = announced.hasFiles(directory);
        if (!hasFiles && !plan.getHasChildDirectories()) {
            return commit(origin, request, plan, 0);
        }
        CompletableFuture<Void> allowed = origin.caller().superuser()
                ? CompletableFuture.completedFuture(null)
                : access.require(origin.caller(), request.getPath(), plan);
        return allowed.thenCompose(granted -> {
            if (request.getRecursive()) {
                return commit(origin, request, plan, announced.version());
            }
            return !plan.getHasChildDirectories() && announced.hasMoves(directory)
                    ? Failures.failed(ErrorCode.BUSY, "entries are being moved out of " + request.getPath())
                    : CompletableFuture.failedFuture(PlanDelete.notEmpty(request.getPath()));
        });
    }

    /** @param version of the change, 0 where nothing was below the directory */
    private CompletableFuture<Empty> commit(
            RequestOrigin origin, DeleteDirectoryRequest request, DeletePlan plan, long version) {
        CommitDeleteRequest commit = CommitDeleteRequest.newBuilder()
                .setRequest(request)
                .setDirectoryId(plan.getPlace().getDirectoryId())
                .setVersion(version)
                .build();
        return tree.group()
                .submitOnce(MetaMethods.DELETE_DIRECTORY, COMMIT, origin, commit)
                .thenCompose(reply -> {
                    CrashPoint.hit("meta.delete-directory.committed");
                    return cutWritersOff(plan, version)
                            .thenCombine(tree.release(plan.getPlace()), (left, right) -> reply);
                });
    }

    /** A shard that does not hear it now hears it from the reclamation. */
    private CompletableFuture<Void> cutWritersOff(DeletePlan plan, long version) {
        return version == 0
                ? CompletableFuture.completedFuture(null)
                : tree.announce(List.of(change(plan, true)), version).handle((announced, thrown) -> {
                    if (thrown != null) {
                        LOG.info("writers below {} are told later that it is deleted", plan.getPlace(), thrown);
                    }
                    return null;
                });
    }

    private static TreeChange change(DeletePlan plan, boolean deletion) {
        return TreeChange.newBuilder()
                .setDirectoryId(plan.getPlace().getDirectoryId())
                .setDeletion(deletion)
                .build();
    }
}
