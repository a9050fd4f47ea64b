package io.tatami.hadoop.convert;

import io.tatami.client.model.CreateSpec;
import java.io.IOException;

/** The numbers that a caller of {@code create} gives, checked in the words of HDFS. */
public final class CreateSizes {
    private CreateSizes() {}

    public static CreateSpec of(short replication, long blockSize) throws IOException {
        if (blockSize <= 0) {
            throw new IOException(
                    "Specified block size " + blockSize + " is less than the configured minimum value of 1");
        }
        return CreateSpec.DEFAULT
                .withReplication(checkedReplication(replication))
                .withBlockSizeBytes(blockSize);
    }

    public static short checkedReplication(short replication) throws IOException {
        if (replication <= 0) {
            throw new IOException(
                    "Requested replication factor of " + replication + " is less than the required minimum of 1");
        }
        return replication;
    }
}
