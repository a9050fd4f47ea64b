package io.tatami.meta.op.widen;

import io.tatami.base.DirectoryId;
import io.tatami.meta.op.Operation;
import io.tatami.meta.op.tree.wire.Place;
import io.tatami.meta.op.tree.wire.WidenPlan;
import io.tatami.meta.state.RequestContext;
import io.tatami.meta.state.TreeState;
import io.tatami.meta.state.TreeState.Named;
import io.tatami.protocol.wire.WidenDirectoryRequest;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Where the directory is that is to be divided over twice as many shards; a plan without one where nothing is to be
 * done.
 */
public final class PlanWiden implements Operation<TreeState, WidenDirectoryRequest, WidenPlan> {
    private final int shards;

    public PlanWiden(int shards) {
        this.shards = shards;
    }

    @Override
    public WidenPlan decide(TreeState state, RequestContext context, WidenDirectoryRequest request) {
        Named directory = widenable(state, request, shards);
        List<Long> above = directory == null ? null : above(state, directory);
        if (directory == null || above == null) {
            boolean underWay = state.widening(new DirectoryId(request.getDirectoryId())) != null;
            return WidenPlan.newBuilder().setUnderWay(underWay).build();
        }
        return WidenPlan.newBuilder()
                .setPlace(Place.newBuilder()
                        .setDirectoryId(directory.id().value())
                        .setSpread(directory.record().getSpread())
                        .setParentId(directory.parent().value())
                        .setName(directory.name())
                        .addAllAboveId(above))
                .build();
    }

    /** Null where the directory has another spread than the request says, or can have no more. */
    static @Nullable Named widenable(TreeState state, WidenDirectoryRequest request, int shards) {
        DirectoryId id = new DirectoryId(request.getDirectoryId());
        Named directory = state.find(id);
        int spread = directory == null ? 0 : Math.max(1, directory.record().getSpread());
        boolean isAsSaid = spread == Math.max(1, request.getFromSpread()) && state.widening(id) == null;
        return isAsSaid && spread * 2 <= shards ? directory : null;
    }

    /** From the root to the parent; null where the directory is in no tree any more. */
    private static @Nullable List<Long> above(TreeState state, Named directory) {
        List<Long> above = new ArrayList<>();
        Named current = directory;
        while (!current.id().equals(DirectoryId.ROOT)) {
            Named parent = state.find(current.parent());
            if (parent == null) {
                return null;
            }
            above.add(parent.id().value());
            current = parent;
        }
        Collections.reverse(above);
        return above;
    }
}
