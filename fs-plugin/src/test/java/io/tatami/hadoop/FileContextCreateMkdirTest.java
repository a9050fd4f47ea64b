package io.tatami.hadoop;

import java.io.IOException;
import org.apache.hadoop.fs.FileContextCreateMkdirBaseTest;
import org.apache.hadoop.fs.FileContextTestHelper;
import org.junit.jupiter.api.BeforeAll;

/** Files and directories made with and without their parents, through FileContext. */
class FileContextCreateMkdirTest extends FileContextCreateMkdirBaseTest {
    @BeforeAll
    static void connect() throws IOException {
        fc = TatamiCluster.shared().newFileContext();
    }

    @Override
    protected FileContextTestHelper createFileContextHelper() {
        return new FileContextTestHelper("/tmp/FileContextCreateMkdirTest");
    }
}
