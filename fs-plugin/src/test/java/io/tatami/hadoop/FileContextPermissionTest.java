package io.tatami.hadoop;

import java.io.IOException;
import org.apache.hadoop.fs.FileContext;
import org.apache.hadoop.fs.FileContextPermissionBase;
import org.apache.hadoop.fs.FileContextTestHelper;

/** Permissions, owners and umasks through FileContext. */
class FileContextPermissionTest extends FileContextPermissionBase {
    @Override
    protected FileContextTestHelper getFileContextHelper() {
        return new FileContextTestHelper("/tmp/FileContextPermissionTest");
    }

    @Override
    protected FileContext getFileContext() {
        try {
            return TatamiCluster.shared().newFileContext();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }
}
