package io.tatami.meta.service.tree.flow;

import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.meta.op.tree.wire.DeletePlan;
import io.tatami.meta.service.RequestOrigin;
import io.tatami.meta.service.tree.flow.RestingWalks.Key;
import io.tatami.protocol.wire.DeleteDirectoryReply;
import io.tatami.protocol.wire.DeleteDirectoryRequest;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A deletion under way and the request that sees to it: each has some thousand of the directories below looked at and
 * is told that it is not the last, until one is, with whose number it is committed. It rests in between and keeps all
 * that the flow holds; when it is forgotten it fails, and the flow lets go of that. One request at a time has it.
 */
final class SubtreeDeletion {
    private static final Logger LOG = LoggerFactory.getLogger(SubtreeDeletion.class);
    private static final DeleteDirectoryReply UNFINISHED =
            DeleteDirectoryReply.newBuilder().setUnfinished(true).build();

    private final DeleteDirectoryRequest request;
    private final DeletePlan plan;
    private final RestingWalks<SubtreeDeletion> resting;
    private final CompletableFuture<Void> walked = new CompletableFuture<>();
    private RequestOrigin origin;
    private CompletableFuture<DeleteDirectoryReply> answer = new CompletableFuture<>();
    private @Nullable SubtreeWalk walk;

    SubtreeDeletion(
            RequestOrigin origin,
            DeleteDirectoryRequest request,
            DeletePlan plan,
            RestingWalks<SubtreeDeletion> resting) {
        this.origin = origin;
        this.request = request;
        this.plan = plan;
        this.resting = resting;
    }

    DeleteDirectoryRequest request() {
        return request;
    }

    String path() {
        return request.getPath();
    }

    DeletePlan plan() {
        return plan;
    }

    /** Of the request that has it now. */
    RequestOrigin origin() {
        return origin;
    }

    /** To the request that has it now. */
    CompletableFuture<DeleteDirectoryReply> answer() {
        return answer;
    }

    /** Begins the walk, which ends at once or with a later request. Called once. */
    CompletableFuture<Void> walk(SubtreeWalk begun) {
        walk = begun;
        goOn(begun);
        return walked;
    }

    /** Goes on for another request, which gets the answer. */
    CompletableFuture<DeleteDirectoryReply> goOn(RequestOrigin next) {
        SubtreeWalk begun = walk;
        if (begun == null) {
            throw new IllegalStateException("a deletion rests that was not begun");
        }
        CompletableFuture<DeleteDirectoryReply> asked = new CompletableFuture<>();
        origin = next;
        answer = asked;
        goOn(begun);
        return asked;
    }

    private void goOn(SubtreeWalk begun) {
        boolean inParts = request.getDeletion() != 0;
        CompletableFuture<Boolean> unused = CompletableFuture.completedFuture(begun)
                .thenCompose(one -> inParts ? one.goOn() : one.toEnd().thenApply(done -> true))
                .whenComplete((end, thrown) -> {
                    if (thrown != null) {
                        walked.completeExceptionally(thrown);
                    } else if (end) {
                        walked.complete(null);
                    } else {
                        rest();
                    }
                });
    }

    private void rest() {
        CompletableFuture<DeleteDirectoryReply> asked = answer;
        resting.rest(new Key(origin.caller(), request), this);
        asked.complete(UNFINISHED);
    }

    /** The flow is over; so is whoever waits for it. */
    void end(@Nullable DeleteDirectoryReply reply, @Nullable Throwable thrown) {
        if (reply != null) {
            answer.complete(reply);
        } else {
            answer.completeExceptionally(
                    thrown == null ? new IllegalStateException("no reply and no failure") : thrown);
        }
    }

    /** Nobody comes for it any more. */
    void forget() {
        LOG.info("the deletion of {} is given up, as nobody asked for its end", path());
        walked.completeExceptionally(
                new TatamiException(ErrorCode.BUSY, "no client asked for the rest of the deletion of " + path()));
    }
}
