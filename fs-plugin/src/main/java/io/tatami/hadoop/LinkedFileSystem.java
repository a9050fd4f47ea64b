package io.tatami.hadoop;

import io.tatami.hadoop.call.TatamiCalls;
import io.tatami.hadoop.stream.OpenStreams;
import java.io.IOException;
import java.net.URI;
import java.util.Objects;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSLinkResolver;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.FileSystemLinkResolver;
import org.apache.hadoop.fs.FsServerDefaults;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.UnresolvedLinkException;
import org.apache.hadoop.net.NetUtils;
import org.jspecify.annotations.Nullable;

/** The connection to the cluster, the working directory, and symlinks: what every operation goes through. */
abstract class LinkedFileSystem extends FileSystem {
    static final String SCHEME = "tatami";
    static final int PORT_DEFAULT = 9480;

    private final OpenStreams streams = new OpenStreams();
    private @Nullable TatamiCalls calls;
    private @Nullable FsServerDefaults defaults;
    private URI uri = URI.create(SCHEME + ":///");
    private Path workingDirectory = new Path("/");

    @Override
    public final String getScheme() {
        return SCHEME;
    }

    @Override
    public final int getDefaultPort() {
        return PORT_DEFAULT;
    }

    @Override
    public final void initialize(URI name, Configuration configuration) throws IOException {
        HadoopInterfaces.checkRelease();
        HadoopInterfaces.tellLacking(getClass());
        super.initialize(name, configuration);
        setConf(configuration);
        if (name.getAuthority() == null) {
            throw new IOException("Incomplete Tatami URI, no host: " + name + "; write tatami://host:port/path");
        }
        uri = URI.create(SCHEME + "://" + name.getAuthority());
        TatamiCalls connected = TatamiCalls.connect(uri, configuration);
        calls = connected;
        defaults = connected.serverDefaults();
        workingDirectory = getHomeDirectory();
    }

    final OpenStreams openStreams() {
        return streams;
    }

    /** What a client does that says nothing, as it was when this was initialized. */
    final FsServerDefaults defaults() {
        FsServerDefaults known = defaults;
        if (known == null) {
            throw new IllegalStateException("the file system is not initialized");
        }
        return known;
    }

    /** @throws IOException before it is initialized and after it was closed */
    final TatamiCalls calls() throws IOException {
        TatamiCalls open = calls;
        if (open == null) {
            throw new IOException("Filesystem closed");
        }
        return open;
    }

    @Override
    public final URI getUri() {
        return uri;
    }

    /** By the host's full name and with a port, as on HDFS; an authority of several servers has neither. */
    @Override
    protected final URI canonicalizeUri(URI named) {
        return NetUtils.getCanonicalUri(named, PORT_DEFAULT);
    }

    /** There are no tokens. */
    @Override
    public final @Nullable String getCanonicalServiceName() {
        return null;
    }

    @Override
    public final Path getWorkingDirectory() {
        return workingDirectory;
    }

    @Override
    public final void setWorkingDirectory(Path directory) {
        Path absolute = fixRelativePart(directory);
        checkPath(absolute);
        workingDirectory = absolute;
    }

    /** An operation of ours on a path without links in it. */
    interface Here<T> {
        T on(Path path) throws IOException;
    }

    /** The same operation where a link led to another file system. */
    interface Elsewhere<T> {
        T on(FileSystem fs, Path path) throws IOException;
    }

    /** Does an operation on a path, or on where its symlinks lead. */
    final <T> T resolved(Path path, Here<T> here, Elsewhere<T> elsewhere) throws IOException {
        Path absolute = fixRelativePart(path);
        checkPath(absolute);
        return new FileSystemLinkResolver<T>() {
            @Override
            public T doCall(Path at) throws IOException {
                return here.on(at);
            }

            @Override
            public T next(FileSystem fs, Path at) throws IOException {
                return elsewhere.on(fs, at);
            }
        }.resolve(this, absolute);
    }

    /** An operation that answers nothing. */
    interface HereOnly {
        void on(Path path) throws IOException;
    }

    /** The same where a link led to another file system. */
    interface ElsewhereOnly {
        void on(FileSystem fs, Path path) throws IOException;
    }

    final void run(Path path, HereOnly here, ElsewhereOnly elsewhere) throws IOException {
        resolved(
                path,
                at -> {
                    here.on(at);
                    return true;
                },
                (fs, at) -> {
                    elsewhere.on(fs, at);
                    return true;
                });
    }

    /** {@link #resolved} for an operation on two paths, which must both be of this file system. */
    final <T> T resolvedBoth(Path source, Path destination, HereBoth<T> here) throws IOException {
        Path from = fixRelativePart(source);
        Path to = fixRelativePart(destination);
        checkPath(from);
        checkPath(to);
        try {
            return here.on(from, to);
        } catch (UnresolvedLinkException e) {
            Path resolvedFrom = getFileLinkStatus(from).getPath();
            return resolved(to, at -> here.on(resolvedFrom, at), (fs, at) -> {
                checkPath(at);
                throw e;
            });
        }
    }

    /** An operation of ours on two paths without links in them. */
    interface HereBoth<T> {
        T on(Path source, Path destination) throws IOException;
    }

    @Override
    public final boolean supportsSymlinks() {
        return true;
    }

    @Override
    public final void createSymlink(Path target, Path link, boolean createParent) throws IOException {
        if (!areSymlinksEnabled()) {
            throw new UnsupportedOperationException("Symlinks not supported");
        }
        statistics.incrementWriteOps(1);
        run(
                link,
                at -> calls().createSymlink(target, at, createParent),
                (fs, at) -> fs.createSymlink(target, at, createParent));
    }

    @Override
    public final FileStatus getFileLinkStatus(Path path) throws IOException {
        statistics.incrementReadOps(1);
        FileStatus status = resolved(path, at -> calls().fileStatus(at, false), (fs, at) -> fs.getFileLinkStatus(at));
        if (status.isSymlink()) {
            status.setSymlink(FSLinkResolver.qualifySymlinkTarget(getUri(), status.getPath(), status.getSymlink()));
        }
        return status;
    }

    @Override
    public final Path getLinkTarget(Path path) throws IOException {
        statistics.incrementReadOps(1);
        return resolved(path, at -> calls().fileStatus(at, false).getSymlink(), (fs, at) -> fs.getLinkTarget(at));
    }

    @Override
    protected final Path resolveLink(Path path) throws IOException {
        return calls().linkTarget(path);
    }

    /**
     * Completes every file that is open for writing, then ends; all else that is called afterwards, but for the close
     * of a stream, fails.
     *
     * @throws IOException where a file could not be completed; the others are, and the file system is closed
     */
    @Override
    public void close() throws IOException {
        try {
            streams.closeAll();
        } finally {
            streams.end();
            end();
        }
    }

    private void end() throws IOException {
        try {
            super.close();
        } finally {
            TatamiCalls open = calls;
            calls = null;
            if (open != null) {
                open.close();
            }
        }
    }

    @Override
    public String toString() {
        return "TatamiFileSystem[" + Objects.toString(uri) + "]";
    }
}
