package io.tatami.hadoop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.security.PrivilegedExceptionAction;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.BlockLocation;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.security.UserGroupInformation;
import org.junit.jupiter.api.Test;

/** More copies are asked for than the cluster's one block server can hold: as on HDFS with one DataNode. */
final class ReplicationAskedTest {
    private static final Path DIRECTORY = new Path("/replication-asked");
    private static final byte[] BYTES = new byte[2_500_000];

    @Test
    void threeCopiesOnOneServerAreWrittenAsOneAndTheFileGoesOnAskingForThree() throws Exception {
        try (FileSystem fs =
                TatamiCluster.shared().newFileSystem(TatamiCluster.shared().configuration())) {
            Path file = new Path(DIRECTORY, "created");
            try (FSDataOutputStream out = fs.create(file, true, 4_096, (short) 3, 1 << 20)) {
                out.write(BYTES);
            }
            assertAsks(fs, file, 3);
        }
    }

    @Test
    void setReplicationIsTakenAndLocationsTellTheCopiesThereAre() throws Exception {
        try (FileSystem fs =
                TatamiCluster.shared().newFileSystem(TatamiCluster.shared().configuration())) {
            Path file = new Path(DIRECTORY, "set");
            try (FSDataOutputStream out = fs.create(file, true, 4_096, (short) 1, 1 << 20)) {
                out.write(BYTES);
            }
            assertTrue(fs.setReplication(file, (short) 3));
            assertAsks(fs, file, 3);
            assertTrue(fs.setReplication(file, (short) 1));
            assertAsks(fs, file, 1);
        }
    }

    @Test
    void anOwnerWhoMayNotReadTheFileSetsItsReplication() throws Exception {
        Configuration configuration = TatamiCluster.shared().configuration();
        Path file = new Path(DIRECTORY, "unreadable");
        try (FileSystem root = TatamiCluster.shared().newFileSystem(configuration)) {
            try (FSDataOutputStream out = root.create(file, true, 4_096, (short) 1, 1 << 20)) {
                out.write(BYTES);
            }
            root.setOwner(file, "carol", "staff");
            root.setPermission(file, new FsPermission(0300));
        }
        UserGroupInformation carol = UserGroupInformation.createUserForTesting("carol", new String[] {"staff"});
        PrivilegedExceptionAction<Boolean> change = () -> {
            try (FileSystem fs = TatamiCluster.shared().newFileSystem(configuration)) {
                return fs.setReplication(file, (short) 3);
            }
        };
        assertTrue(carol.doAs(change));
    }

    private static void assertAsks(FileSystem fs, Path file, int copies) throws Exception {
        FileStatus status = fs.getFileStatus(file);
        assertEquals(copies, status.getReplication());
        BlockLocation[] blocks = fs.getFileBlockLocations(status, 0, BYTES.length);
        assertEquals(3, blocks.length);
        for (BlockLocation block : blocks) {
            assertEquals(1, block.getHosts().length);
        }
        try (FSDataInputStream in = fs.open(file)) {
            byte[] read = new byte[BYTES.length];
            in.readFully(0, read);
        }
    }
}
