package io.tatami.hadoop.random;

import java.io.IOException;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.fs.XAttrSetFlag;
import org.apache.hadoop.fs.permission.AclEntry;
import org.apache.hadoop.fs.permission.FsAction;
import org.jspecify.annotations.Nullable;

/**
 * A file system as one user sees it: the operations that are compared, which fail with what Hadoop's interface throws
 * for them. Paths are absolute.
 */
interface Subject {
    /** Creates a file, writes {@code bytes} and closes it. */
    void create(String path, Creation how, byte[] bytes) throws IOException;

    /** @param parents whether missing ones are made */
    record Creation(int mode, boolean overwrite, boolean parents, int replication, long blockSizeBytes) {}

    void append(String path, byte[] bytes) throws IOException;

    /** Returns once the file is closed again. */
    void truncate(String path, long lengthBytes) throws IOException;

    /** At most {@code lengthBytes} of a file's bytes, fewer only at its end. */
    byte[] read(String path, long offsetBytes, int lengthBytes) throws IOException;

    /** The algorithm and the sum of the whole file. */
    String checksum(String path) throws IOException;

    void concat(String target, List<String> sources) throws IOException;

    boolean mkdirs(String path, int mode) throws IOException;

    /** The one that makes no parents. */
    void mkdir(String path, int mode) throws IOException;

    boolean delete(String path, boolean recursive) throws IOException;

    boolean rename(String source, String destination) throws IOException;

    /** The one that throws. */
    void renameStrictly(String source, String destination, boolean overwrite) throws IOException;

    void symlink(String target, String link, boolean parents) throws IOException;

    Told status(String path) throws IOException;

    Told linkStatus(String path) throws IOException;

    String linkTarget(String path) throws IOException;

    List<Told> list(String path) throws IOException;

    Totals totals(String path) throws IOException;

    record Totals(long directories, long files, long lengthBytes, long spaceBytes) {}

    void access(String path, FsAction wanted) throws IOException;

    void setPermission(String path, int mode) throws IOException;

    void setOwner(String path, @Nullable String owner, @Nullable String group) throws IOException;

    void setTimes(String path, long modifiedMillis, long accessedMillis) throws IOException;

    boolean setReplication(String path, int replication) throws IOException;

    void setAcl(String path, List<AclEntry> entries) throws IOException;

    void modifyAcl(String path, List<AclEntry> entries) throws IOException;

    void removeAclEntries(String path, List<AclEntry> entries) throws IOException;

    void removeDefaultAcl(String path) throws IOException;

    void removeAcl(String path) throws IOException;

    /** The entries beside those that the mode has, in HDFS's order. */
    List<AclEntry> acl(String path) throws IOException;

    void setXAttr(String path, String name, byte[] value, EnumSet<XAttrSetFlag> flags) throws IOException;

    byte[] xAttr(String path, String name) throws IOException;

    Map<String, byte[]> xAttrs(String path) throws IOException;

    void removeXAttr(String path, String name) throws IOException;
}
