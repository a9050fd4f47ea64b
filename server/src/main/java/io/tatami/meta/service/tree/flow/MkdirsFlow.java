package io.tatami.meta.service.tree.flow;

import io.tatami.base.Causes;
import io.tatami.base.Detail;
import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.files.CrashPoint;
import io.tatami.meta.op.Operation;
import io.tatami.meta.op.tree.CommitMkdirs;
import io.tatami.meta.op.tree.PlanMkdirs;
import io.tatami.meta.op.tree.TreePath;
import io.tatami.meta.op.tree.wire.CommitMkdirsRequest;
import io.tatami.meta.op.tree.wire.MkdirsPlan;
import io.tatami.meta.op.tree.wire.Place;
import io.tatami.meta.service.Flow;
import io.tatami.meta.service.RequestOrigin;
import io.tatami.meta.service.tree.Failures;
import io.tatami.meta.service.tree.LeaderTree;
import io.tatami.meta.state.TreeState;
import io.tatami.protocol.MetaMethods;
import io.tatami.protocol.RefusalFormat;
import io.tatami.protocol.wire.MkdirsReply;
import io.tatami.protocol.wire.MkdirsRequest;
import io.tatami.protocol.wire.ReserveMarkerReply;
import io.tatami.protocol.wire.Status;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Makes directories: their names are reserved in the shards that own them, then all are put into the tree in one
 * commit. Nothing is announced, because no handle says that a directory is not there. A reservation whose commit fails
 * stays behind and holds nobody up.
 */
final class MkdirsFlow implements Flow<MkdirsRequest, MkdirsReply> {
    private static final PlanMkdirs PLAN = new PlanMkdirs();

    private final LeaderTree tree;
    private final Operation<TreeState, CommitMkdirsRequest, MkdirsReply> commit;

    MkdirsFlow(LeaderTree tree) {
        this(tree, new CommitMkdirs());
    }

    /** @param commit makes the directories, and what else is to be in the same batch */
    MkdirsFlow(LeaderTree tree, Operation<TreeState, CommitMkdirsRequest, MkdirsReply> commit) {
        this.tree = tree;
        this.commit = commit;
    }

    @Override
    public CompletableFuture<MkdirsReply> run(RequestOrigin origin, MkdirsRequest request) {
        int spread = request.getSpread() == 0 ? tree.settings().spread() : request.getSpread();
        if (Integer.bitCount(spread) != 1 || spread > tree.shards()) {
            return Failures.failed(
                    ErrorCode.INVALID_ARGUMENT, "spread " + spread + " is not a power of two up to " + tree.shards());
        }
        MkdirsRequest complete = request.toBuilder().setSpread(spread).build();
        return tree.term().thenCompose(changes -> tree.repeating(() -> attempt(origin, complete)));
    }

    private CompletableFuture<MkdirsReply> attempt(RequestOrigin origin, MkdirsRequest request) {
        return tree.group().read(PLAN, origin, request).thenCompose(plan -> {
            if (plan.getMissing() == 0) {
                return nothingToMake(origin, request);
            }
            if (plan.hasRefusal()) {
                return refuse(request, plan);
            }
            return tree.holding(
                    List.of(plan.getFirst()),
                    plan.getFirst(),
                    request.getPath(),
                    () -> tree.ids()
                            .take(plan.getFirst().getParentId(), plan.getMissing(), following(request, plan))
                            .thenCompose(ids -> make(origin, request, plan, ids)));
        });
    }

    /**
     * Remembered like any answer of a request that is sent again: one that comes late must not make what was deleted
     * meanwhile. The first attempt need not be, as it comes once: whoever sends it again has no answer yet, and takes
     * what the attempt finds that is logged; should the first one come after that, it is given the same.
     */
    private CompletableFuture<MkdirsReply> nothingToMake(RequestOrigin origin, MkdirsRequest request) {
        if (!origin.isRemembered() || origin.isFirstAttempt()) {
            return CompletableFuture.completedFuture(MkdirsReply.getDefaultInstance());
        }
        CommitMkdirsRequest nothing =
                CommitMkdirsRequest.newBuilder().setRequest(request).build();
        return tree.group().submitOnce(MetaMethods.MKDIRS, commit, origin, nothing);
    }

    /**
     * How many of the missing directories go to the shards of their parents: those at and below a hidden name. There,
     * Hadoop's committers, Hive and Spark write unfinished files, and rename them into the directory above. Within a
     * shard a rename is one step.
     */
    private static int following(MkdirsRequest request, MkdirsPlan plan) {
        List<String> names = namesOf(request);
        int hidden = 0;
        while (hidden < names.size() && !isHidden(names.get(hidden))) {
            hidden++;
        }
        return Math.min(plan.getMissing(), names.size() - hidden);
    }

    /** As input formats of Hadoop have it, which read no such files. */
    private static boolean isHidden(String name) {
        return name.startsWith("_") || name.startsWith(".");
    }

    private CompletableFuture<MkdirsReply> make(
            RequestOrigin origin, MkdirsRequest request, MkdirsPlan plan, List<Long> ids) {
        CommitMkdirsRequest.Builder made = CommitMkdirsRequest.newBuilder()
                .setRequest(request)
                .setBaseId(plan.getFirst().getParentId())
                .setBaseSpread(plan.getFirst().getParentSpread())
                .setSpread(request.getSpread())
                .addAllNewId(ids);
        return tree.reserve(plan.getFirst(), ids.get(0)).thenCompose(reply -> {
            if (reply.getTaken()) {
                return taken(request, plan, reply);
            }
            List<Place> inner = innerPlaces(request, ids);
            return reserveAll(inner)
                    .thenCompose(done -> {
                        CrashPoint.hit("meta.mkdirs.reserved");
                        return tree.group().submitOnce(MetaMethods.MKDIRS, commit, origin, made.build());
                    })
                    .exceptionallyCompose(thrown -> withdraw(inner, Causes.of(thrown)));
        });
    }

    /** The names in directories that are made by the same request: nobody else knows of them yet. */
    private static List<Place> innerPlaces(MkdirsRequest request, List<Long> ids) {
        List<String> all = namesOf(request);
        List<String> names = all.subList(all.size() - ids.size(), all.size());
        List<Place> places = new ArrayList<>();
        for (int i = 1; i < names.size(); i++) {
            places.add(Place.newBuilder()
                    .setDirectoryId(ids.get(i))
                    .setParentId(ids.get(i - 1))
                    .setName(names.get(i))
                    .setParentSpread(request.getSpread())
                    .build());
        }
        return places;
    }

    private CompletableFuture<Void> reserveAll(List<Place> places) {
        CompletableFuture<Void> all = CompletableFuture.completedFuture(null);
        for (Place place : places) {
            all = all.thenCombine(tree.reserve(place, place.getDirectoryId()), (before, reply) -> null);
        }
        return all;
    }

    /**
     * Nobody would ever meet the markers in directories that are never made, unless the commit may yet have succeeded.
     */
    private CompletableFuture<MkdirsReply> withdraw(List<Place> inner, TatamiException failure) {
        boolean mayHaveSucceeded = failure.code() == ErrorCode.UNAVAILABLE || failure.code() == ErrorCode.INTERNAL;
        CompletableFuture<Void> cleared = CompletableFuture.completedFuture(null);
        if (!mayHaveSucceeded) {
            for (Place place : inner) {
                cleared = cleared.thenCombine(tree.release(place), (before, done) -> null);
            }
        }
        return cleared.thenCompose(done -> CompletableFuture.failedFuture(failure));
    }

    /** A file on the way is a better reason than what the tree alone could tell. */
    private CompletableFuture<MkdirsReply> refuse(MkdirsRequest request, MkdirsPlan plan) {
        return tree.askWhoHas(plan.getFirst())
                .thenCompose(reply -> reply.getTaken()
                        ? taken(request, plan, reply)
                        : CompletableFuture.failedFuture(RefusalFormat.exception(
                                plan.getRefusal().getRefusal(),
                                plan.getRefusal().getMessage())));
    }

    private static CompletableFuture<MkdirsReply> taken(
            MkdirsRequest request, MkdirsPlan plan, ReserveMarkerReply reply) {
        String obstacle = obstacle(request.getPath(), plan.getMissing());
        if (reply.getTakenBy() == Status.Kind.SYMLINK) {
            return CompletableFuture.failedFuture(new TatamiException(
                    ErrorCode.UNRESOLVED_LINK,
                    obstacle + " is a symlink",
                    new Detail.LinkTarget(reply.getSymlinkTarget())));
        }
        return plan.getMissing() == 1
                ? Failures.failed(ErrorCode.ALREADY_EXISTS, "Path is not a directory: " + obstacle)
                : Failures.failed(ErrorCode.NOT_A_DIRECTORY, obstacle + " (is not a directory)");
    }

    /** The path up to the first of the last {@code missing} names. */
    static String obstacle(String path, int missing) {
        String obstacle = path;
        for (int i = 1; i < missing; i++) {
            obstacle = obstacle.substring(0, obstacle.lastIndexOf('/'));
        }
        return obstacle;
    }

    private static List<String> namesOf(MkdirsRequest request) {
        try {
            return TreePath.parse(request.getPath()).names();
        } catch (TatamiException e) {
            throw new IllegalStateException("a path that was planned does not parse", e);
        }
    }
}
