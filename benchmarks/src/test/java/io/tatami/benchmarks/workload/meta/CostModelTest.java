package io.tatami.benchmarks.workload.meta;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.tatami.benchmarks.workload.meta.CostModel.Point;
import java.util.List;
import org.junit.jupiter.api.Test;

class CostModelTest {
    private static final double PRECISION = 1e-6;

    @Test
    void theNamespaceGroupEndsWhatCpuAllows() {
        CostModel model = new CostModel(100, 0.02, 5);
        assertEquals(1_200, model.rate(1, 0.12), PRECISION);
        assertEquals(19_200, model.rate(16, 0.12), PRECISION);
        assertEquals(20_000, model.rate(64, 0.12), PRECISION);
        assertEquals(20_000.0 / 1_200, model.shardsMax(0.12), PRECISION);
    }

    @Test
    void aNamespaceGroupThatIsAsBusyWithoutAnyOperationAllowsNone() {
        assertEquals(0, new CostModel(100, 0.2, 5).rate(16, 0.12));
    }

    @Test
    void whatTheNamespaceGroupUsesAtAllTimesIsToldFromWhatEachOperationTakes() {
        CostModel found = CostModel.fit(List.of(point(500, 0.01, 4), point(1_000, 0.01, 4), point(2_000, 0.01, 4)));
        assertEquals(100, found.shardMicros(), PRECISION);
        assertEquals(0.01, found.namespaceCores(), PRECISION);
        assertEquals(4, found.namespaceMicros(), PRECISION);
    }

    @Test
    void whereTheNamespaceGroupHasNoMoreToUseAllOfItIsOfTheOperations() {
        CostModel found = CostModel.fit(List.of(new Point(600, 100, 200), new Point(500, 100, 240)));
        assertEquals(0, found.namespaceCores(), PRECISION);
        assertEquals(0.12 / 550 * 1e6, found.namespaceMicros(), PRECISION);
    }

    @Test
    void whatBlockServersCostAtRestEndsWhereALeaderDoesNothingElse() {
        CostModel.Standing standing = new CostModel.Standing(60, 40, 30, 2, 10, 100);
        assertEquals(0.03 + 0.003, standing.namespaceCores(1_000, 100), PRECISION);
        assertEquals(0.02, standing.shardCores(1_000), PRECISION);
        assertEquals(1 / 30e-6, standing.serversMax(1), 1);
        assertEquals(50_000, standing.serversOfShardMax(1), PRECISION);
        assertEquals("the heartbeats at the namespace's leader", standing.breaking(1));
        assertEquals(20, standing.startSeconds(1_000, 10_000), PRECISION);
        assertEquals(1e9, standing.startBytes(1_000, 10_000), PRECISION);
    }

    @Test
    void creditsAreWhatEndsWhereTheyCostMore() {
        assertEquals("the credits at each shard's leader", new CostModel.Standing(60, 80, 30, 2, 10, 100).breaking(1));
    }

    @Test
    void nothingAtAllFitsNoModel() {
        assertThrows(IllegalArgumentException.class, () -> CostModel.fit(List.of()));
    }

    private static Point point(double perSecond, double atAllTimes, double each) {
        return new Point(perSecond, 100, each + atAllTimes * 1e6 / perSecond);
    }
}
