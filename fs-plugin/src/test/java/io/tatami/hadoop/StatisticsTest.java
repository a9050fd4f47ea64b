package io.tatami.hadoop;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.net.URI;
import org.apache.hadoop.fs.FCStatisticsBaseTest;
import org.apache.hadoop.fs.FileContext;
import org.apache.hadoop.fs.FileSystem;
import org.junit.jupiter.api.BeforeAll;

/** Bytes counted by streams that FileContext opened. */
class StatisticsTest extends FCStatisticsBaseTest {
    @BeforeAll
    static void connect() throws IOException {
        fc = TatamiCluster.shared().newFileContext();
        FileContext.clearStatistics();
    }

    /** The same bytes are read twice: in sequence and at their position. */
    @Override
    protected void verifyReadBytes(FileSystem.Statistics statistics) {
        assertEquals(2L * blockSize, statistics.getBytesRead());
    }

    @Override
    protected void verifyWrittenBytes(FileSystem.Statistics statistics) {
        assertEquals((long) blockSize * numBlocks, statistics.getBytesWritten());
    }

    @Override
    protected URI getFsUri() {
        return TatamiCluster.shared().uri();
    }
}
