package io.tatami.meta.service.tree;

import io.tatami.base.TatamiException;
import io.tatami.meta.op.Access;
import io.tatami.meta.op.Subject;
import io.tatami.meta.op.tree.GetDirectory;
import io.tatami.meta.op.tree.wire.Child;
import io.tatami.meta.service.Flow;
import io.tatami.meta.service.RequestOrigin;
import io.tatami.meta.service.tree.SubtreeWalk.Directory;
import io.tatami.protocol.wire.ContentSummaryReply;
import io.tatami.protocol.wire.ContentSummaryRequest;
import io.tatami.protocol.wire.GetDirectoryRequest;
import io.tatami.protocol.wire.Share;
import io.tatami.protocol.wire.Status;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Sums up a subtree from the shares of its directories, each of which the caller must be able to read and enter. */
final class ContentSummaryFlow implements Flow<ContentSummaryRequest, ContentSummaryReply> {
    private final LeaderTree tree;
    private final GetDirectory get;

    ContentSummaryFlow(LeaderTree tree) {
        this.tree = tree;
        this.get = new GetDirectory(tree.parts().signer().rights());
    }

    @Override
    public CompletableFuture<ContentSummaryReply> run(RequestOrigin origin, ContentSummaryRequest request) {
        GetDirectoryRequest start =
                GetDirectoryRequest.newBuilder().setPath(request.getPath()).build();
        return tree.term()
                .thenCompose(changes -> tree.group().read(get, origin, start))
                .thenCompose(found -> sum(origin, request.getPath(), found.getStatus()));
    }

    private CompletableFuture<ContentSummaryReply> sum(RequestOrigin origin, String path, Status root) {
        ContentSummaryReply.Builder sum = ContentSummaryReply.newBuilder();
        Child top = Child.newBuilder()
                .setDirectoryId(root.getId())
                .setSpread(root.getSpread())
                .setAttributes(root.getAttributes())
                .build();
        SubtreeWalk walk = new SubtreeWalk(tree, page -> {
            try {
                Access.require(
                        origin.caller(),
                        page.directory().child().getAttributes(),
                        Access.READ | Access.EXECUTE,
                        Subject.directory(page.directory().path()));
            } catch (TatamiException e) {
                return CompletableFuture.failedFuture(e);
            }
            if (page.first()) {
                add(sum, page.shares());
            }
            return CompletableFuture.completedFuture(null);
        });
        return walk.from(new Directory(top, path)).thenApply(done -> sum.build());
    }

    /** One walk visits one directory after another, so nothing is added at the same time. */
    private static void add(ContentSummaryReply.Builder sum, List<Share> shares) {
        sum.setDirectories(sum.getDirectories() + 1);
        for (Share share : shares) {
            sum.setFiles(sum.getFiles() + share.getFiles() + share.getSymlinks())
                    .setLength(sum.getLength() + share.getBytes())
                    .setSpaceConsumed(sum.getSpaceConsumed() + share.getSpaceConsumed());
        }
    }
}
