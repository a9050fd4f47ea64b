package io.tatami.hadoop;

import java.io.IOException;
import org.apache.hadoop.fs.BulkDelete;
import org.apache.hadoop.fs.Path;

/** Tatami with the interfaces that Hadoop has since 3.4.1. */
public final class BulkTatamiFileSystem extends LeaseTatamiFileSystem {
    /** Made by Hadoop. */
    public BulkTatamiFileSystem() {}

    @Override
    public BulkDelete createBulkDelete(Path base) throws IOException {
        Path absolute = fixRelativePart(base);
        checkPath(absolute);
        return new TatamiBulkDelete(calls(), makeQualified(absolute));
    }
}
