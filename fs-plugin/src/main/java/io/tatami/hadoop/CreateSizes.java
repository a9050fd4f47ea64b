package io.tatami.hadoop;

import io.tatami.client.model.CreateSpec;
import java.io.IOException;

/** The numbers that a caller of {@code create} gives, checked in the words of HDFS. */
final class CreateSizes {
    private CreateSizes() {}

    static CreateSpec of(short replication, long blockSize) throws IOException {
        if (blockSize <= 0) {
            throw new IOException(
                    "Specified block size " + blockSize + " is less than the configured minimum value of 1");
        }
        return CreateSpec.DEFAULT
                .withReplication(checkedReplication(replication))
                .withBlockSizeBytes(blockSize);
    }

    static short checkedReplication(short replication) throws IOException {
        if (replication <= 0) {
            throw new IOException(
                    "Requested replication factor of " + replication + " is less than the required minimum of 1");
        }
        return replication;
    }
}
