package io.tatami.hadoop.contract;

import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.contract.AbstractContractContentSummaryTest;
import org.apache.hadoop.fs.contract.AbstractFSContract;

/** Totals of trees. */
class ContentSummaryContractTest extends AbstractContractContentSummaryTest {
    @Override
    protected AbstractFSContract createContract(Configuration configuration) {
        return new TatamiContract(configuration);
    }
}
