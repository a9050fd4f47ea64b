package io.tatami.hadoop.contract;

import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.contract.AbstractContractStreamIOStatisticsTest;
import org.apache.hadoop.fs.contract.AbstractFSContract;

/** What streams count, which HDFS does not. */
class StreamIoStatisticsContractTest extends AbstractContractStreamIOStatisticsTest {
    @Override
    protected AbstractFSContract createContract(Configuration configuration) {
        return new TatamiContract(configuration);
    }
}
