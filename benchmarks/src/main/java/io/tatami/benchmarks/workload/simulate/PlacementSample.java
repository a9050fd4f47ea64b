package io.tatami.benchmarks.workload.simulate;

import io.tatami.base.ServerId;
import io.tatami.benchmarks.harness.report.Skew;
import io.tatami.benchmarks.workload.simulate.PlannerMeter.Planner;
import io.tatami.cluster.BlockPlacer;
import io.tatami.cluster.BlockPlacer.Candidate;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * The places that {@code BlockPlacer} gives to blocks of new files in a cluster whose servers have differently much
 * room.
 */
final class PlacementSample {
    private PlacementSample() {}

    /** How evenly the blocks are spread, in proportion to the servers' room. */
    static Skew take(ClusterShape shape, int blocks, PlannerMeter meter) {
        SplittableRandom random = new SplittableRandom(shape.seed());
        List<Candidate> candidates = new ArrayList<>();
        double[] room = new double[shape.nodes()];
        for (int i = 0; i < room.length; i++) {
            room[i] = (1 + random.nextDouble()) * shape.meanBytes();
            candidates.add(new Candidate(
                    new ServerId(i + 1), "host-" + (i + 1), "/rack-" + i % shape.racks(), (long) room[i]));
        }
        double[] given = new double[room.length];
        for (int block = 1; block <= blocks; block++) {
            long seed = block;
            List<ServerId> places = meter.measure(
                    Planner.PLACE, () -> BlockPlacer.place(candidates, candidate -> true, "", shape.copies(), seed));
            places.forEach(server -> given[server.value() - 1]++);
        }
        return Skew.of(given, room);
    }
}
