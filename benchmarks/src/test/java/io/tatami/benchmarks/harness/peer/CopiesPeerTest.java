package io.tatami.benchmarks.harness.peer;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.tatami.benchmarks.harness.host.Undo;
import java.nio.file.Path;
import org.apache.hadoop.fs.BlockLocation;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Peers with several copies of each block have a server for each. */
class CopiesPeerTest {
    private static final long VOLUME_MEBIBYTES = 64;

    @TempDir
    private Path temporary;

    @Test
    void aBlockOfTatamiLiesOnThreeServers() throws Exception {
        assertEquals(3, copies("tatami", 3));
    }

    @Test
    void aBlockOfHdfsLiesOnTwoDataNodes() throws Exception {
        assertEquals(2, copies("hdfs", 2));
    }

    private int copies(String name, int copies) throws Exception {
        Undo undo = new Undo();
        try (Peer peer = Peers.startInUse(name, temporary.resolve(name), VOLUME_MEBIBYTES, copies, undo);
                FileSystem fs = FileSystem.newInstance(peer.configuration())) {
            org.apache.hadoop.fs.Path file = new org.apache.hadoop.fs.Path("/file");
            try (FSDataOutputStream out = fs.create(file)) {
                out.write(new byte[1 << 20]);
            }
            BlockLocation[] blocks = fs.getFileBlockLocations(file, 0, 1);
            return blocks[0].getNames().length;
        } finally {
            undo.run();
        }
    }
}
