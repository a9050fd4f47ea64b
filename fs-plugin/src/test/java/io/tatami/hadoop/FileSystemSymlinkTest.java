package io.tatami.hadoop;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.CommonConfigurationKeys;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.FileSystemTestWrapper;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Disabled;
import org.junit.jupiter.api.Test;

/** Symlinks through FileSystem, which resolves them itself. */
class FileSystemSymlinkTest extends TatamiSymlinkBase {
    private static TatamiFileSystem fs = new TatamiFileSystem();

    /** The one that links within the cluster lead to as well is the one in Hadoop's cache. */
    @BeforeAll
    static void connect() throws IOException {
        Configuration configuration = configuration();
        FileSystem.get(configuration).close();
        fs = (TatamiFileSystem) FileSystem.get(configuration);
        wrapper = new FileSystemTestWrapper(fs, "/tmp/FileSystemSymlinkTest");
    }

    @AfterAll
    static void disconnect() throws IOException {
        fs.close();
    }

    @Override
    @Disabled("As for HDFS: FileSystem.create makes parents, and so directories behind dangling links")
    @Test
    public void testCreateFileViaDanglingLinkParent() {}

    @Test
    void leaseIsRecoveredThroughLink() throws IOException {
        Path file = new Path(testBaseDir1(), "file");
        Path link = new Path(testBaseDir1(), "link");
        createAndWriteFile(file);
        wrapper.createSymlink(file, link, false);
        assertTrue(fs.recoverLease(link));
        assertTrue(fs.isFileClosed(link));
    }

    @Test
    void filesAreJoinedThroughLink() throws IOException {
        Path link = new Path(testBaseDir1(), "link");
        wrapper.createSymlink(new Path(testBaseDir2()), link, false);
        Path target = new Path(link, "target");
        Path source = new Path(link, "source");
        createAndWriteFile(target);
        createAndWriteFile(source);
        fs.concat(target, new Path[] {source});
        assertTrue(fs.getFileStatus(new Path(testBaseDir2(), "target")).getLen() > 0);
    }

    @Test
    void linksAreNotFollowedWhereTheConfigurationForbidsIt() throws IOException {
        Path file = new Path(testBaseDir1(), "file");
        Path link = new Path(testBaseDir1(), "link");
        createAndWriteFile(file);
        wrapper.createSymlink(file, link, false);
        Configuration strict = configuration();
        strict.setBoolean(CommonConfigurationKeys.FS_CLIENT_RESOLVE_REMOTE_SYMLINKS_KEY, false);
        try (FileSystem strictFs = TatamiCluster.shared().newFileSystem(strict)) {
            IOException refused = assertThrows(IOException.class, () -> strictFs.open(link));
            assertTrue(refused.toString().contains("resolution is disabled"), refused.toString());
        }
    }
}
