package io.tatami.hadoop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.util.Locale;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.CommonConfigurationKeys;
import org.apache.hadoop.fs.FileAlreadyExistsException;
import org.apache.hadoop.fs.Options;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.SymlinkBaseTest;
import org.apache.hadoop.fs.permission.FsPermission;
import org.junit.jupiter.api.Test;

/** What symlinks do through either interface, beyond Hadoop's own tests of them. */
abstract class TatamiSymlinkBase extends SymlinkBaseTest {
    static Configuration configuration() {
        Configuration configuration = TatamiCluster.shared().configuration();
        configuration.set(CommonConfigurationKeys.FS_PERMISSIONS_UMASK_KEY, "000");
        return configuration;
    }

    @Override
    protected String getScheme() {
        return LinkedFileSystem.SCHEME;
    }

    @Override
    protected String testBaseDir1() {
        return "/test1";
    }

    @Override
    protected String testBaseDir2() {
        return "/test2";
    }

    @Override
    protected URI testURI() {
        return TatamiCluster.shared().uri();
    }

    @Test
    void linkToAnotherFileSystemIsReadThere() throws IOException {
        java.nio.file.Path local = Files.createTempFile("linked", ".txt");
        Files.writeString(local, "over there");
        Path link = new Path(testBaseDir1(), "link");
        wrapper.createSymlink(new Path(local.toUri()), link, false);
        assertEquals("over there".length(), wrapper.getFileStatus(link).getLen());
        Files.delete(local);
    }

    @Test
    void setPermissionAndOwnerThroughLinkChangeItsTarget() throws IOException {
        Path file = new Path(testBaseDir1(), "file");
        Path link = new Path(testBaseDir1(), "link");
        createAndWriteFile(file);
        wrapper.createSymlink(file, link, false);
        FsPermission before = wrapper.getFileLinkStatus(link).getPermission();
        wrapper.setPermission(link, new FsPermission((short) 0664));
        wrapper.setOwner(link, "someone", "somegroup");
        assertEquals(before, wrapper.getFileLinkStatus(link).getPermission());
        assertEquals((short) 0664, wrapper.getFileStatus(file).getPermission().toShort());
        assertEquals("someone", wrapper.getFileStatus(file).getOwner());
        assertEquals("somegroup", wrapper.getFileStatus(file).getGroup());
        assertNotEquals("someone", wrapper.getFileLinkStatus(link).getOwner());
    }

    @Test
    void setReplicationThroughLinkChangesItsTarget() throws IOException {
        Path file = new Path(testBaseDir1(), "file");
        Path link = new Path(testBaseDir1(), "link");
        createAndWriteFile(file);
        wrapper.createSymlink(file, link, false);
        wrapper.setReplication(link, (short) 2);
        assertEquals(0, wrapper.getFileLinkStatus(link).getReplication());
        assertEquals(2, wrapper.getFileStatus(file).getReplication());
    }

    /** As HDFS has it. The directories are in several shards. */
    @Test
    void linkIsNotRenamedToWhatItLeadsToThoughNothingIsThere() throws IOException {
        for (int i = 0; i < 16; i++) {
            Path directory = new Path(testBaseDir2(), "directory" + i);
            wrapper.mkdir(directory, FsPermission.getDirDefault(), true);
            Path target = new Path(directory, "missing");
            Path link = new Path(testBaseDir1(), "link" + i);
            wrapper.createSymlink(target, link, false);
            assertThrows(FileAlreadyExistsException.class, () -> wrapper.rename(link, target));
            assertThrows(
                    FileAlreadyExistsException.class, () -> wrapper.rename(link, target, Options.Rename.OVERWRITE));
            assertEquals(target, wrapper.getLinkTarget(link));
            wrapper.rename(link, new Path(directory, "other"));
        }
    }

    @Test
    void nameOfLinkBeyondTheLimitIsRefused() {
        Path link = new Path(testBaseDir1(), String.format(Locale.ROOT, "%0256d", 7));
        assertThrows(IOException.class, () -> wrapper.createSymlink(new Path("/"), link, false));
    }
}
