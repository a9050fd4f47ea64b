package io.tatami.hadoop;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.FsServerDefaults;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Programs that name no block size and no replication get the file system's own, not those of Hadoop's base class. */
class DefaultSizesTest {
    @TempDir
    private java.nio.file.Path local;

    @Test
    void aFileCopiedInHasTheBlockSizeAndReplicationOfTheFileSystem() throws IOException {
        java.nio.file.Path source = Files.writeString(local.resolve("text"), "some text");
        Path copy = new Path("/tmp/DefaultSizesTest");
        try (FileSystem fs = FileSystem.newInstance(
                TatamiCluster.shared().uri(), TatamiCluster.shared().configuration())) {
            fs.copyFromLocalFile(false, true, new Path(source.toUri()), copy);
            FsServerDefaults defaults = fs.getServerDefaults(copy);
            FileStatus status = fs.getFileStatus(copy);
            assertEquals(defaults.getBlockSize(), status.getBlockSize());
            assertEquals(defaults.getBlockSize(), fs.getDefaultBlockSize(copy));
            assertEquals(defaults.getReplication(), status.getReplication());
            assertEquals(defaults.getReplication(), fs.getDefaultReplication(copy));
            fs.delete(copy, false);
        }
    }
}
