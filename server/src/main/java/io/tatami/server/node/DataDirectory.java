package io.tatami.server.node;

import io.tatami.base.Causes;
import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.files.DurableFile;
import io.tatami.files.LockFile;
import java.io.IOException;
import java.io.StringReader;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;

/**
 * The directory of one server process.
 *
 * <pre>
 *  DIR/meta        what the metadata server stores
 *  DIR/block       the block server's identity, index and, where no device was given, its volume
 *  DIR/logs        logs
 *  DIR/run/lock    locked by the process that serves
 *  DIR/run/ready   there while the server serves: its URI and pid
 *  DIR/run/new     there until the first start is through
 * </pre>
 *
 * The servers lock what they store themselves too; what is in {@code run} is for commands and people.
 */
public final class DataDirectory {
    private static final FileAttribute<Set<PosixFilePermission>> OWNER_ONLY =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));

    private static final int LOCK_TRIES = 20;
    private static final long LOCK_PAUSE_MILLIS = 25;

    private final Path root;

    public DataDirectory(Path root) {
        this.root = root.toAbsolutePath().normalize();
    }

    public Path root() {
        return root;
    }

    public Path meta() {
        return root.resolve("meta");
    }

    public Path block() {
        return root.resolve("block");
    }

    public Path logs() {
        return root.resolve("logs");
    }

    private Path readyFile() {
        return root.resolve("run").resolve("ready");
    }

    private Path lockFile() {
        return root.resolve("run").resolve("lock");
    }

    /** The process that serves this directory, or is about to. */
    public Optional<ProcessHandle> server() throws IOException {
        return LockFile.holder(lockFile());
    }

    /**
     * Held by the process that serves this directory, from before it opens anything. Tried for half a second, because
     * {@link #server} of another process takes the lock for a moment.
     *
     * @throws TatamiException IN_USE where another process serves this directory
     */
    public LockFile lock() throws IOException, InterruptedException {
        for (int i = 0; i < LOCK_TRIES; i++) {
            Optional<LockFile> lock = LockFile.take(lockFile());
            if (lock.isPresent()) {
                return lock.get();
            }
            Thread.sleep(LOCK_PAUSE_MILLIS);
        }
        throw servedAlready();
    }

    public TatamiException servedAlready() throws IOException {
        Optional<Ready> ready = ready();
        return new TatamiException(
                ErrorCode.IN_USE,
                root + " is already in use"
                        + ready.map(server -> " by the server at " + server.uri() + ", process " + server.pid())
                                .orElse(" by a server that is starting")
                        + "; stop it first: tatami stop --data " + root);
    }

    private Path newFile() {
        return root.resolve("run").resolve("new");
    }

    /** Notes durably that what a first start does is still to be done, however often that start is broken off. */
    void beginFirstStart() throws TatamiException {
        DurableFile.replace(newFile(), new byte[0]);
    }

    boolean isInFirstStart() {
        return Files.exists(newFile());
    }

    void endFirstStart() throws TatamiException {
        try {
            Files.deleteIfExists(newFile());
        } catch (IOException e) {
            throw new TatamiException(ErrorCode.IO_ERROR, "cannot remove " + newFile() + ": " + Causes.inWords(e), e);
        }
    }

    /** Makes the directory and what a process needs in it. */
    public void create() throws TatamiException {
        try {
            createRoot();
            Files.createDirectories(logs());
            Files.createDirectories(readyFile().getParent());
        } catch (IOException e) {
            throw new TatamiException(
                    ErrorCode.IO_ERROR,
                    "cannot create " + root + ": " + Causes.inWords(e)
                            + ". Choose a directory that this user can write to",
                    e);
        }
    }

    /** What files hold is nobody's business but the server's, whatever the umask. */
    private void createRoot() throws IOException {
        Path above = root.getParent();
        if (above != null) {
            Files.createDirectories(above);
        }
        try {
            Files.createDirectory(root, OWNER_ONLY);
        } catch (FileAlreadyExistsException e) {
            // By somebody else, maybe just now; what it is shows when it is used.
        }
    }

    /** What the ready file says. */
    public record Ready(String uri, long pid) {}

    /** Atomic: whoever reads sees all of it or nothing. */
    public void writeReady(Ready ready) throws IOException {
        Properties properties = new Properties();
        properties.setProperty("uri", ready.uri());
        properties.setProperty("pid", Long.toString(ready.pid()));
        StringWriter text = new StringWriter();
        properties.store(text, null);
        Path partial = readyFile().resolveSibling("ready.partial");
        Files.writeString(partial, text.toString(), StandardCharsets.UTF_8);
        Files.move(partial, readyFile(), StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    public void removeReady() throws IOException {
        Files.deleteIfExists(readyFile());
    }

    /** What the ready file says, whether or not that process still lives; empty where there is none. */
    public Optional<Ready> ready() throws IOException {
        String text;
        try {
            text = Files.readString(readyFile(), StandardCharsets.UTF_8);
        } catch (NoSuchFileException e) {
            return Optional.empty();
        }
        Properties properties = new Properties();
        properties.load(new StringReader(text));
        return Optional.of(
                new Ready(properties.getProperty("uri", ""), Long.parseLong(properties.getProperty("pid", "0"))));
    }
}
