package io.tatami.hadoop.call;

import io.tatami.base.Detail;
import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.client.ClientSpec;
import io.tatami.client.TatamiClient;
import io.tatami.client.file.FileReader;
import io.tatami.client.file.FileWriter;
import io.tatami.client.file.ReadPolicy;
import io.tatami.client.file.StagedListing;
import io.tatami.client.model.ClientSettings;
import io.tatami.client.model.ClusterStatus;
import io.tatami.client.model.CreateSpec;
import io.tatami.client.model.DirectoryListing;
import io.tatami.client.model.LocatedBlock;
import io.tatami.client.model.PathStatus;
import io.tatami.client.model.TatamiPath;
import io.tatami.client.model.UnresolvedLinkException;
import io.tatami.conf.Settings;
import io.tatami.hadoop.convert.ExceptionTranslator;
import io.tatami.hadoop.convert.HdfsSettings;
import io.tatami.hadoop.convert.PathConverter;
import io.tatami.hadoop.convert.StatusConverter;
import io.tatami.protocol.UserIdentity;
import io.tatami.protocol.wire.AttributeChange;
import io.tatami.protocol.wire.CreateModes;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.hadoop.HadoopIllegalArgumentException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.BlockLocation;
import org.apache.hadoop.fs.CompositeCrcFileChecksum;
import org.apache.hadoop.fs.ContentSummary;
import org.apache.hadoop.fs.CreateFlag;
import org.apache.hadoop.fs.FileChecksum;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FsServerDefaults;
import org.apache.hadoop.fs.FsStatus;
import org.apache.hadoop.fs.LocatedFileStatus;
import org.apache.hadoop.fs.MD5MD5CRC32GzipFileChecksum;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.PathIsNotEmptyDirectoryException;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.hadoop.fs.permission.FsAction;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.io.MD5Hash;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.util.DataChecksum;
import org.jspecify.annotations.Nullable;

/**
 * What Hadoop's two interfaces to file systems have in common: one cluster and user, paths and types of Hadoop, and the
 * exceptions of HDFS. A path that leads through a symlink raises Hadoop's UnresolvedLinkException, which both
 * interfaces resolve in their own ways. Safe for use by many threads.
 */
public final class TatamiCalls implements AutoCloseable {
    /**
     * HDFS's number of bytes under one checksum. Hadoop refuses block sizes that are no multiple of it, and writes it
     * into composed checksums; ours cover 64 KiB whatever is said here.
     */
    private static final int BYTES_PER_CRC = 512;

    /** What HDFS gives for no bytes however checksums are combined; programs that copy compare it. */
    private static final FileChecksum CHECKSUM_OF_NOTHING =
            new MD5MD5CRC32GzipFileChecksum(0, 0, MD5Hash.digest(new byte[32]));

    /** Whether the location of a block that is staged names only the hosts that have it staged. */
    private static final String STAGED_ONLY = "fs.tatami.locations.staged-only";

    private static final int WRITE_PACKET_BYTES = 1024 * 1024;

    private final SharedClients.Share share;
    private final TatamiClient client;
    private final StatusConverter statuses;
    private final FsPermission umask;
    private final int bufferBytes;

    /** Another client of the same user, which stores nothing inline. */
    private final Call<SharedClients.Share> ofBlocksAlone;

    private volatile boolean closed;

    private TatamiCalls(
            SharedClients.Share share, Call<SharedClients.Share> ofBlocksAlone, URI uri, Configuration configuration) {
        this.share = share;
        this.client = share.client();
        this.ofBlocksAlone = ofBlocksAlone;
        this.statuses = new StatusConverter(uri, configuration.getBoolean(STAGED_ONLY, false));
        this.umask = FsPermission.getUMask(configuration);
        this.bufferBytes = configuration.getInt("io.file.buffer.size", 4096);
    }

    /** Connects as the current user, or as the user that one acts for. */
    public static TatamiCalls connect(URI uri, Configuration configuration) throws IOException {
        UserGroupInformation user = UserGroupInformation.getCurrentUser();
        UserGroupInformation real = user.getRealUser();
        UserIdentity identity = new UserIdentity(user.getShortUserName(), real == null ? "" : real.getShortUserName());
        Settings settings = HdfsSettings.of(configuration);
        Settings blocksAlone =
                Settings.of(Map.of(ClientSettings.INLINE_MAX.key(), "0")).orElse(settings);
        SharedClients clients = SharedClients.OF_PROCESS;
        return translated(() -> new TatamiCalls(
                clients.take(new SharedClients.Key(spec(uri, identity, settings), user)),
                () -> clients.take(new SharedClients.Key(spec(uri, identity, blocksAlone), user)),
                uri,
                configuration));
    }

    private static ClientSpec spec(URI uri, UserIdentity identity, Settings settings) throws TatamiException {
        return ClientSpec.of(servers(uri), identity, settings).withContexts(ThreadContexts.OF_HADOOP);
    }

    /** A user before the servers is the name of nobody, as on HDFS: who calls is whom Hadoop says. */
    private static String servers(URI uri) {
        String authority = uri.getAuthority();
        return authority.substring(authority.indexOf('@') + 1);
    }

    /** @throws IOException after the file system was closed */
    public TatamiClient client() throws IOException {
        requireOpen();
        return client;
    }

    private void requireOpen() throws IOException {
        if (closed) {
            throw new IOException("Filesystem closed");
        }
    }

    StatusConverter statuses() {
        return statuses;
    }

    /** Work with the client whose failures are to be HDFS's. */
    @FunctionalInterface
    public interface Call<T> {
        T run() throws IOException;
    }

    public static <T> T translated(Call<T> call) throws IOException {
        try {
            return call.run();
        } catch (IOException e) {
            throw ExceptionTranslator.translate(e);
        }
    }

    PathStatus status(Path path, boolean followLast) throws IOException {
        TatamiPath target = PathConverter.path(path);
        return translated(() -> client.status(target, followLast));
    }

    public FileStatus fileStatus(Path path, boolean followLast) throws IOException {
        TatamiPath target = PathConverter.path(path);
        try {
            return statuses.status(client.status(target, followLast));
        } catch (TatamiException e) {
            throw noStatus(e);
        }
    }

    /** To the superuser there is nothing below a file, as on HDFS; others may not look for it. */
    private IOException noStatus(TatamiException failure) throws IOException {
        return failure.code() == ErrorCode.NOT_A_DIRECTORY
                        && translated(() -> refusals().isForSuperuser())
                ? ExceptionTranslator.translateStatus(failure)
                : ExceptionTranslator.translate(failure);
    }

    private RefusalOrder refusals() {
        return new RefusalOrder(client);
    }

    public RemoteIterator<FileStatus> list(Path path) throws IOException {
        TatamiPath target = PathConverter.path(path);
        DirectoryListing listing = translated(() -> client.list(target, false));
        return iterator(listing::hasNext, () -> statuses.status(listing.next()));
    }

    public RemoteIterator<LocatedFileStatus> listLocated(Path path) throws IOException {
        TatamiPath target = PathConverter.path(path);
        StagedListing listing = translated(() -> client.listWithCopies(target));
        return iterator(listing::hasNext, () -> {
            StagedListing.Entry entry = listing.next();
            return statuses.located(entry.status(), entry.staged());
        });
    }

    private <T> RemoteIterator<T> iterator(Call<Boolean> hasNext, Call<T> next) {
        return new RemoteIterator<>() {
            @Override
            public boolean hasNext() throws IOException {
                requireOpen();
                return translated(hasNext);
            }

            @Override
            public T next() throws IOException {
                requireOpen();
                return translated(next);
            }
        };
    }

    public FileStatus[] listAll(Path path) throws IOException {
        TatamiPath target = PathConverter.path(path);
        List<PathStatus> all = translated(() -> client.list(target, false).toList());
        return all.stream().map(statuses::status).toArray(FileStatus[]::new);
    }

    /**
     * Creates, or with {@link CreateFlag#APPEND} continues, a file.
     *
     * @param permission before the umask
     */
    public FileWriter create(
            Path path, FsPermission permission, EnumSet<CreateFlag> flags, CreateSpec sizes, boolean createParents)
            throws IOException {
        TatamiPath target = PathConverter.newPath(path);
        CreateSpec spec = sizes.withModes(modes(permission))
                .withOverwrite(flags.contains(CreateFlag.OVERWRITE))
                .withCreateParents(createParents);
        try {
            return flags.contains(CreateFlag.APPEND)
                    ? appendOrCreate(target, flags, spec)
                    : createOrReplace(target, flags, spec);
        } catch (TatamiException e) {
            if (e.code() == ErrorCode.NOT_FOUND) {
                refusals().requireAddable(target);
            }
            throw UserHome.explained(client, target, ExceptionTranslator.translateMaking(e));
        }
    }

    private FileWriter appendOrCreate(TatamiPath target, EnumSet<CreateFlag> flags, CreateSpec spec)
            throws IOException {
        try {
            return client.append(target, flags.contains(CreateFlag.NEW_BLOCK));
        } catch (TatamiException e) {
            if (e.code() == ErrorCode.NOT_FOUND && flags.contains(CreateFlag.CREATE)) {
                return client.create(target, spec);
            }
            throw e;
        }
    }

    private FileWriter createOrReplace(TatamiPath target, EnumSet<CreateFlag> flags, CreateSpec spec)
            throws IOException {
        if (!flags.contains(CreateFlag.CREATE)) {
            client.status(target, true);
        }
        return client.create(target, spec);
    }

    public FileWriter append(Path path, boolean newBlock) throws IOException {
        TatamiPath target = PathConverter.path(path);
        try {
            return client.append(target, newBlock);
        } catch (TatamiException e) {
            throw e.code() == ErrorCode.IS_A_DIRECTORY
                    ? ExceptionTranslator.translateMaking(new TatamiException(
                            e.code(), "Cannot append to directory " + target + "; already exists as a directory.", e))
                    : ExceptionTranslator.translate(e);
        }
    }

    public boolean truncate(Path path, long lengthBytes) throws IOException {
        if (lengthBytes < 0) {
            throw new HadoopIllegalArgumentException("Cannot truncate to a negative file size: " + lengthBytes);
        }
        TatamiPath target = PathConverter.path(path);
        try {
            return client.truncate(target, lengthBytes);
        } catch (TatamiException e) {
            if (e.code() == ErrorCode.IS_A_DIRECTORY) {
                refusals().requireWritable(target);
            }
            throw ExceptionTranslator.translate(e);
        }
    }

    public void concat(Path target, List<Path> sources) throws IOException {
        TatamiPath to = PathConverter.path(target);
        List<TatamiPath> from = new ArrayList<>(sources.size());
        for (Path source : sources) {
            from.add(PathConverter.path(source));
        }
        try {
            client.concat(to, from);
        } catch (TatamiException e) {
            if (RefusalOrder.concerns(e) || e.code() == ErrorCode.UNSUPPORTED) {
                refusals().requireConcat(to, from);
            }
            if (!isForRewriting(e) || !rewriteToBlocks(to, from)) {
                throw ExceptionTranslator.translate(e);
            }
            translated(() -> {
                client.concat(to, from);
                return to;
            });
        }
    }

    /** Nothing is in the way but that small files are stored inline, and too long together for that. */
    private static boolean isForRewriting(TatamiException refusal) {
        return refusal.detail() instanceof Detail.StoredInline;
    }

    /**
     * Gives each of these files that is stored inline a block of its own. Their bytes stay what they are at every
     * moment, for readers and after a crash; only their times change.
     *
     * @return false, and nothing is done, where the caller may not write one of them, which joining does not ask for
     */
    private boolean rewriteToBlocks(TatamiPath target, List<TatamiPath> sources) throws IOException {
        List<TatamiPath> inline = new ArrayList<>();
        for (TatamiPath path :
                Stream.concat(Stream.of(target), sources.stream()).toList()) {
            PathStatus status = translated(() -> client.status(path, false));
            if (status.isInline() && status.lengthBytes() > 0) {
                if (!status.allows(FsAction.WRITE.ordinal())) {
                    return false;
                }
                inline.add(path);
            }
        }
        try (SharedClients.Share rewriter = translated(ofBlocksAlone)) {
            for (TatamiPath path : inline) {
                translated(() -> {
                    rewriter.client().append(path, true).close();
                    return path;
                });
            }
        }
        return true;
    }

    public FileReader open(Path path, ReadPolicy policy) throws IOException {
        TatamiPath target = PathConverter.path(path);
        return translated(() -> client.open(target, policy));
    }

    public boolean mkdirs(Path path, FsPermission permission, boolean createParents) throws IOException {
        TatamiPath target = PathConverter.newPath(path);
        try {
            return client.mkdirs(target, modes(permission), createParents);
        } catch (IOException e) {
            throw UserHome.explained(client, target, ExceptionTranslator.translateMaking(e));
        }
    }

    /** Mode bits as asked for, and with the umask of this client's configuration unless it was applied already. */
    private CreateModes modes(FsPermission permission) {
        @Nullable FsPermission unmasked = permission.getUnmasked();
        FsPermission masked = unmasked == null ? permission.applyUMask(umask) : permission;
        return CreateModes.newBuilder()
                .setUnmasked((unmasked == null ? permission : unmasked).toShort() & 01777)
                .setMasked(masked.toShort() & 01777)
                .build();
    }

    /** Exactly to {@code destination}; see {@link TatamiClient#rename}. */
    public void rename(Path source, Path destination, boolean overwrite) throws IOException {
        StrictRename.rename(client, PathConverter.path(source), PathConverter.newPath(destination), overwrite);
    }

    /** As {@link org.apache.hadoop.fs.FileSystem#rename(Path, Path)}. */
    public boolean renameClassic(Path source, Path destination) throws IOException {
        TatamiPath from;
        try {
            from = PathConverter.path(source);
        } catch (FileNotFoundException e) {
            return false;
        }
        return ClassicRename.rename(client, from, PathConverter.newPath(destination));
    }

    public boolean delete(Path path, boolean recursive) throws IOException {
        TatamiPath target;
        try {
            target = PathConverter.path(path);
        } catch (FileNotFoundException e) {
            return false;
        }
        if (!target.isRoot()) {
            return translated(() -> client.delete(target, recursive));
        }
        if (!recursive && translated(() -> client.list(target, false).hasNext())) {
            throw new PathIsNotEmptyDirectoryException("/");
        }
        return false;
    }

    public boolean recoverLease(Path path) throws IOException {
        TatamiPath target = PathConverter.path(path);
        return translated(() -> client.recoverLease(target));
    }

    public boolean isClosed(Path path) throws IOException {
        TatamiPath target = PathConverter.path(path);
        return translated(() -> client.isClosed(target));
    }

    void change(Path path, AttributeChange change) throws IOException {
        TatamiPath target = PathConverter.path(path);
        translated(() -> {
            client.setAttributes(target, change);
            return true;
        });
    }

    public void createSymlink(Path target, Path link, boolean createParents) throws IOException {
        TatamiPath at = PathConverter.newPath(link);
        String text = target.toString();
        if (text.isEmpty()) {
            throw new IOException("Invalid target name: a link cannot lead to its own directory");
        }
        translated(() -> {
            client.createSymlink(at, text, createParents);
            return true;
        });
    }

    /** Where the first symlink on the path leads, with what follows it on the path. */
    public Path linkTarget(Path path) throws IOException {
        TatamiPath at = PathConverter.path(path);
        PathStatus status;
        try {
            status = client.status(at, false);
        } catch (UnresolvedLinkException e) {
            return new Path(new Path(new Path(e.link()).getParent(), e.target()) + e.rest());
        } catch (TatamiException e) {
            throw noStatus(e);
        }
        if (!status.isSymlink()) {
            throw new IOException("Path " + path + " is not a symbolic link");
        }
        return new Path(status.wire().getSymlinkTarget());
    }

    public BlockLocation[] blockLocations(Path path, long start, long length) throws IOException {
        TatamiPath target = PathConverter.path(path);
        return translated(() -> {
            List<LocatedBlock> blocks = client.blockLocations(target, start, length);
            return statuses.locations(blocks, client.stagedCopies(blocks));
        });
    }

    /**
     * The composed CRC32C of a file's first bytes, which is HDFS's with
     * {@code dfs.checksum.combine.mode=COMPOSITE_CRC}.
     */
    public FileChecksum checksum(Path path, long lengthBytesMax) throws IOException {
        TatamiPath target = PathConverter.path(path);
        io.tatami.client.model.FileChecksum checksum = translated(() -> client.checksum(target, lengthBytesMax));
        return checksum.lengthBytes() == 0
                ? CHECKSUM_OF_NOTHING
                : new CompositeCrcFileChecksum(checksum.crc32c(), DataChecksum.Type.CRC32C, BYTES_PER_CRC);
    }

    public ContentSummary contentSummary(Path path) throws IOException {
        TatamiPath target = PathConverter.path(path);
        return StatusConverter.summary(translated(() -> client.contentTotals(target)));
    }

    public FsStatus fsStatus() throws IOException {
        ClusterStatus status = translated(client.cluster()::status);
        return new FsStatus(status.capacityBytes(), status.usedBytes(), status.freeBytes());
    }

    public FsServerDefaults serverDefaults() {
        return new FsServerDefaults(
                client.settings().blockSizeBytes(),
                BYTES_PER_CRC,
                WRITE_PACKET_BYTES,
                (short) client.settings().replication(),
                bufferBytes,
                false,
                0,
                DataChecksum.Type.CRC32C);
    }

    /** The client goes on where other file systems use it. */
    @Override
    public void close() {
        closed = true;
        share.close();
    }
}
