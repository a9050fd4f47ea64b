package io.tatami.meta.log;

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/** What the files of a log take on the disk. */
public final class LogSpace {
    private LogSpace() {}

    /**
     * How long the files together are, in bytes. One that is deleted or gets another name at the moment may be left
     * out.
     *
     * @param glob which files of the directory are the log's
     */
    public static long bytes(Path directory, String glob) throws IOException {
        long bytes = 0;
        try (DirectoryStream<Path> files = Files.newDirectoryStream(directory, glob)) {
            for (Path file : files) {
                bytes += bytes(file);
            }
        } catch (DirectoryIteratorException e) {
            throw e.getCause();
        }
        return bytes;
    }

    private static long bytes(Path file) throws IOException {
        try {
            return Files.size(file);
        } catch (NoSuchFileException e) {
            return 0;
        }
    }
}
