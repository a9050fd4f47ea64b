package io.tatami.hadoop.random;

import java.io.IOException;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.ContentSummary;
import org.apache.hadoop.fs.CreateFlag;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileChecksum;
import org.apache.hadoop.fs.FileContext;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.LeaseRecoverable;
import org.apache.hadoop.fs.Options.Rename;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.XAttrSetFlag;
import org.apache.hadoop.fs.permission.AclEntry;
import org.apache.hadoop.fs.permission.FsAction;
import org.apache.hadoop.fs.permission.FsPermission;
import org.jspecify.annotations.Nullable;

/** A cluster through Hadoop's interface. What FileSystem cannot do is done through FileContext. */
final class HadoopSubject implements Subject {
    private static final int BUFFER_BYTES = 4096;

    private final FileSystem fs;
    private final FileContext context;
    private final AfterTruncate afterTruncate;

    /** What makes a cluster finish a truncation soon. */
    @FunctionalInterface
    interface AfterTruncate {
        void hurry() throws IOException;
    }

    private HadoopSubject(FileSystem fs, FileContext context, AfterTruncate afterTruncate) {
        this.fs = fs;
        this.context = context;
        this.afterTruncate = afterTruncate;
    }

    /** The default file system of {@code configuration} as the current user sees it. */
    static HadoopSubject connect(Configuration configuration, AfterTruncate afterTruncate) throws IOException {
        return new HadoopSubject(
                FileSystem.get(configuration), FileContext.getFileContext(configuration), afterTruncate);
    }

    @Override
    public void create(String path, Creation how, byte[] bytes) throws IOException {
        Path at = new Path(path);
        FsPermission mode = mode(how.mode());
        short replication = (short) how.replication();
        EnumSet<CreateFlag> flags =
                how.overwrite() ? EnumSet.of(CreateFlag.CREATE, CreateFlag.OVERWRITE) : EnumSet.of(CreateFlag.CREATE);
        try (FSDataOutputStream out = how.parents()
                ? fs.create(at, mode, flags, BUFFER_BYTES, replication, how.blockSizeBytes(), null)
                : fs.createNonRecursive(at, mode, flags, BUFFER_BYTES, replication, how.blockSizeBytes(), null)) {
            out.write(bytes);
        }
    }

    @Override
    public void append(String path, byte[] bytes) throws IOException {
        try (FSDataOutputStream out = fs.append(new Path(path))) {
            out.write(bytes);
        }
    }

    @Override
    public void truncate(String path, long lengthBytes) throws IOException {
        Path at = new Path(path);
        if (fs.truncate(at, lengthBytes)) {
            return;
        }
        while (!((LeaseRecoverable) fs).isFileClosed(at)) {
            afterTruncate.hurry();
        }
    }

    @Override
    public byte[] read(String path, long offsetBytes, int lengthBytes) throws IOException {
        byte[] bytes = new byte[lengthBytes];
        try (FSDataInputStream in = fs.open(new Path(path))) {
            int count = 0;
            while (count < lengthBytes) {
                int read = offsetBytes == 0
                        ? in.read(bytes, count, lengthBytes - count)
                        : in.read(offsetBytes + count, bytes, count, lengthBytes - count);
                if (read < 0) {
                    break;
                }
                count += read;
            }
            return Arrays.copyOf(bytes, count);
        }
    }

    @Override
    public String checksum(String path) throws IOException {
        FileChecksum checksum = fs.getFileChecksum(new Path(path));
        return checksum.getAlgorithmName() + " " + HexFormat.of().formatHex(checksum.getBytes());
    }

    @Override
    public void concat(String target, List<String> sources) throws IOException {
        fs.concat(new Path(target), sources.stream().map(Path::new).toArray(Path[]::new));
    }

    @Override
    public boolean mkdirs(String path, int mode) throws IOException {
        return fs.mkdirs(new Path(path), mode(mode));
    }

    @Override
    public void mkdir(String path, int mode) throws IOException {
        context.mkdir(new Path(path), mode(mode), false);
    }

    @Override
    public boolean delete(String path, boolean recursive) throws IOException {
        return fs.delete(new Path(path), recursive);
    }

    @Override
    public boolean rename(String source, String destination) throws IOException {
        return fs.rename(new Path(source), new Path(destination));
    }

    @Override
    public void renameStrictly(String source, String destination, boolean overwrite) throws IOException {
        context.rename(new Path(source), new Path(destination), overwrite ? Rename.OVERWRITE : Rename.NONE);
    }

    @Override
    public void symlink(String target, String link, boolean parents) throws IOException {
        context.createSymlink(new Path(target), new Path(link), parents);
    }

    @Override
    public Told status(String path) throws IOException {
        return Told.of(fs.getFileStatus(new Path(path)));
    }

    @Override
    public Told linkStatus(String path) throws IOException {
        return Told.of(context.getFileLinkStatus(new Path(path)));
    }

    @Override
    public String linkTarget(String path) throws IOException {
        return context.getLinkTarget(new Path(path)).toUri().getPath();
    }

    @Override
    public List<Told> list(String path) throws IOException {
        return Stream.of(fs.listStatus(new Path(path))).map(Told::of).toList();
    }

    @Override
    public Totals totals(String path) throws IOException {
        ContentSummary summary = fs.getContentSummary(new Path(path));
        return new Totals(
                summary.getDirectoryCount(), summary.getFileCount(), summary.getLength(), summary.getSpaceConsumed());
    }

    @Override
    public void access(String path, FsAction wanted) throws IOException {
        fs.access(new Path(path), wanted);
    }

    @Override
    public void setPermission(String path, int mode) throws IOException {
        fs.setPermission(new Path(path), mode(mode));
    }

    @Override
    public void setOwner(String path, @Nullable String owner, @Nullable String group) throws IOException {
        fs.setOwner(new Path(path), owner, group);
    }

    @Override
    public void setTimes(String path, long modifiedMillis, long accessedMillis) throws IOException {
        fs.setTimes(new Path(path), modifiedMillis, accessedMillis);
    }

    @Override
    public boolean setReplication(String path, int replication) throws IOException {
        return fs.setReplication(new Path(path), (short) replication);
    }

    @Override
    public void setAcl(String path, List<AclEntry> entries) throws IOException {
        fs.setAcl(new Path(path), entries);
    }

    @Override
    public void modifyAcl(String path, List<AclEntry> entries) throws IOException {
        fs.modifyAclEntries(new Path(path), entries);
    }

    @Override
    public void removeAclEntries(String path, List<AclEntry> entries) throws IOException {
        fs.removeAclEntries(new Path(path), entries);
    }

    @Override
    public void removeDefaultAcl(String path) throws IOException {
        fs.removeDefaultAcl(new Path(path));
    }

    @Override
    public void removeAcl(String path) throws IOException {
        fs.removeAcl(new Path(path));
    }

    @Override
    public List<AclEntry> acl(String path) throws IOException {
        return fs.getAclStatus(new Path(path)).getEntries();
    }

    @Override
    public void setXAttr(String path, String name, byte[] value, EnumSet<XAttrSetFlag> flags) throws IOException {
        fs.setXAttr(new Path(path), name, value, flags);
    }

    @Override
    public byte[] xAttr(String path, String name) throws IOException {
        return fs.getXAttr(new Path(path), name);
    }

    @Override
    public Map<String, byte[]> xAttrs(String path) throws IOException {
        return fs.getXAttrs(new Path(path));
    }

    @Override
    public void removeXAttr(String path, String name) throws IOException {
        fs.removeXAttr(new Path(path), name);
    }

    private static FsPermission mode(int mode) {
        return new FsPermission((short) mode);
    }
}
