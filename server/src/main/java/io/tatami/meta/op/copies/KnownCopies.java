package io.tatami.meta.op.copies;

import io.tatami.base.BlockId;
import io.tatami.cluster.CopyJudge.Kind;
import io.tatami.cluster.CopyJudge.KnownCopy;
import io.tatami.cluster.CopyJudge.Problem;
import io.tatami.meta.state.BlockCopies;
import io.tatami.meta.state.BlockCopies.Copy;
import io.tatami.meta.state.ShardState;
import io.tatami.meta.state.wire.BlockRecord;
import io.tatami.meta.state.wire.NeededBlock;
import io.tatami.meta.state.wire.ReplicaRecord;
import java.util.ArrayList;
import java.util.List;

/** The copies of a block as {@link io.tatami.cluster.CopyJudge} takes them: counted, intended and spare ones. */
public final class KnownCopies {
    private KnownCopies() {}

    public static List<KnownCopy> of(NeededBlock needed) {
        return of(needed.getBlock(), needed.getProblemList());
    }

    /** With what is known of each copy in a shard's records. */
    public static List<KnownCopy> of(ShardState state, BlockRecord block) {
        BlockId id = new BlockId(block.getBlockId());
        return of(block, problems(state, id, BlockCopies.all(block)));
    }

    static List<ReplicaRecord.Problem> problems(ShardState state, BlockId block, List<Copy> copies) {
        List<ReplicaRecord.Problem> problems = new ArrayList<>(copies.size());
        for (Copy copy : copies) {
            ReplicaRecord replica = state.replica(copy.server(), block);
            problems.add(replica == null ? ReplicaRecord.Problem.NONE : replica.getProblem());
        }
        return problems;
    }

    private static List<KnownCopy> of(BlockRecord block, List<ReplicaRecord.Problem> problems) {
        List<Copy> all = BlockCopies.all(block);
        int counted = block.getServerIdCount();
        int intended = counted + block.getIntendedCount();
        List<KnownCopy> known = new ArrayList<>();
        for (int i = 0; i < all.size(); i++) {
            Kind kind = i < counted ? Kind.COUNTED : i < intended ? Kind.INTENDED : Kind.SPARE;
            Problem problem = switch (problems.get(i)) {
                case NONE, UNRECOGNIZED -> Problem.NONE;
                case MISSING -> Problem.MISSING;
                case DAMAGED -> Problem.DAMAGED;
                case UNAVAILABLE -> Problem.UNAVAILABLE;
            };
            known.add(new KnownCopy(all.get(i).server(), kind, problem));
        }
        return known;
    }
}
