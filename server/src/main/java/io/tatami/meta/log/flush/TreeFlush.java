package io.tatami.meta.log.flush;

import java.io.IOException;
import java.nio.file.Path;

/** Makes files durable that others have written. Safe for use by many threads. */
public interface TreeFlush extends AutoCloseable {
    /**
     * Returns when all that was written below {@code tree} before the call is durable, and all names there.
     *
     * @throws IOException what is durable is then unknown, and another try may hide it: the caller must drop the files
     */
    void flush(Path tree) throws IOException;

    @Override
    void close();

    /**
     * In a mode, for trees below {@code directory}. {@link FlushMode#ONCE} is {@link FlushMode#EACH} where the system
     * cannot flush a file system or does not say that it failed.
     *
     * @param directory exists
     */
    static TreeFlush open(FlushMode mode, Path directory) throws IOException {
        return switch (mode) {
            case ONCE -> FileSystemFlush.isAvailable() ? new FileSystemFlush(directory) : new FileFlush();
            case EACH -> new FileFlush();
        };
    }
}
