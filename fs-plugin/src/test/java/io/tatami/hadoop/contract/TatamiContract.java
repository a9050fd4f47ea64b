package io.tatami.hadoop.contract;

import io.tatami.hadoop.TatamiCluster;
import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.contract.AbstractFSContract;

/** What Hadoop's contract tests are to expect of Tatami: exactly what they expect of HDFS. */
final class TatamiContract extends AbstractFSContract {
    TatamiContract(Configuration configuration) {
        super(configuration);
        addConfResource("contract/tatami.xml");
        TatamiCluster.shared().configure(configuration);
    }

    /** Without the options most tests would be skipped, and pass. */
    @Override
    public void init() throws IOException {
        super.init();
        if (!isSupported("is-case-sensitive", false)) {
            throw new IOException("the options of contract/tatami.xml are not there");
        }
    }

    @Override
    public FileSystem getTestFileSystem() throws IOException {
        return FileSystem.get(TatamiCluster.shared().uri(), getConf());
    }

    @Override
    public String getScheme() {
        return "tatami";
    }

    @Override
    public Path getTestPath() {
        return new Path("/test");
    }
}
