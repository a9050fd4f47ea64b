package io.tatami.hadoop;

import io.tatami.client.file.ReadPolicy;
import io.tatami.client.model.CreateSpec;
import io.tatami.hadoop.call.AttributeCalls;
import io.tatami.hadoop.call.CorruptFiles;
import io.tatami.hadoop.call.TatamiCalls;
import io.tatami.hadoop.convert.CreateSizes;
import io.tatami.hadoop.stream.OpenStreams;
import io.tatami.hadoop.stream.TatamiInputStream;
import io.tatami.hadoop.stream.TatamiOutputStream;
import io.tatami.protocol.wire.AttributeChange.AclChange;
import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.AbstractFileSystem;
import org.apache.hadoop.fs.BlockLocation;
import org.apache.hadoop.fs.CreateFlag;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileChecksum;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FsServerDefaults;
import org.apache.hadoop.fs.FsStatus;
import org.apache.hadoop.fs.InvalidPathException;
import org.apache.hadoop.fs.LocatedFileStatus;
import org.apache.hadoop.fs.Options.ChecksumOpt;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.hadoop.fs.XAttrSetFlag;
import org.apache.hadoop.fs.impl.OpenFileParameters;
import org.apache.hadoop.fs.permission.AclEntry;
import org.apache.hadoop.fs.permission.AclStatus;
import org.apache.hadoop.fs.permission.FsAction;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.util.LambdaUtils;
import org.apache.hadoop.util.Progressable;
import org.jspecify.annotations.Nullable;

/**
 * Tatami as Hadoop's {@link AbstractFileSystem}, which FileContext and so YARN and MapReduce use. Symlinks are resolved
 * by FileContext: here they raise UnresolvedLinkException. Configured by {@code fs.AbstractFileSystem.tatami.impl}.
 * Safe for use by many threads. FileContext never closes a file system: equal ones share a client, whose connections go
 * while nobody uses them; files that are still open when the program exits are closed.
 */
public final class TatamiFs extends AbstractFileSystem {
    private static final int NO_PORT = -1;
    private static final OpenStreams STREAMS = OpenStreams.closedAtExit();

    private final @Nullable URI named;
    private final TatamiCalls calls;
    private final AttributeCalls attributes;

    /** Called by Hadoop, which looks for exactly this constructor. */
    public TatamiFs(URI uri, Configuration configuration) throws IOException, URISyntaxException {
        super(firstServer(uri), LinkedFileSystem.SCHEME, true, LinkedFileSystem.PORT_DEFAULT);
        if (uri.getAuthority() == null) {
            throw new IOException("Incomplete Tatami URI, no host: " + uri + "; write tatami://host:port/path");
        }
        named = uri.getHost() == null
                ? URI.create(LinkedFileSystem.SCHEME + "://" + uri.getAuthority())
                : super.getUri();
        calls = TatamiCalls.connect(named, configuration);
        attributes = new AttributeCalls(calls);
    }

    /** Hadoop takes an authority of one server only. */
    private static URI firstServer(URI uri) {
        String servers = uri.getAuthority();
        return servers == null || uri.getHost() != null
                ? uri
                : URI.create(uri.getScheme() + "://" + servers.replaceFirst(",.*", ""));
    }

    /** Hadoop asks before this is fully made, too. */
    @Override
    public URI getUri() {
        URI whole = named;
        return whole == null ? super.getUri() : whole;
    }

    /** An authority of several servers has no host and no port. */
    @Override
    public int getUriDefaultPort() {
        return getUri().getHost() == null ? NO_PORT : LinkedFileSystem.PORT_DEFAULT;
    }

    /** Hadoop compares hosts and ports, which an authority of several servers does not have. */
    @Override
    public void checkPath(Path path) {
        super.checkPath(path);
        String named = path.toUri().getAuthority();
        if (getUri().getHost() == null && named != null && !named.equalsIgnoreCase(getUri().getAuthority())) {
            throw new InvalidPathException(path.toString(), "Wrong FS: expected " + getUri());
        }
    }

    /** Hadoop has deprecated this method and still calls it. */
    @Override
    @Deprecated
    public FsServerDefaults getServerDefaults() {
        return calls.serverDefaults();
    }

    @Override
    public FsServerDefaults getServerDefaults(Path path) {
        return calls.serverDefaults();
    }

    @Override
    public FSDataOutputStream createInternal(
            Path path,
            EnumSet<CreateFlag> flags,
            FsPermission permission,
            int bufferSize,
            short replication,
            long blockSize,
            @Nullable Progressable progress,
            @Nullable ChecksumOpt checksum,
            boolean createParent)
            throws IOException {
        CreateFlag.validate(flags);
        CreateSpec sizes = CreateSizes.of(replication, blockSize);
        var writer = calls.create(path, permission, flags, sizes, createParent);
        return TatamiOutputStream.of(writer, STREAMS, getStatistics());
    }

    @Override
    public void mkdir(Path path, FsPermission permission, boolean createParent) throws IOException {
        calls.mkdirs(path, permission, createParent);
    }

    @Override
    public boolean delete(Path path, boolean recursive) throws IOException {
        return calls.delete(path, recursive);
    }

    @Override
    public FSDataInputStream open(Path path, int bufferSize) throws IOException {
        return open(path, ReadPolicy.ADAPTIVE);
    }

    private FSDataInputStream open(Path path, ReadPolicy policy) throws IOException {
        return TatamiInputStream.of(calls.open(path, policy), STREAMS, getStatistics());
    }

    @Override
    public CompletableFuture<FSDataInputStream> openFileWithOptions(Path path, OpenFileParameters parameters)
            throws IOException {
        OpenOptions options = OpenOptions.of(parameters, path);
        return LambdaUtils.eval(new CompletableFuture<>(), () -> open(path, options.policy()));
    }

    @Override
    public boolean truncate(Path path, long length) throws IOException {
        return calls.truncate(path, length);
    }

    @Override
    public void renameInternal(Path source, Path destination) throws IOException {
        calls.rename(source, destination, false);
    }

    /** In one step, overwriting or not. */
    @Override
    public void renameInternal(Path source, Path destination, boolean overwrite) throws IOException {
        calls.rename(source, destination, overwrite);
    }

    @Override
    public boolean supportsSymlinks() {
        return true;
    }

    @Override
    public void createSymlink(Path target, Path link, boolean createParent) throws IOException {
        calls.createSymlink(target, link, createParent);
    }

    @Override
    public Path getLinkTarget(Path path) throws IOException {
        return calls.linkTarget(path);
    }

    @Override
    public FileStatus getFileLinkStatus(Path path) throws IOException {
        return calls.fileStatus(path, false);
    }

    @Override
    public FileStatus getFileStatus(Path path) throws IOException {
        return calls.fileStatus(path, true);
    }

    @Override
    public void access(Path path, FsAction mode) throws IOException {
        attributes.access(path, mode);
    }

    @Override
    public FileStatus[] listStatus(Path path) throws IOException {
        return calls.listAll(path);
    }

    @Override
    public RemoteIterator<FileStatus> listStatusIterator(Path path) throws IOException {
        return calls.list(path);
    }

    @Override
    public RemoteIterator<LocatedFileStatus> listLocatedStatus(Path path) throws IOException {
        return calls.listLocated(path);
    }

    @Override
    public BlockLocation[] getFileBlockLocations(Path path, long start, long length) throws IOException {
        return calls.blockLocations(path, start, length);
    }

    @Override
    public FileChecksum getFileChecksum(Path path) throws IOException {
        return calls.checksum(path, Long.MAX_VALUE);
    }

    @Override
    public RemoteIterator<Path> listCorruptFileBlocks(Path path) throws IOException {
        return new CorruptFiles(calls, path);
    }

    /** Bytes are always verified; there is nothing to switch. */
    @Override
    public void setVerifyChecksum(boolean verify) {}

    @Override
    public FsStatus getFsStatus() throws IOException {
        return calls.fsStatus();
    }

    @Override
    public boolean setReplication(Path path, short replication) throws IOException {
        return attributes.setReplication(path, replication);
    }

    @Override
    public void setPermission(Path path, FsPermission permission) throws IOException {
        attributes.setPermission(path, permission);
    }

    @Override
    public void setOwner(Path path, @Nullable String owner, @Nullable String group) throws IOException {
        attributes.setOwner(path, owner, group);
    }

    @Override
    public void setTimes(Path path, long modified, long accessed) throws IOException {
        attributes.setTimes(path, modified, accessed);
    }

    @Override
    public void modifyAclEntries(Path path, List<AclEntry> entries) throws IOException {
        attributes.changeAcl(path, AclChange.Kind.MODIFY, entries);
    }

    @Override
    public void removeAclEntries(Path path, List<AclEntry> entries) throws IOException {
        attributes.changeAcl(path, AclChange.Kind.REMOVE_ENTRIES, entries);
    }

    @Override
    public void removeDefaultAcl(Path path) throws IOException {
        attributes.changeAcl(path, AclChange.Kind.REMOVE_DEFAULT, List.of());
    }

    @Override
    public void removeAcl(Path path) throws IOException {
        attributes.changeAcl(path, AclChange.Kind.REMOVE_ALL, List.of());
    }

    @Override
    public void setAcl(Path path, List<AclEntry> entries) throws IOException {
        attributes.changeAcl(path, AclChange.Kind.SET, entries);
    }

    @Override
    public AclStatus getAclStatus(Path path) throws IOException {
        return attributes.aclStatus(path);
    }

    @Override
    public void setXAttr(Path path, String name, byte @Nullable [] value, EnumSet<XAttrSetFlag> flags)
            throws IOException {
        attributes.setXAttr(path, name, value, flags);
    }

    @Override
    public byte[] getXAttr(Path path, String name) throws IOException {
        return attributes.xAttr(path, name);
    }

    @Override
    public Map<String, byte[]> getXAttrs(Path path) throws IOException {
        return attributes.xAttrs(path);
    }

    @Override
    public Map<String, byte[]> getXAttrs(Path path, List<String> names) throws IOException {
        return attributes.xAttrs(path, names);
    }

    @Override
    public List<String> listXAttrs(Path path) throws IOException {
        return attributes.xAttrNames(path);
    }

    @Override
    public void removeXAttr(Path path, String name) throws IOException {
        attributes.removeXAttr(path, name);
    }

    @Override
    public boolean hasPathCapability(Path path, String capability) throws IOException {
        return PathCapabilities.has(makeQualified(path), capability) || super.hasPathCapability(path, capability);
    }
}
