package io.tatami.server.dump;

import com.google.protobuf.ByteString;
import io.tatami.base.Causes;
import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.EnumSet;
import java.util.Set;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

/**
 * An archive that is being written, readable by its owner alone, as it has the names of users and files. Under its name
 * it is there only when it is complete. Used by one thread.
 */
public final class DumpArchive implements AutoCloseable {
    private static final FileAttribute<Set<PosixFilePermission>> OWNER_ONLY = PosixFilePermissions.asFileAttribute(
            EnumSet.of(PosixFilePermission.OWNER_READ, PosixFilePermission.OWNER_WRITE));

    private final Path path;
    private final Path unfinished;
    private final String directory;
    private final ZipOutputStream zip;

    private DumpArchive(Path path, Path unfinished, OutputStream out) {
        this.path = path;
        this.unfinished = unfinished;
        String name = String.valueOf(path.getFileName());
        this.directory = (name.endsWith(".zip") ? name.substring(0, name.length() - 4) : name) + "/";
        this.zip = new ZipOutputStream(out);
    }

    /**
     * Begins an archive. What is written of it is deleted where the program ends before {@link #finish}.
     *
     * @throws TatamiException ALREADY_EXISTS for a file that is there; IO_ERROR
     */
    public static DumpArchive begin(Path path) throws TatamiException {
        if (Files.exists(path)) {
            throw new TatamiException(
                    ErrorCode.ALREADY_EXISTS, path + " is there already; name another file with --to, or delete it");
        }
        Path unfinished = path.resolveSibling(path.getFileName() + ".part");
        try {
            OutputStream out = Channels.newOutputStream(Files.newByteChannel(
                    unfinished, EnumSet.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE), OWNER_ONLY));
            unfinished.toFile().deleteOnExit();
            return new DumpArchive(path, unfinished, out);
        } catch (FileAlreadyExistsException e) {
            throw new TatamiException(
                    ErrorCode.ALREADY_EXISTS,
                    unfinished + " is there already: another dump is under way, or was killed; delete it",
                    e);
        } catch (IOException e) {
            throw new TatamiException(ErrorCode.IO_ERROR, "cannot write " + unfinished + ": " + Causes.inWords(e), e);
        }
    }

    /** @throws TatamiException IO_ERROR */
    public void add(String name, ByteString content) throws TatamiException {
        try {
            zip.putNextEntry(new ZipEntry(directory + name));
            content.writeTo(zip);
            zip.closeEntry();
        } catch (IOException e) {
            throw failed(e);
        }
    }

    /** Completes the archive. @throws TatamiException IO_ERROR, also where another program took the name */
    public void finish() throws TatamiException {
        try {
            zip.close();
            Files.move(unfinished, path);
        } catch (IOException e) {
            throw failed(e);
        }
    }

    private TatamiException failed(IOException e) {
        return new TatamiException(
                ErrorCode.IO_ERROR,
                "cannot write " + path + ": " + Causes.inWords(e) + "; name a file elsewhere with --to",
                e);
    }

    @Override
    public void close() throws TatamiException {
        try (zip) {
            Files.deleteIfExists(unfinished);
        } catch (IOException e) {
            throw failed(e);
        }
    }
}
