package io.tatami.hadoop.contract;

import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.contract.AbstractContractRenameTest;
import org.apache.hadoop.fs.contract.AbstractFSContract;

/** Files and directories renamed. */
class RenameContractTest extends AbstractContractRenameTest {
    @Override
    protected AbstractFSContract createContract(Configuration configuration) {
        return new TatamiContract(configuration);
    }
}
