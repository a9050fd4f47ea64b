package io.tatami.hadoop;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.io.IOException;
import java.security.PrivilegedExceptionAction;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSMainOperationsBaseTest;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.ParentNotDirectoryException;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.security.AccessControlException;
import org.apache.hadoop.security.UserGroupInformation;
import org.junit.jupiter.api.Test;

/** What programs do most, through FileSystem, by a user whom permissions bind. */
class FileSystemMainOperationsTest extends FSMainOperationsBaseTest {
    /** One of the tests copies to this place of the local file system, which must be ours there, too. */
    private static final String ROOT =
            new File(System.getProperty("java.io.tmpdir"), "FileSystemMainOperationsTest").getAbsolutePath();

    private static final UserGroupInformation USER = UserGroupInformation.createRemoteUser("someone");

    FileSystemMainOperationsTest() {
        super(ROOT);
    }

    @Override
    protected FileSystem createFileSystem() throws IOException, InterruptedException {
        Configuration configuration = TatamiCluster.shared().configuration();
        FileSystem superuser = FileSystem.get(configuration);
        for (String directory : new String[] {ROOT, "/user/" + USER.getUserName()}) {
            superuser.mkdirs(new Path(directory));
            superuser.setOwner(new Path(directory), USER.getUserName(), null);
        }
        FileSystem fs = USER.doAs((PrivilegedExceptionAction<FileSystem>) () -> FileSystem.get(configuration));
        fs.setWorkingDirectory(fs.getHomeDirectory());
        return fs;
    }

    @Override
    protected Path getDefaultWorkingDirectory() {
        return fSys.makeQualified(new Path("/user/" + USER.getUserName()));
    }

    /**
     * HDFS refuses to say whether there is anything below a file; the base class expects it to say that there is not.
     */
    @Override
    @Test
    public void testMkdirsFailsForSubdirectoryOfExistingFile() throws Exception {
        Path file = getTestRootPath(fSys, "test/hadoop/file");
        createFile(file);
        Path below = new Path(file, "subdir");
        assertThrows(ParentNotDirectoryException.class, () -> fSys.mkdirs(below));
        assertThrows(AccessControlException.class, () -> fSys.exists(below));
        assertTrue(fSys.getFileStatus(file).isFile());
    }
}
