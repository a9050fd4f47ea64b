package io.tatami.hadoop.contract;

import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.contract.AbstractContractUnbufferTest;
import org.apache.hadoop.fs.contract.AbstractFSContract;

/** Streams that give their buffers back. */
class UnbufferContractTest extends AbstractContractUnbufferTest {
    @Override
    protected AbstractFSContract createContract(Configuration configuration) {
        return new TatamiContract(configuration);
    }
}
