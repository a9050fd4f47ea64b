package io.tatami.hadoop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.Test;

/** A stream tells how much of it went through memory that it shares with a block server. */
class SharedBytesTest {
    private static final int BYTES = (10 << 20) + 5;

    @Test
    void whatIsSentAtTheCloseIsCountedToo() throws IOException {
        Path path = new Path("/tmp/SharedBytesTest");
        try (FileSystem fs = FileSystem.newInstance(
                TatamiCluster.shared().uri(), TatamiCluster.shared().configuration())) {
            FSDataOutputStream out = fs.create(path, true, 4_096, (short) 1, 64 << 20);
            try (out) {
                out.write(new byte[BYTES]);
                assertTrue(sharedBytes(out) < BYTES, "the last bytes wait for the word that they are the last");
            }
            assertEquals(BYTES, sharedBytes(out));
            fs.delete(path, false);
        }
    }

    private static long sharedBytes(FSDataOutputStream out) {
        return out.getIOStatistics().counters().getOrDefault("stream_write_shared_bytes", -1L);
    }
}
