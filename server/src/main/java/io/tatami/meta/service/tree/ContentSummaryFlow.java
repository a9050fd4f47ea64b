package io.tatami.meta.service.tree;

import io.tatami.base.TatamiException;
import io.tatami.meta.op.Access;
import io.tatami.meta.op.Subject;
import io.tatami.meta.op.tree.GetDirectory;
import io.tatami.meta.op.tree.wire.Child;
import io.tatami.meta.service.Flow;
import io.tatami.meta.service.RequestOrigin;
import io.tatami.meta.service.tree.SubtreeWalk.Directory;
import io.tatami.meta.service.tree.SubtreeWalk.Page;
import io.tatami.meta.state.Caller;
import io.tatami.protocol.wire.ContentSummaryReply;
import io.tatami.protocol.wire.ContentSummaryRequest;
import io.tatami.protocol.wire.GetDirectoryRequest;
import io.tatami.protocol.wire.Share;
import io.tatami.protocol.wire.Status;
import java.security.SecureRandom;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Sums up a subtree from the shares of its directories, each of which the caller must be able to read and enter. A request
 * counts some thousand directories, so that none takes long and what nobody waits for any more goes on for no time: who
 * asks gets what was counted so far, and a number by which the next request goes on. Counts that rest are in memory only.
 */
final class ContentSummaryFlow implements Flow<ContentSummaryRequest, ContentSummaryReply> {
    private static final int DIRECTORIES_OF_A_REQUEST = 4_000;
    private static final int RESTING_MAX = 256;
    private static final long REST_NANOS = TimeUnit.MINUTES.toNanos(2);

    private final LeaderTree tree;
    private final GetDirectory get;
    private final SecureRandom random = new SecureRandom();

    /** By their numbers, the one that rests for longest first. Guarded by this object's lock. */
    private final Map<Long, Count> resting = new LinkedHashMap<>();

    ContentSummaryFlow(LeaderTree tree) {
        this.tree = tree;
        this.get = new GetDirectory(tree.parts().signer().rights());
    }

    @Override
    public CompletableFuture<ContentSummaryReply> run(RequestOrigin origin, ContentSummaryRequest request) {
        Count rested = take(request.getUnfinished(), origin.caller(), request.getPath());
        if (rested != null) {
            return goOn(rested);
        }
        GetDirectoryRequest start =
                GetDirectoryRequest.newBuilder().setPath(request.getPath()).build();
        return tree.term()
                .thenCompose(changes -> tree.group().read(get, origin, start))
                .thenCompose(found -> goOn(new Count(origin.caller(), request.getPath(), found.getStatus())));
    }

    private CompletableFuture<ContentSummaryReply> goOn(Count count) {
        return count.walk
                .goOn(DIRECTORIES_OF_A_REQUEST)
                .thenApply(end -> count.sum.setUnfinished(end ? 0 : rest(count)).build());
    }

    private synchronized long rest(Count count) {
        count.restsSinceNanos = tree.parts().clock().monotonicNanos();
        Iterator<Count> oldest = resting.values().iterator();
        while (oldest.hasNext()) {
            long nanos = count.restsSinceNanos - oldest.next().restsSinceNanos;
            if (nanos < REST_NANOS && resting.size() < RESTING_MAX) {
                break;
            }
            oldest.remove();
        }
        long number = random.nextLong(1, Long.MAX_VALUE);
        resting.put(number, count);
        return number;
    }

    /** Null where there is none, or not for this caller. */
    private synchronized @Nullable Count take(long number, Caller caller, String path) {
        Count count = resting.get(number);
        if (count == null || !count.caller.equals(caller) || !count.path.equals(path)) {
            return null;
        }
        resting.remove(number);
        return count;
    }

    /** What is counted so far, and the way through the rest. One request at a time has it. */
    private final class Count {
        private final Caller caller;
        private final String path;
        private final ContentSummaryReply.Builder sum = ContentSummaryReply.newBuilder();
        private final SubtreeWalk walk;
        private long restsSinceNanos;

        Count(Caller caller, String path, Status root) {
            this.caller = caller;
            this.path = path;
            Child top = Child.newBuilder()
                    .setDirectoryId(root.getId())
                    .setSpread(root.getSpread())
                    .setAttributes(root.getAttributes())
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
                for (Share share : page.shares()) {
                    sum.setFiles(sum.getFiles() + share.getFiles() + share.getSymlinks())
                            .setLength(sum.getLength() + share.getBytes())
                            .setSpaceConsumed(sum.getSpaceConsumed() + share.getSpaceConsumed());
                }
            }
            return CompletableFuture.completedFuture(null);
        }
    }
}
