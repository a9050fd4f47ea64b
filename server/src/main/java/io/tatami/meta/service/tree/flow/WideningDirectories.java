package io.tatami.meta.service.tree.flow;

import io.tatami.base.DirectoryId;
import io.tatami.base.GroupId;
import io.tatami.files.CrashPoint;
import io.tatami.meta.op.tree.wire.ListWideningReply;
import io.tatami.meta.op.tree.wire.ListWideningRequest;
import io.tatami.meta.op.tree.wire.WideningDirectory;
import io.tatami.meta.op.widen.EndWidening;
import io.tatami.meta.op.widen.ListWidening;
import io.tatami.meta.service.BackgroundTask;
import io.tatami.meta.service.RequestOrigin;
import io.tatami.meta.service.tree.LeaderTree;
import io.tatami.protocol.MetaMethods;
import io.tatami.protocol.Placement;
import io.tatami.protocol.wire.TakeEntriesRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Has the shards that were added to widened directories take their entries, until all have. What is to be done is in
 * the tree, so another leader goes on with it; each step may be repeated.
 */
final class WideningDirectories implements BackgroundTask {
    private static final int DIRECTORIES_MAX = 16;

    /** A new widening ends the rest. */
    private static final Duration REST = Duration.ofMinutes(1);

    /** Of one request to one shard, which takes some thousand entries. */
    private static final long TAKE_TIMEOUT_MILLIS = 30_000;

    private static final ListWidening LIST = new ListWidening();
    private static final EndWidening END = new EndWidening();
    private static final Logger LOG = LoggerFactory.getLogger(WideningDirectories.class);

    private final LeaderTree tree;

    WideningDirectories(LeaderTree tree) {
        this.tree = tree;
    }

    @Override
    public CompletableFuture<Duration> run() {
        ListWideningRequest request =
                ListWideningRequest.newBuilder().setLimit(DIRECTORIES_MAX).build();
        return tree.term()
                .thenCompose(changes -> tree.group().read(LIST, RequestOrigin.SERVICE, request))
                .thenCompose(this::goOn);
    }

    /** One that fails does not keep the others from going on. */
    private CompletableFuture<Duration> goOn(ListWideningReply widening) {
        if (widening.getDirectoryCount() == 0) {
            return CompletableFuture.completedFuture(REST);
        }
        List<CompletableFuture<Void>> all = new ArrayList<>();
        widening.getDirectoryList().forEach(directory -> all.add(goOn(directory)));
        return CompletableFuture.allOf(all.toArray(CompletableFuture<?>[]::new)).thenApply(done -> Duration.ZERO);
    }

    private CompletableFuture<Void> goOn(WideningDirectory directory) {
        TakeEntriesRequest take = TakeEntriesRequest.newBuilder()
                .setDirectoryId(directory.getDirectoryId())
                .setFromSpread(directory.getFromSpread())
                .setSpread(directory.getSpread())
                .build();
        CompletableFuture<Boolean> ended = CompletableFuture.completedFuture(true);
        for (GroupId receiver : receivers(directory)) {
            ended = ended.thenCombine(
                    tree.peers().call(receiver, MetaMethods.TAKE_ENTRIES, take, TAKE_TIMEOUT_MILLIS),
                    (before, reply) -> before && reply.getEnded());
        }
        return ended.thenCompose(all -> all ? end(directory) : CompletableFuture.completedFuture(null));
    }

    private CompletableFuture<Void> end(WideningDirectory directory) {
        CrashPoint.hit("meta.widen-directory.handed-over");
        return tree.group()
                .submit(END, RequestOrigin.SERVICE, directory)
                .thenAccept(done -> LOG.info(
                        "the entries of directory {} are divided over {} shards",
                        directory.getDirectoryId(),
                        directory.getSpread()));
    }

    private List<GroupId> receivers(WideningDirectory directory) {
        int first = Placement.firstShardOf(new DirectoryId(directory.getDirectoryId()), tree.shards());
        return IntStream.range(directory.getFromSpread(), directory.getSpread())
                .mapToObj(step -> GroupId.ofShard((first + step) % tree.shards()))
                .toList();
    }
}
