package io.tatami.benchmarks.meta;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.tatami.benchmarks.meta.ScalingModel.Point;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ScalingModelTest {
    private static final double PRECISION = 1e-6;

    @Test
    void aLawIsFoundAgainInWhatItSays() {
        ScalingModel law = new ScalingModel(1_300, 0.02, 0.0005);
        ScalingModel found = ScalingModel.fit(points(law, 1, 2, 4, 8));
        assertEquals(law.perServer(), found.perServer(), law.perServer() * PRECISION);
        assertEquals(law.contention(), found.contention(), PRECISION);
        assertEquals(law.crosstalk(), found.crosstalk(), PRECISION);
        assertEquals(Math.sqrt(0.98 / 0.0005), found.peakServers(), 0.01);
        assertEquals(law.rate(256), found.rate(256), law.rate(256) * PRECISION);
    }

    @Test
    void ratesOfOneSettingThatDifferAreAveragedAsWhatEachOperationTook() {
        ScalingModel found = ScalingModel.fit(List.of(new Point(1, 100), new Point(1, 50)));
        assertEquals(1 / ((1 / 100.0 + 1 / 50.0) / 2), found.perServer(), PRECISION);
    }

    @Test
    void whatScalesBetterThanOneServerAloneIsTakenForALawWithoutLosses() {
        ScalingModel found = ScalingModel.fit(List.of(new Point(1, 100), new Point(2, 210), new Point(4, 430)));
        assertEquals(0, found.contention());
        assertEquals(0, found.crosstalk());
        assertEquals(Double.POSITIVE_INFINITY, found.peakServers());
        assertEquals(Double.POSITIVE_INFINITY, found.limit());
        assertEquals(found.perServer() * 16, found.rate(16), PRECISION);
    }

    @Test
    void aLossThatAllWaitForAloneHasALimitAndNoPeak() {
        ScalingModel found = ScalingModel.fit(points(new ScalingModel(100, 0.25, 0), 1, 2, 4));
        assertEquals(400, found.limit(), 0.001);
        assertEquals(Double.POSITIVE_INFINITY, found.peakServers());
    }

    @Test
    void nothingAtAllFitsNoLaw() {
        assertThrows(IllegalArgumentException.class, () -> ScalingModel.fit(List.of()));
    }

    @Test
    void theNamespaceGroupEndsWhatCpuAllows() {
        CostModel model = new CostModel(100, 5);
        assertEquals(1_200, model.rate(1, 0.12), PRECISION);
        assertEquals(19_200, model.rate(16, 0.12), PRECISION);
        assertEquals(24_000, model.rate(64, 0.12), PRECISION);
        assertEquals(20, model.shardsMax(), PRECISION);
    }

    private static List<Point> points(ScalingModel law, int... servers) {
        List<Point> points = new ArrayList<>();
        for (int count : servers) {
            points.add(new Point(count, law.rate(count)));
        }
        return points;
    }
}
