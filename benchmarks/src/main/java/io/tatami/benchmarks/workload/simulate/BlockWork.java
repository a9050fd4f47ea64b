package io.tatami.benchmarks.workload.simulate;

import io.tatami.base.ServerId;
import io.tatami.cluster.CopyJudge.Kind;
import io.tatami.cluster.CopyJudge.KnownCopy;
import io.tatami.cluster.CopyJudge.Problem;
import io.tatami.meta.state.Needs.Urgency;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A block whose copies are to be looked at: what its record and its need say. */
final class BlockWork {
    private final List<ServerId> counted = new ArrayList<>();
    private final List<ServerId> intended = new ArrayList<>();

    /** Null before it waits. */
    private @Nullable Urgency urgency;

    BlockWork(int[] holders) {
        for (int holder : holders) {
            counted.add(new ServerId(holder));
        }
    }

    List<ServerId> counted() {
        return counted;
    }

    List<ServerId> intended() {
        return intended;
    }

    @Nullable
    Urgency urgency() {
        return urgency;
    }

    void waitsAs(Urgency as) {
        urgency = as;
    }

    List<KnownCopy> copies() {
        List<KnownCopy> copies = new ArrayList<>(counted.size() + intended.size());
        counted.forEach(server -> copies.add(new KnownCopy(server, Kind.COUNTED, Problem.NONE)));
        intended.forEach(server -> copies.add(new KnownCopy(server, Kind.INTENDED, Problem.NONE)));
        return copies;
    }

    int[] holders() {
        return counted.stream().mapToInt(ServerId::value).toArray();
    }
}
