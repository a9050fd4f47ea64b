package io.tatami.meta.service.tree.flow;

import io.tatami.base.Causes;
import io.tatami.base.SessionId;
import io.tatami.base.TatamiException;
import io.tatami.files.CrashPoint;
import io.tatami.meta.op.tree.FirstDirectories;
import io.tatami.meta.service.BackgroundTask;
import io.tatami.meta.service.RequestOrigin;
import io.tatami.meta.service.tree.LeaderTree;
import io.tatami.meta.state.Caller;
import io.tatami.protocol.wire.ClusterMap;
import io.tatami.protocol.wire.CreateModes;
import io.tatami.protocol.wire.Empty;
import io.tatami.protocol.wire.GroupLocation;
import io.tatami.protocol.wire.MkdirsRequest;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gives a new cluster the directories that programs expect, as soon as somebody serves every shard: {@code /tmp}, for
 * all, and the one of who made the cluster. What stands in the way stays.
 */
final class FirstDirectoryMaker implements BackgroundTask {
    private static final int STICKY_FOR_ALL = 01777;
    private static final int READABLE = 0755;
    private static final Duration UNTIL_SHARDS = Duration.ofMillis(200);
    private static final Duration FOR_GOOD = Duration.ofDays(1);
    private static final Logger LOG = LoggerFactory.getLogger(FirstDirectoryMaker.class);

    private final LeaderTree tree;
    private final RequestOrigin founder;
    private final List<First> directories;

    /** @param name of its crash points */
    private record First(String name, String path, int mode) {}

    /** @param founder who made the cluster */
    FirstDirectoryMaker(LeaderTree tree, String founder) {
        this.tree = tree;
        this.founder = new RequestOrigin(
                new Caller(founder, List.of(), true), SessionId.NONE, 0, 0, RequestOrigin.NO_DEADLINE);
        this.directories =
                List.of(new First("tmp", "/tmp", STICKY_FOR_ALL), new First("user", "/user/" + founder, READABLE));
    }

    @Override
    public CompletableFuture<Duration> run() {
        return tree.term()
                .thenCompose(changes ->
                        tree.group().read(FirstDirectories.NEXT, RequestOrigin.SERVICE, Empty.getDefaultInstance()))
                .thenCompose(next -> make(next.getNumber()));
    }

    private CompletableFuture<Duration> make(int number) {
        if (number == 0 || number > directories.size()) {
            return CompletableFuture.completedFuture(FOR_GOOD);
        }
        if (!isServed(tree.peers().map())) {
            return CompletableFuture.completedFuture(UNTIL_SHARDS);
        }
        First first = directories.get(number - 1);
        int after = number == directories.size() ? 0 : number + 1;
        MkdirsRequest request = MkdirsRequest.newBuilder()
                .setPath(first.path())
                .setModes(CreateModes.newBuilder().setUnmasked(READABLE).setMasked(READABLE))
                .setCreateParents(true)
                .build();
        CrashPoint.hit("meta.first-directories.before", first.name());
        return new MkdirsFlow(tree, new FirstDirectories.Commit(number, after, first.mode()))
                .run(founder, request)
                .thenCompose(made -> made.getCreated() ? made(first) : leaveOut(number, after))
                .exceptionallyCompose(thrown -> refused(first, Causes.of(thrown), number, after));
    }

    private static CompletableFuture<Duration> made(First first) {
        CrashPoint.hit("meta.first-directories.made", first.name());
        return CompletableFuture.completedFuture(Duration.ZERO);
    }

    private CompletableFuture<Duration> refused(First first, TatamiException failure, int number, int after) {
        if (failure.code().isRetryable()) {
            return CompletableFuture.completedFuture(UNTIL_SHARDS);
        }
        LOG.warn("{} is not made, because something is in the way", first.path(), failure);
        return leaveOut(number, after);
    }

    private CompletableFuture<Duration> leaveOut(int number, int after) {
        return tree.group()
                .submit(new FirstDirectories.LeaveOut(number, after), RequestOrigin.SERVICE, Empty.getDefaultInstance())
                .thenApply(done -> Duration.ZERO);
    }

    private boolean isServed(ClusterMap map) {
        long shards = map.getGroupList().stream()
                .filter(group -> group.getGroup() >= 0)
                .filter(GroupLocation::hasLeader)
                .count();
        return shards == tree.shards();
    }
}
