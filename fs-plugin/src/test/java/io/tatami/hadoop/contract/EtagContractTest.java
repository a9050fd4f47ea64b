package io.tatami.hadoop.contract;

import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.contract.AbstractContractEtagTest;
import org.apache.hadoop.fs.contract.AbstractFSContract;

/** Entity tags, which HDFS does not have. */
class EtagContractTest extends AbstractContractEtagTest {
    @Override
    protected AbstractFSContract createContract(Configuration configuration) {
        return new TatamiContract(configuration);
    }
}
