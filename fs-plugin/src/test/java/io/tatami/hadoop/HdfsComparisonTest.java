package io.tatami.hadoop;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.hdfs.MiniDFSCluster;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/** The same things done to HDFS and to Tatami come out the same: results, exceptions, and what is left behind. */
class HdfsComparisonTest {
    @TempDir
    private static Path directory = Path.of("");

    private static AutoCloseable hdfsCluster = () -> {};
    private static FileSystem hdfs = new TatamiFileSystem();
    private static FileSystem tatami = new TatamiFileSystem();

    @BeforeAll
    static void connect() throws IOException {
        MiniDFSCluster cluster = new MiniDFSCluster.Builder(HdfsCluster.configuration(), directory.toFile())
                .numDataNodes(1)
                .build();
        hdfsCluster = cluster::shutdown;
        hdfs = cluster.getFileSystem();
        tatami = TatamiCluster.shared().newFileSystem(TatamiCluster.shared().configuration());
    }

    @AfterAll
    static void disconnect() throws Exception {
        tatami.close();
        hdfsCluster.close();
    }

    @ParameterizedTest
    @FieldSource("io.tatami.hadoop.HdfsComparison#ALL")
    void doesWhatHdfsDoes(HdfsComparison comparison) throws IOException {
        HdfsComparison.Outcome expected = comparison.on(hdfs);
        HdfsComparison.Outcome actual = comparison.on(tatami);
        assertTrue(actual.isAsGoodAs(expected), () -> "HDFS: " + expected + "\nTatami: " + actual);
    }
}
