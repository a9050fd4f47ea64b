package io.tatami.server.monitor;

import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Collections;
import java.util.Enumeration;
import java.util.List;
import java.util.Optional;
import org.apache.log4j.FileAppender;
import org.apache.log4j.LogManager;

/**
 * The files of this process's log, as reload4j's appenders name them: the one that is written now, and those before it
 * with a number behind the name. Safe for use by many threads.
 */
final class LogFiles {
    /** Of one page. */
    static final int PAGE_BYTES = 1 << 20;

    private LogFiles() {}

    /**
     * A part of a file.
     *
     * @param fileBytes the length of the file
     * @param fileKey names the file, also after it was renamed
     */
    record Page(byte[] content, long fileBytes, String fileKey) {}

    /**
     * Reads from {@code offset} on.
     *
     * @param file 0 for the one that is written now
     * @param offset unsigned; beyond the end for no content
     * @throws TatamiException NOT_FOUND where there is no such file, UNSUPPORTED where the log goes to no file;
     *     IO_ERROR
     */
    static Page read(int file, long offset) throws TatamiException {
        Path path = path(file);
        try (FileChannel channel = FileChannel.open(path)) {
            long size = channel.size();
            Object key = Files.readAttributes(path, BasicFileAttributes.class).fileKey();
            boolean isBeyond = Long.compareUnsigned(offset, size) >= 0;
            ByteBuffer content = ByteBuffer.allocate(isBeyond ? 0 : (int) Math.min(PAGE_BYTES, size - offset));
            long at = offset;
            while (content.hasRemaining()) {
                int read = channel.read(content, at);
                if (read < 0) {
                    break;
                }
                at += read;
            }
            byte[] read = new byte[content.flip().remaining()];
            content.get(read);
            return new Page(read, size, String.valueOf(key));
        } catch (NoSuchFileException e) {
            throw new TatamiException(ErrorCode.NOT_FOUND, "there is no log " + path, e);
        } catch (IOException e) {
            throw new TatamiException(ErrorCode.IO_ERROR, "the log " + path + " cannot be read: " + e, e);
        }
    }

    private static Path path(int file) throws TatamiException {
        Path current = appenders().stream()
                .filter(FileAppender.class::isInstance)
                .flatMap(appender -> Optional.ofNullable(((FileAppender) appender).getFile()).stream())
                .map(Path::of)
                .findFirst()
                .orElseThrow(() -> new TatamiException(
                        ErrorCode.UNSUPPORTED,
                        "this process logs to no file; see its error output, or log4j-server.properties"));
        return file == 0 ? current : current.resolveSibling(current.getFileName() + "." + file);
    }

    private static List<?> appenders() {
        Enumeration<?> appenders = LogManager.getRootLogger().getAllAppenders();
        return Collections.list(appenders);
    }
}
