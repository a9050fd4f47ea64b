package io.tatami.hadoop.contract;

import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.contract.AbstractContractBulkDeleteTest;
import org.apache.hadoop.fs.contract.AbstractFSContract;

/** Many files deleted by one call. */
class BulkDeleteContractTest extends AbstractContractBulkDeleteTest {
    @Override
    protected AbstractFSContract createContract(Configuration configuration) {
        return new TatamiContract(configuration);
    }

    /** HDFS deletes one file a call; with more, the tests of several files run, too. */
    @Override
    protected int getExpectedPageSize() {
        return 1_000;
    }
}
