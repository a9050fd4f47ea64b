package io.tatami.hadoop.contract;

import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.contract.AbstractContractMultipartUploaderTest;
import org.apache.hadoop.fs.contract.AbstractFSContract;

/** Files written in parts by many writers and joined; its answers about us are those HDFS gives. */
class MultipartUploaderContractTest extends AbstractContractMultipartUploaderTest {
    @Override
    protected AbstractFSContract createContract(Configuration configuration) {
        return new TatamiContract(configuration);
    }

    @Override
    protected int partSizeInBytes() {
        return 1024;
    }

    @Override
    protected boolean finalizeConsumesUploadIdImmediately() {
        return true;
    }

    @Override
    protected boolean supportsConcurrentUploadsToSamePath() {
        return true;
    }
}
