package io.tatami.hadoop;

import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.CommonConfigurationKeys;
import org.apache.hadoop.fs.FileSystemContractBaseTest;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** Hadoop's older contract of file systems, with the umask under which HDFS passes it. */
class FileSystemContractTest extends FileSystemContractBaseTest {
    @BeforeEach
    void connect() throws Exception {
        Configuration configuration = TatamiCluster.shared().configuration();
        configuration.set(CommonConfigurationKeys.FS_PERMISSIONS_UMASK_KEY, TEST_UMASK);
        fs = TatamiCluster.shared().newFileSystem(configuration);
    }

    @Override
    @AfterEach
    public void tearDown() throws Exception {
        super.tearDown();
        fs.close();
    }

    @Override
    protected String getDefaultWorkingDirectory() {
        return TatamiCluster.homeDirectory();
    }
}
