package io.tatami.hadoop.stream;

import java.util.Map;
import java.util.function.Supplier;
import org.apache.hadoop.fs.statistics.IOStatistics;
import org.apache.hadoop.fs.statistics.MeanStatistic;

/**
 * The counters of a stream, as of the moment at which they are looked at. A stream that reads or writes a small file
 * lives for some ten microseconds; Hadoop's own dynamic statistics take three of them to be set up and summed.
 *
 * @param counted what is counted, by its names
 */
record StreamCounters(Supplier<Map<String, Long>> counted) implements IOStatistics {
    @Override
    public Map<String, Long> counters() {
        return counted.get();
    }

    @Override
    public Map<String, Long> gauges() {
        return Map.of();
    }

    @Override
    public Map<String, Long> minimums() {
        return Map.of();
    }

    @Override
    public Map<String, Long> maximums() {
        return Map.of();
    }

    @Override
    public Map<String, MeanStatistic> meanStatistics() {
        return Map.of();
    }
}
