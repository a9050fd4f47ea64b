package io.tatami.hadoop;

import java.io.IOException;
import org.apache.hadoop.fs.FileContext;
import org.apache.hadoop.fs.FileContextMainOperationsBaseTest;
import org.apache.hadoop.fs.FileContextTestHelper;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.BeforeAll;

/** What programs do most, through FileContext. */
class FileContextMainOperationsTest extends FileContextMainOperationsBaseTest {
    @BeforeAll
    static void connect() throws IOException {
        fc = TatamiCluster.shared().newFileContext();
        fc.mkdir(new Path(TatamiCluster.homeDirectory()), FileContext.DEFAULT_PERM, true);
    }

    @Override
    protected FileContextTestHelper createFileContextHelper() {
        return new FileContextTestHelper("/tmp/FileContextMainOperationsTest");
    }

    @Override
    protected Path getDefaultWorkingDirectory() {
        return fc.makeQualified(new Path(TatamiCluster.homeDirectory()));
    }

    /** As for HDFS: the blocks of a corrupt file can be asked for. */
    @Override
    protected boolean listCorruptedBlocksSupported() {
        return true;
    }
}
