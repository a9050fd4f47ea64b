package io.tatami.benchmarks.workload.stream;

import io.tatami.benchmarks.harness.report.Rounds;
import io.tatami.benchmarks.workload.stream.MixOptions.Mix;
import java.util.Map;

/**
 * The figures of one side: a peer, Tatami's by its number of volumes.
 *
 * @param side {@code hdfs}, {@code tatami-1}, {@code tatami-2}
 */
record MixFigure(String side) {
    static String side(String peer, int volumes) {
        return peer + "-" + volumes;
    }

    /** Of what {@link #side(String, int)} made. */
    static int volumes(String side) {
        return Integer.parseInt(side.substring(side.lastIndexOf('-') + 1));
    }

    void put(Mix mix, MixRates rates, VolumeTraffic.Rates byVolume, Rounds figures) {
        if (mix.readers() > 0) {
            figures.put("read MB/s " + name(mix), rates.read());
            figures.put("slowest reader's share " + name(mix), rates.slowestReaderShare());
            figures.put("longest call of a reader, ms " + name(mix), rates.longestReadMillis());
        }
        if (mix.writers() > 0) {
            figures.put("write MB/s " + name(mix), rates.write());
            figures.put("slowest writer's share " + name(mix), rates.slowestWriterShare());
        }
        if (byVolume.volumes() > 1) {
            figures.put("less used volume's share " + name(mix), byVolume.leastShare());
        }
    }

    /** What each mix makes of the disk, where a reader alone and a writer alone were measured too. */
    void putUses(Map<Mix, MixRates> measured, Rounds figures) {
        MixRates reader = measured.get(Mix.READER_ALONE);
        MixRates writer = measured.get(Mix.WRITER_ALONE);
        if (reader != null && writer != null) {
            measured.forEach((mix, rates) -> figures.put(use(mix), rates.useOfDisk(reader, writer)));
        }
    }

    String use(Mix mix) {
        return "use of the disk " + name(mix);
    }

    private String name(Mix mix) {
        return mix + " " + side;
    }
}
