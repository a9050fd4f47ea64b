package io.tatami.hadoop.call;

import io.tatami.base.FileId;
import io.tatami.client.file.FileReader;
import io.tatami.client.file.ReadPolicy;
import io.tatami.client.model.TatamiPath;
import io.tatami.hadoop.convert.EntityTag;
import io.tatami.hadoop.convert.PathConverter;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.apache.hadoop.fs.EtagSource;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.InvalidPathHandleException;
import org.apache.hadoop.fs.Options.HandleOpt;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.PathHandle;
import org.jspecify.annotations.Nullable;

/**
 * A reference to a file: by id where it may have moved, by path where it may have been replaced, with its entity tag
 * where its content must be the same.
 *
 * <pre>
 *  0         1         9                10
 * +---------+---------+----------------+----------------+--------------+
 * | version | file id | follows id u8  | etag len+bytes | path bytes   |
 * +---------+---------+----------------+----------------+--------------+
 * </pre>
 *
 * @param followsFile whether the file counts (it may have moved), instead of the path (it may have been replaced)
 * @param etag empty where the content may have changed
 */
public record TatamiPathHandle(FileId file, boolean followsFile, String etag, String path) implements PathHandle {
    private static final long serialVersionUID = 1L;
    private static final byte VERSION = 1;

    /** @throws IOException InvalidPathHandleException where the bytes are no handle of ours */
    public static TatamiPathHandle of(PathHandle handle) throws IOException {
        ByteBuffer bytes = handle.bytes().duplicate();
        try {
            if (bytes.get() != VERSION) {
                throw new InvalidPathHandleException("the path handle belongs to another release or file system");
            }
            FileId file = new FileId(bytes.getLong());
            boolean followsFile = bytes.get() != 0;
            byte[] etag = new byte[bytes.get()];
            bytes.get(etag);
            byte[] path = new byte[bytes.remaining()];
            bytes.get(path);
            return new TatamiPathHandle(
                    file,
                    followsFile,
                    new String(etag, StandardCharsets.US_ASCII),
                    new String(path, StandardCharsets.UTF_8));
        } catch (BufferUnderflowException | NegativeArraySizeException e) {
            throw new InvalidPathHandleException("the bytes are not a path handle", e);
        }
    }

    /**
     * A handle of a status that this file system gave.
     *
     * @throws IllegalArgumentException for anything but a file
     * @throws UnsupportedOperationException for a status of another file system
     */
    public static TatamiPathHandle of(FileStatus status, HandleOpt... options) {
        if (!status.isFile()) {
            throw new IllegalArgumentException("Not a regular file: " + status.getPath());
        }
        if (!(status instanceof EtagSource tagged)) {
            throw new UnsupportedOperationException(status.getPath() + " does not belong to this file system");
        }
        boolean mayMove = HandleOpt.getOpt(HandleOpt.Location.class, options)
                .orElse(HandleOpt.moved(false))
                .allowChange();
        boolean mayChange = HandleOpt.getOpt(HandleOpt.Data.class, options)
                .orElse(HandleOpt.changed(false))
                .allowChange();
        String etag = tagged.getEtag();
        return new TatamiPathHandle(
                EntityTag.fileOf(etag),
                mayMove,
                mayChange ? "" : etag,
                status.getPath().toUri().getPath());
    }

    /**
     * @throws InvalidPathHandleException where the file is gone, was replaced, or changed against the handle's terms
     */
    public FileReader open(TatamiCalls calls, ReadPolicy policy) throws IOException {
        FileReader reader;
        try {
            TatamiPath at = PathConverter.path(new Path(path));
            reader = TatamiCalls.translated(() -> followsFile
                    ? calls.client().open(file, at, policy)
                    : calls.client().open(at, policy));
        } catch (FileNotFoundException e) {
            throw new InvalidPathHandleException("the file of the path handle no longer exists: " + path, e);
        }
        boolean same = reader.status().id() == file.value();
        boolean unchanged = etag.isEmpty() || etag.equals(EntityTag.of(reader.status()));
        if (!same || !unchanged) {
            reader.close();
            throw new InvalidPathHandleException("the file of the path handle was replaced or changed: " + path);
        }
        return reader;
    }

    @Override
    public ByteBuffer bytes() {
        byte[] tag = etag.getBytes(StandardCharsets.US_ASCII);
        byte[] text = path.getBytes(StandardCharsets.UTF_8);
        ByteBuffer bytes = ByteBuffer.allocate(Byte.BYTES + Long.BYTES + 2 * Byte.BYTES + tag.length + text.length);
        bytes.put(VERSION)
                .putLong(file.value())
                .put((byte) (followsFile ? 1 : 0))
                .put((byte) tag.length)
                .put(tag)
                .put(text)
                .flip();
        return bytes;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof PathHandle handle && handle.bytes().equals(bytes());
    }

    @Override
    public int hashCode() {
        return bytes().hashCode();
    }
}
