package io.tatami.benchmarks.harness.peer;

import java.io.IOException;
import java.util.List;
import org.apache.hadoop.conf.Configuration;

/** A file system under measurement: its servers run as processes that {@link #close} ends. */
public interface Peer extends AutoCloseable {
    /** For tables and file names: {@code tatami} or {@code hdfs}. */
    String name();

    /** A client's configuration, with {@code fs.defaultFS} set. */
    Configuration configuration();

    /** The server processes, for their CPU time. */
    List<ProcessHandle> servers();

    /** Ends the servers and removes their data. */
    @Override
    void close() throws IOException;
}
