package io.tatami.client.model;

import io.tatami.base.Check;
import io.tatami.protocol.wire.CreateModes;

/**
 * How a file is created.
 *
 * @param modes permission bits with and without the caller's umask
 * @param overwrite whether a file of that name is replaced, in one step
 * @param createParents whether missing parents are made, with the mode of the nearest that exists and rwx for the owner
 *     added to it as HDFS does
 * @param replication 1 to 16; 0 for the client's setting
 * @param blockSizeBytes 1 and above; 0 for the client's setting
 * @param copiesMin how many copies of each block a close waits for, 1 to 16; 0 for the client's setting
 */
public record CreateSpec(
        CreateModes modes,
        boolean overwrite,
        boolean createParents,
        int replication,
        long blockSizeBytes,
        int copiesMin) {
    public CreateSpec {
        Check.check(
                replication >= 0 && blockSizeBytes >= 0 && copiesMin >= 0,
                "replication %d, blocks of %d, %d copies at least",
                replication,
                blockSizeBytes,
                copiesMin);
    }

    /** A new file with mode 0644 in an existing directory. */
    public static final CreateSpec DEFAULT = new CreateSpec(modes(0666, 022), false, false, 0, 0, 0);

    /** {@code mode} with and without {@code umask}. */
    public static CreateModes modes(int mode, int umask) {
        return CreateModes.newBuilder()
                .setUnmasked(mode)
                .setMasked(mode & ~umask)
                .build();
    }

    /** The same, with the client's settings where nothing is named. */
    public CreateSpec completedBy(ClientSettings settings) {
        return withReplication(replication > 0 ? replication : settings.replication())
                .withBlockSizeBytes(blockSizeBytes > 0 ? blockSizeBytes : settings.blockSizeBytes())
                .withCopiesMin(copiesMin > 0 ? copiesMin : settings.copiesMin());
    }

    public CreateSpec withModes(CreateModes other) {
        return new CreateSpec(other, overwrite, createParents, replication, blockSizeBytes, copiesMin);
    }

    public CreateSpec withOverwrite(boolean whether) {
        return new CreateSpec(modes, whether, createParents, replication, blockSizeBytes, copiesMin);
    }

    public CreateSpec withCreateParents(boolean whether) {
        return new CreateSpec(modes, overwrite, whether, replication, blockSizeBytes, copiesMin);
    }

    public CreateSpec withReplication(int copies) {
        return new CreateSpec(modes, overwrite, createParents, copies, blockSizeBytes, copiesMin);
    }

    public CreateSpec withBlockSizeBytes(long bytes) {
        return new CreateSpec(modes, overwrite, createParents, replication, bytes, copiesMin);
    }

    public CreateSpec withCopiesMin(int copies) {
        return new CreateSpec(modes, overwrite, createParents, replication, blockSizeBytes, copies);
    }
}
