package io.tatami.meta.service.tree.flow;

import io.tatami.base.TatamiException;
import io.tatami.meta.op.Access;
import io.tatami.meta.op.Subject;
import io.tatami.meta.op.tree.GetDirectory;
import io.tatami.meta.op.tree.wire.Child;
import io.tatami.meta.service.BackgroundTask;
import io.tatami.meta.service.Flow;
import io.tatami.meta.service.RequestOrigin;
import io.tatami.meta.service.tree.LeaderTree;
import io.tatami.meta.service.tree.flow.RestingWalks.Key;
import io.tatami.meta.service.tree.flow.SubtreeWalk.Directory;
import io.tatami.meta.service.tree.flow.SubtreeWalk.Page;
import io.tatami.meta.state.Caller;
import io.tatami.protocol.wire.ContentSummaryReply;
import io.tatami.protocol.wire.ContentSummaryRequest;
import io.tatami.protocol.wire.DirectorySlice;
import io.tatami.protocol.wire.GetDirectoryReply;
import io.tatami.protocol.wire.GetDirectoryRequest;
import java.security.SecureRandom;
import java.util.concurrent.CompletableFuture;

/**
 * Sums up a subtree from the shares of its directories, each of which the caller must be able to read and enter. A
 * request counts some thousand directories, so that none takes long and what nobody waits for any more goes on for no
 * time: who asks gets what was counted so far, and a number by which the next request goes on.
 */
final class ContentSummaryFlow implements Flow<ContentSummaryRequest, ContentSummaryReply> {
    private final LeaderTree tree;
    private final GetDirectory get;
    private final RestingWalks<Count> resting;
    private final SecureRandom random = new SecureRandom();

    ContentSummaryFlow(LeaderTree tree) {
        this.tree = tree;
        this.get = new GetDirectory(tree.parts().signer().rights());
        this.resting = new RestingWalks<>(tree.parts().clock(), count -> {});
    }

    /** The counts that wait to go on. */
    BackgroundTask resting() {
        return resting;
    }

    @Override
    public CompletableFuture<ContentSummaryReply> run(RequestOrigin origin, ContentSummaryRequest request) {
        Count rested = resting.take(new Key(origin.caller(), request));
        if (rested != null) {
            return goOn(rested);
        }
        GetDirectoryRequest start =
                GetDirectoryRequest.newBuilder().setPath(request.getPath()).build();
        return tree.term()
                .thenCompose(changes -> tree.group().read(get, origin, start))
                .thenCompose(found -> goOn(new Count(origin.caller(), request.getPath(), found)));
    }

    private CompletableFuture<ContentSummaryReply> goOn(Count count) {
        return count.walk
                .goOn()
                .thenApply(end -> count.sum.setUnfinished(end ? 0 : rest(count)).build());
    }

    private long rest(Count count) {
        long number = random.nextLong(1, Long.MAX_VALUE);
        ContentSummaryRequest next = ContentSummaryRequest.newBuilder()
                .setPath(count.path)
                .setUnfinished(number)
                .build();
        resting.rest(new Key(count.caller, next), count);
        return number;
    }

    /** What is counted so far, and the way through the rest. One request at a time has it. */
    private final class Count {
        private final Caller caller;
        private final String path;
        private final ContentSummaryReply.Builder sum = ContentSummaryReply.newBuilder();
        private final SubtreeWalk walk;

        Count(Caller caller, String path, GetDirectoryReply root) {
            this.caller = caller;
            this.path = path;
            Child top = Child.newBuilder()
                    .setDirectoryId(root.getStatus().getId())
                    .setSpread(root.getStatus().getSpread())
                    .setWideningFrom(root.getWideningFrom())
                    .setAttributes(root.getStatus().getAttributes())
                    .build();
            this.walk = new SubtreeWalk(tree, new Directory(top, path), this::add);
        }

        private CompletableFuture<Void> add(Page page) {
            try {
                Access.require(
                        caller,
                        page.directory().child().getAttributes(),
                        Access.READ | Access.EXECUTE,
                        Subject.directory(page.directory().path()));
            } catch (TatamiException e) {
                return CompletableFuture.failedFuture(e);
            }
            if (page.first()) {
                sum.setDirectories(sum.getDirectories() + 1);
                for (DirectorySlice slice : page.slices()) {
                    sum.setFiles(sum.getFiles() + slice.getFiles() + slice.getSymlinks())
                            .setLength(sum.getLength() + slice.getBytes())
                            .setSpaceConsumed(sum.getSpaceConsumed() + slice.getSpaceConsumed());
                }
            }
            return CompletableFuture.completedFuture(null);
        }
    }
}
