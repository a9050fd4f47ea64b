package io.tatami.client.model;

import io.tatami.protocol.wire.AclEntry;
import io.tatami.protocol.wire.Attributes;
import io.tatami.protocol.wire.Status;
import java.util.List;

/**
 * What a path stands for, at one moment.
 *
 * @param path as it was asked for or listed
 * @param wire as the metadata service told it; of a directory the times include those of its shares
 * @param blocks where the bytes are, in order; only where they were asked for
 */
public record PathStatus(TatamiPath path, Status wire, List<LocatedBlock> blocks) {
    public boolean isFile() {
        return wire.getKind() == Status.Kind.FILE;
    }

    public boolean isDirectory() {
        return wire.getKind() == Status.Kind.DIRECTORY;
    }

    public boolean isSymlink() {
        return wire.getKind() == Status.Kind.SYMLINK;
    }

    /** A file's id or a directory's; the two have separate ranges only by {@link #isDirectory}. */
    public long id() {
        return wire.getId();
    }

    /** 0 for all but files. */
    public long lengthBytes() {
        return wire.getLength();
    }

    public int replication() {
        return wire.getReplication();
    }

    public long blockSizeBytes() {
        return wire.getBlockSize();
    }

    public Attributes attributes() {
        return wire.getAttributes();
    }

    /**
     * Whether the caller may do all of {@code access}: the sum of 4 to read, 2 to write and 1 to execute. Not of links.
     */
    public boolean allows(int access) {
        return (wire.getCallerAccess() >> access & 1) != 0;
    }

    /** Whether the caller is the superuser. Not of links. */
    public boolean isForSuperuser() {
        return wire.getCallerSuperuser();
    }

    /** Permission bits and the sticky bit. */
    public int mode() {
        return attributes().getMode();
    }

    public String owner() {
        return attributes().getOwner();
    }

    public String group() {
        return attributes().getGroup();
    }

    public long modifiedMillis() {
        return attributes().getModifiedMillis();
    }

    public long accessedMillis() {
        return attributes().getAccessedMillis();
    }

    /** Extended entries only, in HDFS's order; empty where the mode tells all. */
    public List<AclEntry> acl() {
        return attributes().getAclList();
    }

    /** Where a symlink leads, as it was given. */
    public String symlinkTarget() {
        return wire.getSymlinkTarget();
    }

    /** Somebody writes the file; its length is what was committed so far. */
    public boolean isOpen() {
        return wire.getOpen();
    }

    /** The file is stored with the metadata and has no blocks. */
    public boolean isInline() {
        return wire.getIsInline();
    }
}
