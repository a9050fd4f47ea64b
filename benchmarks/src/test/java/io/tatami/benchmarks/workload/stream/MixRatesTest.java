package io.tatami.benchmarks.workload.stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.benchmarks.harness.client.StreamTally;
import io.tatami.benchmarks.harness.report.Rounds;
import io.tatami.benchmarks.workload.stream.MixOptions.Mix;
import io.tatami.benchmarks.workload.stream.MixOptions.MixConverter;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import picocli.CommandLine.TypeConversionException;

class MixRatesTest {
    private static final MixRates READER_ALONE = new MixRates(List.of(reader(1_000, 2, 10)));
    private static final MixRates WRITER_ALONE = new MixRates(List.of(writer(1_600, 2)));

    /** Readers at 100 and 300 MB/s, writers at 160 and 80, of which the last was done after 5 seconds. */
    private static final MixRates MIX =
            new MixRates(List.of(reader(400, 4, 70), writer(800, 5), reader(1_200, 4, 20), writer(320, 4)));

    @Test
    void eachSideHasTheSumOfItsStreams() {
        assertEquals(400, MIX.read(), 1e-9);
        assertEquals(240, MIX.write(), 1e-9);
        assertEquals(2_720, MIX.megabytes(), 1e-9);
        assertEquals(5, MIX.seconds(), 1e-9);
    }

    @Test
    void theSlowestIsToldByItsShareOfTheMeanOfItsSide() {
        assertEquals(0.5, MIX.slowestReaderShare(), 1e-9);
        assertEquals(80.0 / 120, MIX.slowestWriterShare(), 1e-9);
        assertEquals(70, MIX.longestReadMillis(), 1e-9);
    }

    @Test
    void aReaderThatGotNothingHasNoShare() {
        MixRates starved = new MixRates(List.of(reader(0, 4, 4_000), reader(1_200, 4, 20), writer(800, 4)));
        assertEquals(0, starved.slowestReaderShare());
        assertEquals(4_000, starved.longestReadMillis());
    }

    @Test
    void aSideThatNobodyIsOnHasNothing() {
        assertEquals(0, WRITER_ALONE.read());
        assertEquals(0, WRITER_ALONE.slowestReaderShare());
        assertEquals(0, WRITER_ALONE.longestReadMillis());
    }

    @Test
    void theUseOfTheDiskIsWhatBothSidesHaveOfWhatOneStreamHasAlone() {
        Rounds figures = new Rounds();
        MixFigure figure = new MixFigure("tatami-2");
        Mix mix = new Mix(2, 2);
        figure.putUses(Map.of(mix, MIX, Mix.READER_ALONE, READER_ALONE, Mix.WRITER_ALONE, WRITER_ALONE), figures);
        figures.keep();

        assertEquals(400.0 / 500 + 240.0 / 800, figures.figures(figure.use(mix)).get(0), 1e-9);
        assertEquals(List.of(1.0), figures.figures(figure.use(Mix.READER_ALONE)));
    }

    @Test
    void withoutAReaderAloneThereIsNoUse() {
        Rounds figures = new Rounds();
        new MixFigure("hdfs").putUses(Map.of(new Mix(2, 2), MIX, Mix.WRITER_ALONE, WRITER_ALONE), figures);
        figures.keep();
        assertTrue(figures.subjects().isEmpty());
    }

    @Test
    void volumesAreToldOneByOneAndTheLeastUsedByItsShare() {
        VolumeTraffic.Rates rates =
                new VolumeTraffic.Rates(List.of(new VolumeTraffic.Rate(300, 100), new VolumeTraffic.Rate(100.4, 99.6)));
        assertEquals("300/100", rates.read());
        assertEquals("100/100", rates.write());
        assertEquals(200.0 / 300, rates.leastShare(), 1e-9);
        assertEquals("", new VolumeTraffic.Rates(List.of()).read());
        assertEquals(2, MixFigure.volumes(MixFigure.side("tatami", 2)));
    }

    @Test
    void aMixIsReadersPlusWriters() {
        MixConverter converter = new MixConverter();
        assertEquals(new Mix(1, 15), converter.convert("1+15"));
        assertEquals(new Mix(0, 1), converter.convert("0+1"));
        for (String wrong : List.of("", "4", "0+0", "-1+2", "1+2+3", "a+b")) {
            assertThrows(TypeConversionException.class, () -> converter.convert(wrong), wrong);
        }
    }

    private static StreamTally reader(long megabytes, long seconds, long longestMillis) {
        return new StreamTally(true, megabytes * 1_000_000, seconds * 1_000_000_000, longestMillis * 1_000_000);
    }

    private static StreamTally writer(long megabytes, long seconds) {
        return new StreamTally(false, megabytes * 1_000_000, seconds * 1_000_000_000, 1);
    }
}
