package io.tatami.meta.op.tree;

import io.tatami.base.DirectoryId;
import io.tatami.meta.op.Operation;
import io.tatami.meta.op.tree.wire.ShardsOfHandlesReply;
import io.tatami.meta.op.tree.wire.ShardsOfHandlesRequest;
import io.tatami.meta.state.RequestContext;
import io.tatami.meta.state.TreeState;
import io.tatami.meta.state.TreeState.Named;
import io.tatami.protocol.Placement;
import java.util.ArrayDeque;
import java.util.BitSet;
import java.util.List;

/**
 * The shards at which a handle that leads through some directories may be used: those that hold entries of the
 * directories, or of one below. All of them where more than {@value #DIRECTORIES_MAX} directories are below. The answer
 * holds for handles that were made before it, so it is to be asked for when no more are made. Changes nothing.
 */
public final class ShardsOfHandles implements Operation<TreeState, ShardsOfHandlesRequest, ShardsOfHandlesReply> {
    /** What the walk looks at, on a thread that others wait for. */
    static final int DIRECTORIES_MAX = 64;

    private static final ShardsOfHandlesReply ALL =
            ShardsOfHandlesReply.newBuilder().setAll(true).build();

    private final int shards;

    /** @param shards of the cluster */
    public ShardsOfHandles(int shards) {
        this.shards = shards;
    }

    @Override
    public ShardsOfHandlesReply decide(TreeState state, RequestContext context, ShardsOfHandlesRequest request) {
        BitSet found = new BitSet(shards);
        ArrayDeque<DirectoryId> parents = new ArrayDeque<>();
        for (ShardsOfHandlesRequest.From from : request.getFromList()) {
            Named directory = state.find(new DirectoryId(from.getDirectoryId()));
            if (directory == null) {
                // It left the tree meanwhile, and its spread with it; the change will be refused.
                return ALL;
            }
            add(found, directory.id(), Math.max(directory.record().getSpread(), from.getSpread()));
            if (!from.getSelfOnly()) {
                parents.add(directory.id());
            }
        }
        return addBelow(state, found, parents) ? reply(found) : ALL;
    }

    /** Returns false where there are too many directories to look at. */
    private boolean addBelow(TreeState state, BitSet found, ArrayDeque<DirectoryId> parents) {
        int left = DIRECTORIES_MAX;
        while (!parents.isEmpty() && found.cardinality() < shards) {
            List<Named> children = state.children(parents.remove(), "", left + 1);
            left -= children.size();
            if (left < 0) {
                return false;
            }
            for (Named child : children) {
                add(found, child.id(), child.record().getSpread());
                parents.add(child.id());
            }
        }
        return true;
    }

    private void add(BitSet found, DirectoryId directory, int spread) {
        int first = Placement.firstShardOf(directory, shards);
        for (int step = 0; step < Math.max(1, spread); step++) {
            found.set((first + step) % shards);
        }
    }

    private ShardsOfHandlesReply reply(BitSet found) {
        if (found.cardinality() == shards) {
            return ALL;
        }
        ShardsOfHandlesReply.Builder reply = ShardsOfHandlesReply.newBuilder();
        found.stream().forEach(reply::addShard);
        return reply.build();
    }
}
