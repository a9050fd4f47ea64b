package io.tatami.hadoop.convert;

import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.client.model.TatamiPath;
import java.io.FileNotFoundException;
import java.io.IOException;
import org.apache.hadoop.fs.InvalidPathException;
import org.apache.hadoop.fs.Path;

/** Hadoop's paths as paths within the cluster. */
public final class PathConverter {
    private PathConverter() {}

    /**
     * The path within the cluster; Hadoop has made it absolute and normalized it before.
     *
     * @throws org.apache.hadoop.fs.InvalidPathException for what HDFS has no names for: colons, too, which Hadoop's own
     *     Path cannot read back
     * @throws FileNotFoundException where it is too long to be there
     */
    public static TatamiPath path(Path path) throws IOException {
        try {
            return parsed(path);
        } catch (TatamiException e) {
            throw (FileNotFoundException) new FileNotFoundException(e.getMessage()).initCause(e);
        }
    }

    /** The same for something to be made. */
    public static TatamiPath newPath(Path path) throws IOException {
        try {
            return parsed(path);
        } catch (TatamiException e) {
            throw ExceptionTranslator.translateMaking(e);
        }
    }

    private static TatamiPath parsed(Path path) throws TatamiException {
        String text = path.toUri().getPath();
        if (text.indexOf(':') >= 0) {
            throw new InvalidPathException(text, "a name contains a colon");
        }
        try {
            return TatamiPath.of(text);
        } catch (TatamiException e) {
            if (e.code() == ErrorCode.PATH_TOO_LONG) {
                throw e;
            }
            throw ExceptionTranslator.invalidPath(text, e);
        }
    }
}
