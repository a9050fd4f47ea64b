package io.tatami.hadoop;

import org.apache.hadoop.fs.statistics.IOStatistics;
import org.apache.hadoop.fs.statistics.IOStatisticsContext;

/** Where the streams of a thread add up what they counted. Hadoop has a place for it since 3.3.5. */
interface ThreadStatistics {
    /** Adds the counters of a stream that ends. Safe for use by many threads. */
    void add(IOStatistics counters);

    /** The place of the calling thread; one that forgets where Hadoop has none. */
    static ThreadStatistics current() {
        return HadoopInterfaces.THREAD_STATISTICS ? OfHadoop.current() : counters -> {};
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
