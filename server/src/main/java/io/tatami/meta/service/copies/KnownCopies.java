package io.tatami.meta.service.copies;

import io.tatami.cluster.CopyJudge.Kind;
import io.tatami.cluster.CopyJudge.KnownCopy;
import io.tatami.cluster.CopyJudge.Problem;
import io.tatami.meta.state.BlockCopies;
import io.tatami.meta.state.BlockCopies.Copy;
import io.tatami.meta.state.wire.BlockRecord;
import io.tatami.meta.state.wire.NeededBlock;
import java.util.ArrayList;
import java.util.List;

/** The copies of a block as {@link io.tatami.cluster.CopyJudge} takes them. */
final class KnownCopies {
    private KnownCopies() {}

    static List<KnownCopy> of(NeededBlock needed) {
        BlockRecord block = needed.getBlock();
        List<Copy> all = BlockCopies.all(block);
        int counted = block.getServerIdCount();
        int intended = counted + block.getIntendedCount();
        List<KnownCopy> known = new ArrayList<>();
        for (int i = 0; i < all.size(); i++) {
            Kind kind = i < counted ? Kind.COUNTED : i < intended ? Kind.INTENDED : Kind.SPARE;
            Problem problem = switch (needed.getProblem(i)) {
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
