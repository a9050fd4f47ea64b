package io.tatami.hadoop.stream;

import io.tatami.hadoop.convert.HadoopClasses;
import org.apache.hadoop.fs.statistics.IOStatistics;
import org.apache.hadoop.fs.statistics.IOStatisticsContext;

/** Where the streams of a thread add up what they counted. Hadoop has a place for it since 3.3.5. */
interface ThreadStatistics {
    /** Looked for once: a stream of a small file lives for some ten microseconds. */
    boolean ARE_IN_HADOOP = HadoopClasses.isPresent("org.apache.hadoop.fs.statistics.IOStatisticsContext");

    /** Adds the counters of a stream that ends. Safe for use by many threads. */
    void add(IOStatistics counters);

    /** The place of the calling thread; one that forgets where Hadoop has none. */
    static ThreadStatistics current() {
        return ARE_IN_HADOOP ? OfHadoop.current() : counters -> {};
    }

    /** Apart, as it is only loaded where Hadoop has the class. */
    final class OfHadoop {
        private OfHadoop() {}

        private static ThreadStatistics current() {
            IOStatisticsContext context = IOStatisticsContext.getCurrentIOStatisticsContext();
            return counters -> context.getAggregator().aggregate(counters);
        }
    }
}
