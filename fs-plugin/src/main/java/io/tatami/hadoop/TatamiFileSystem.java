package io.tatami.hadoop;

import io.tatami.client.file.FileReader;
import io.tatami.client.file.FileWriter;
import io.tatami.client.file.ReadPolicy;
import io.tatami.client.model.AccessPlan;
import io.tatami.client.model.CreateSpec;
import io.tatami.hadoop.call.CorruptFiles;
import io.tatami.hadoop.call.InputPlanner;
import io.tatami.hadoop.call.TatamiCalls;
import io.tatami.hadoop.call.TatamiPathHandle;
import io.tatami.hadoop.convert.CreateSizes;
import io.tatami.hadoop.convert.PathConverter;
import io.tatami.hadoop.stream.TatamiInputStream;
import io.tatami.hadoop.stream.TatamiOutputStream;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.apache.hadoop.fs.BlockLocation;
import org.apache.hadoop.fs.CommonPathCapabilities;
import org.apache.hadoop.fs.CreateFlag;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileChecksum;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.LocatedFileStatus;
import org.apache.hadoop.fs.MultipartUploaderBuilder;
import org.apache.hadoop.fs.Options;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.PathFilter;
import org.apache.hadoop.fs.PathHandle;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.hadoop.fs.UnresolvedLinkException;
import org.apache.hadoop.fs.impl.OpenFileParameters;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.util.LambdaUtils;
import org.apache.hadoop.util.Progressable;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Hadoop's {@link org.apache.hadoop.fs.FileSystem} for the scheme {@code tatami}. It behaves as HDFS does, exceptions
 * included; {@code docs/hadoop-semantics.md} lists the differences. Safe for use by many threads.
 *
 * <p>Every program that has the jar loads this class. So neither its ancestors nor its method signatures name a type
 * that is newer than Hadoop 3.3.4. Instances of newer types are made in other classes, because the JVM loads both sides
 * of an assignment to verify this one. Beside a newer Hadoop, {@link HadoopInterfaces} installs a subclass with the
 * newer interfaces.
 */
public class TatamiFileSystem extends AttributedFileSystem {
    static {
        HadoopInterfaces.register();
    }

    private static final Duration OPEN_KEEP = Duration.ofMinutes(10);
    private static final Logger LOG = LoggerFactory.getLogger(TatamiFileSystem.class);

    /** Takes nothing: the service loader creates an instance in every program. */
    public TatamiFileSystem() {}

    @Override
    public FSDataInputStream open(Path path, int bufferSize) throws IOException {
        return open(path, ReadPolicy.ADAPTIVE, bufferSize);
    }

    private FSDataInputStream open(Path path, ReadPolicy policy, int bufferSize) throws IOException {
        statistics.incrementReadOps(1);
        return resolved(path, at -> stream(calls().open(at, policy)), (fs, at) -> fs.open(at, bufferSize));
    }

    private FSDataInputStream stream(FileReader reader) {
        return TatamiInputStream.of(reader, openStreams(), statistics);
    }

    @Override
    protected CompletableFuture<FSDataInputStream> openFileWithOptions(Path path, OpenFileParameters parameters)
            throws IOException {
        OpenOptions options = OpenOptions.of(parameters, path);
        return LambdaUtils.eval(new CompletableFuture<>(), () -> {
            if (options.prefetch()) {
                prefetch(path, options);
            }
            return open(path, options.policy(), parameters.getBufferSize());
        });
    }

    /** Only a hint: a failure here does not fail the open, which reports a bad path itself. */
    private void prefetch(Path path, OpenOptions options) {
        try {
            prefetch(AccessPlan.inOrder(planned(path, options.splitStart(), options.splitLength()))
                    .withReleaseAfterRead()
                    .withKeep(OPEN_KEEP));
        } catch (IOException e) {
            LOG.debug("{} is opened without a plan", path, e);
        }
    }

    /** A whole file, to be read by an {@link AccessPlan}. */
    public AccessPlan.Read planned(Path file) throws IOException {
        return planned(file, 0, Long.MAX_VALUE);
    }

    /**
     * The {@code length} bytes of a file from {@code start} on, or as many as there are.
     *
     * @throws IllegalArgumentException for a negative number, and for a path of another file system
     */
    public AccessPlan.Read planned(Path file, long start, long length) throws IOException {
        if (start < 0 || length < 0) {
            throw new IllegalArgumentException(length + " bytes at " + start + " of " + file);
        }
        checkPath(file);
        return new AccessPlan.Read(PathConverter.path(makeQualified(file)), start, length);
    }

    /**
     * Tells block servers what will be read, so that those with a cache tier stage it before it is asked for. Returns
     * once they know; whoever reads it, in whatever process, is given what is there.
     *
     * <pre>{@code
     * fs.prefetch(AccessPlan.inOrder(fs.planned(genome), fs.planned(index, 0, 1 << 30)).withReleaseAfterRead());
     * }</pre>
     *
     * @throws FileNotFoundException where one of the files is not there; what else an open of it throws
     * @throws IOException where no server that holds the files has a cache tier
     */
    public void prefetch(AccessPlan plan) throws IOException {
        TatamiCalls.translated(() -> {
            calls().client().prefetch(plan);
            return plan;
        });
    }

    /**
     * How far the servers are with a plan.
     *
     * @throws FileNotFoundException where none knows it: it was cancelled or forgotten, or the servers were started
     *     anew
     */
    public AccessPlan.Progress planProgress(UUID plan) throws IOException {
        return TatamiCalls.translated(() -> calls().client().planProgress(plan));
    }

    /**
     * Has the servers give a plan up, and what they staged for it that was not read.
     *
     * @throws IOException where a server did not answer, after all were told; what it has is forgotten in time
     */
    public void cancelPlan(UUID plan) throws IOException {
        TatamiCalls.translated(() -> {
            calls().client().cancelPlan(plan);
            return plan;
        });
    }

    @Override
    protected CompletableFuture<FSDataInputStream> openFileWithOptions(PathHandle handle, OpenFileParameters parameters)
            throws IOException {
        OpenOptions options = OpenOptions.of(parameters, handle);
        return LambdaUtils.eval(new CompletableFuture<>(), () -> open(handle, options.policy()));
    }

    @Override
    public FSDataInputStream open(PathHandle handle, int bufferSize) throws IOException {
        return open(handle, ReadPolicy.ADAPTIVE);
    }

    private FSDataInputStream open(PathHandle handle, ReadPolicy policy) throws IOException {
        statistics.incrementReadOps(1);
        return stream(TatamiPathHandle.of(handle).open(calls(), policy));
    }

    @Override
    protected PathHandle createPathHandle(FileStatus status, Options.HandleOpt... options) {
        return TatamiPathHandle.of(status, options);
    }

    @Override
    public BlockLocation @Nullable [] getFileBlockLocations(@Nullable FileStatus file, long start, long length)
            throws IOException {
        return file == null ? null : getFileBlockLocations(file.getPath(), start, length);
    }

    @Override
    public BlockLocation[] getFileBlockLocations(Path path, long start, long length) throws IOException {
        if (start < 0 || length < 0) {
            throw new IOException("Negative offset or length of block locations: " + start + ", " + length);
        }
        statistics.incrementReadOps(1);
        return resolved(
                path,
                at -> calls().blockLocations(at, start, length),
                (fs, at) -> fs.getFileBlockLocations(at, start, length));
    }

    @Override
    public FileChecksum getFileChecksum(Path path) throws IOException {
        return getFileChecksum(path, Long.MAX_VALUE);
    }

    @Override
    public FileChecksum getFileChecksum(Path path, long length) throws IOException {
        statistics.incrementReadOps(1);
        return resolved(path, at -> calls().checksum(at, length), (fs, at) -> fs.getFileChecksum(at, length));
    }

    @Override
    public FSDataOutputStream create(
            Path path,
            FsPermission permission,
            boolean overwrite,
            int bufferSize,
            short replication,
            long blockSize,
            @Nullable Progressable progress)
            throws IOException {
        EnumSet<CreateFlag> flags =
                overwrite ? EnumSet.of(CreateFlag.CREATE, CreateFlag.OVERWRITE) : EnumSet.of(CreateFlag.CREATE);
        return create(path, permission, flags, bufferSize, replication, blockSize, progress, null);
    }

    @Override
    public FSDataOutputStream create(
            Path path,
            FsPermission permission,
            EnumSet<CreateFlag> flags,
            int bufferSize,
            short replication,
            long blockSize,
            @Nullable Progressable progress,
            Options.@Nullable ChecksumOpt checksum)
            throws IOException {
        CreateSpec sizes = CreateSizes.of(replication, blockSize);
        return resolved(
                path,
                at -> output(calls().create(at, permission, flags, sizes, true)),
                (fs, at) -> fs.create(at, permission, flags, bufferSize, replication, blockSize, progress, checksum));
    }

    @Override
    public FSDataOutputStream createNonRecursive(
            Path path,
            FsPermission permission,
            EnumSet<CreateFlag> flags,
            int bufferSize,
            short replication,
            long blockSize,
            @Nullable Progressable progress)
            throws IOException {
        CreateSpec sizes = CreateSizes.of(replication, blockSize);
        return resolved(
                path,
                at -> output(calls().create(at, permission, flags, sizes, false)),
                (fs, at) -> fs.createNonRecursive(at, permission, flags, bufferSize, replication, blockSize, progress));
    }

    @Override
    public FSDataOutputStream append(Path path, int bufferSize, @Nullable Progressable progress) throws IOException {
        return append(path, bufferSize, progress, false);
    }

    @Override
    public FSDataOutputStream append(Path path, int bufferSize, @Nullable Progressable progress, boolean newBlock)
            throws IOException {
        return resolved(
                path,
                at -> output(calls().append(at, newBlock)),
                // Hadoop 3.3.4 has no flag for a new block.
                (fs, at) -> newBlock ? fs.append(at, bufferSize, progress, true) : fs.append(at, bufferSize, progress));
    }

    private FSDataOutputStream output(FileWriter writer) throws IOException {
        statistics.incrementWriteOps(1);
        return TatamiOutputStream.of(writer, openStreams(), statistics);
    }

    @Override
    public boolean rename(Path source, Path destination) throws IOException {
        statistics.incrementWriteOps(1);
        return resolvedBoth(source, destination, (from, to) -> calls().renameClassic(from, to));
    }

    /** Renames in one step. Hadoop has deprecated this method and still calls it. */
    @Override
    @Deprecated
    public void rename(Path source, Path destination, Options.Rename... options) throws IOException {
        statistics.incrementWriteOps(1);
        boolean overwrite = List.of(options).contains(Options.Rename.OVERWRITE);
        resolvedBoth(source, destination, (from, to) -> {
            calls().rename(from, to, overwrite);
            return true;
        });
    }

    @Override
    public boolean truncate(Path path, long length) throws IOException {
        statistics.incrementWriteOps(1);
        return resolved(path, at -> calls().truncate(at, length), (fs, at) -> fs.truncate(at, length));
    }

    @Override
    public void concat(Path target, Path[] sources) throws IOException {
        statistics.incrementWriteOps(1);
        List<Path> from = new ArrayList<>();
        for (Path source : sources) {
            from.add(fixRelativePart(source));
            checkPath(source);
        }
        Path to = fixRelativePart(target);
        checkPath(to);
        try {
            calls().concat(to, from);
        } catch (UnresolvedLinkException e) {
            // The target first: as on HDFS, its failures are reported before those of a source.
            Path behind = behindLinks(to);
            List<Path> resolved = new ArrayList<>();
            for (Path source : from) {
                resolved.add(behindLinks(source));
            }
            calls().concat(behind, resolved);
        }
    }

    /** The path with symlinks on the way resolved. As on HDFS, {@code concat} does not follow a symlink at the end. */
    private Path behindLinks(Path path) throws IOException {
        FileStatus status = getFileLinkStatus(path);
        if (status.isSymlink()) {
            throw new IOException("Cannot concat with a symlink: " + path + " -> " + status.getSymlink());
        }
        return status.getPath();
    }

    @Override
    public boolean delete(Path path, boolean recursive) throws IOException {
        statistics.incrementWriteOps(1);
        return resolved(path, at -> calls().delete(at, recursive), (fs, at) -> fs.delete(at, recursive));
    }

    @Override
    public boolean mkdirs(Path path, FsPermission permission) throws IOException {
        return mkdirs(path, permission, true);
    }

    @Override
    public boolean mkdirs(Path path) throws IOException {
        return mkdirs(path, FsPermission.getDirDefault());
    }

    /** Hadoop has deprecated this method and still calls it. */
    @Override
    @Deprecated
    protected boolean primitiveMkdir(Path path, FsPermission permission) throws IOException {
        return mkdirs(path, permission, true);
    }

    private boolean mkdirs(Path path, FsPermission permission, boolean createParents) throws IOException {
        statistics.incrementWriteOps(1);
        return resolved(
                path,
                at -> {
                    calls().mkdirs(at, permission, createParents);
                    return true;
                },
                (fs, at) -> fs.mkdirs(at, permission));
    }

    @Override
    public FileStatus getFileStatus(Path path) throws IOException {
        statistics.incrementReadOps(1);
        return resolved(path, at -> calls().fileStatus(at, true), (fs, at) -> fs.getFileStatus(at));
    }

    @Override
    public FileStatus[] listStatus(Path path) throws IOException {
        statistics.incrementReadOps(1);
        return resolved(path, at -> calls().listAll(at), (fs, at) -> fs.listStatus(at));
    }

    @Override
    public RemoteIterator<FileStatus> listStatusIterator(Path path) throws IOException {
        statistics.incrementReadOps(1);
        return resolved(path, at -> calls().list(at), (fs, at) -> fs.listStatusIterator(at));
    }

    @Override
    protected RemoteIterator<LocatedFileStatus> listLocatedStatus(Path path, PathFilter filter) throws IOException {
        statistics.incrementReadOps(1);
        RemoteIterator<LocatedFileStatus> all =
                resolved(path, at -> calls().listLocated(at), (fs, at) -> fs.listLocatedStatus(at));
        RemoteIterator<LocatedFileStatus> accepted =
                org.apache.hadoop.util.functional.RemoteIterators.filteringRemoteIterator(
                        all, status -> filter.accept(status.getPath()));
        return new InputPlanner(getConf()).planned(accepted, calls());
    }

    @Override
    public RemoteIterator<Path> listCorruptFileBlocks(Path path) throws IOException {
        statistics.incrementReadOps(1);
        return resolved(path, at -> new CorruptFiles(calls(), at), (fs, at) -> fs.listCorruptFileBlocks(at));
    }

    /** The method of Hadoop's {@code LeaseRecoverable}; present also beside a Hadoop without that interface. */
    public boolean recoverLease(Path path) throws IOException {
        statistics.incrementWriteOps(1);
        return resolved(path, at -> calls().recoverLease(at), this::recoverLeaseElsewhere);
    }

    /** The method of Hadoop's {@code LeaseRecoverable}. */
    public boolean isFileClosed(Path path) throws IOException {
        statistics.incrementReadOps(1);
        return resolved(path, at -> calls().isClosed(at), this::isFileClosedElsewhere);
    }

    /** For a symlink that leads to another file system: recovers the lease there, if that file system has leases. */
    boolean recoverLeaseElsewhere(FileSystem fs, Path path) throws IOException {
        throw noLeases(path);
    }

    boolean isFileClosedElsewhere(FileSystem fs, Path path) throws IOException {
        throw noLeases(path);
    }

    static UnsupportedOperationException noLeases(Path path) {
        return new UnsupportedOperationException(
                "Lease recovery is not supported by the file system of the link's target: " + path);
    }

    @Override
    public MultipartUploaderBuilder<?, ?> createMultipartUploader(Path base) throws IOException {
        return MultipartUploads.of(this, base);
    }

    @Override
    public boolean hasPathCapability(Path path, String capability) throws IOException {
        boolean symlinks = capability.equals(CommonPathCapabilities.FS_SYMLINKS) && areSymlinksEnabled();
        return symlinks
                || PathCapabilities.has(makeQualified(path), capability)
                || super.hasPathCapability(path, capability);
    }
}
