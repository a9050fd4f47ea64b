package io.tatami.benchmarks.workload.flush;

import java.io.IOException;
import org.apache.hadoop.fs.FSDataOutputStream;

/** What is called after each record. */
enum FlushCall {
    HFLUSH {
        @Override
        void flush(FSDataOutputStream out) throws IOException {
            out.hflush();
        }
    },
    HSYNC {
        @Override
        void flush(FSDataOutputStream out) throws IOException {
            out.hsync();
        }
    };

    abstract void flush(FSDataOutputStream out) throws IOException;
}
