package io.tatami.hadoop;

import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import org.apache.hadoop.fs.FileContext;
import org.apache.hadoop.fs.FileContextTestWrapper;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.UnresolvedLinkException;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Symlinks through FileContext, which follows the links that our AbstractFileSystem only tells of. */
class FileContextSymlinkTest extends TatamiSymlinkBase {
    @BeforeAll
    static void connect() throws IOException {
        FileContext context = FileContext.getFileContext(TatamiCluster.shared().uri(), configuration());
        wrapper = new FileContextTestWrapper(context, "/tmp/FileContextSymlinkTest");
    }

    @Test
    void theAbstractFileSystemItselfFollowsNoLink() throws IOException {
        Path file = new Path(testBaseDir1(), "file");
        Path link = new Path(testBaseDir1(), "link");
        createAndWriteFile(file);
        wrapper.createSymlink(file, link, false);
        FileContext context = FileContext.getFileContext(TatamiCluster.shared().uri(), configuration());
        assertThrows(
                UnresolvedLinkException.class,
                () -> context.getDefaultFileSystem().open(link));
    }
}
