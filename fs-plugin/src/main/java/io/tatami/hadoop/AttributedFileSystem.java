package io.tatami.hadoop;

import io.tatami.hadoop.call.AttributeCalls;
import io.tatami.protocol.wire.AttributeChange.AclChange;
import java.io.IOException;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.fs.ContentSummary;
import org.apache.hadoop.fs.FsServerDefaults;
import org.apache.hadoop.fs.FsStatus;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.QuotaUsage;
import org.apache.hadoop.fs.XAttrSetFlag;
import org.apache.hadoop.fs.permission.AclEntry;
import org.apache.hadoop.fs.permission.AclStatus;
import org.apache.hadoop.fs.permission.FsAction;
import org.apache.hadoop.fs.permission.FsPermission;
import org.jspecify.annotations.Nullable;

/** Owners, permissions, times, access control lists and extended attributes; and what is told of whole trees. */
abstract class AttributedFileSystem extends LinkedFileSystem {
    private AttributeCalls attributes() throws IOException {
        return new AttributeCalls(calls());
    }

    @Override
    public final void setPermission(Path path, FsPermission permission) throws IOException {
        statistics.incrementWriteOps(1);
        run(path, at -> attributes().setPermission(at, permission), (fs, at) -> fs.setPermission(at, permission));
    }

    @Override
    public final void setOwner(Path path, @Nullable String owner, @Nullable String group) throws IOException {
        statistics.incrementWriteOps(1);
        run(path, at -> attributes().setOwner(at, owner, group), (fs, at) -> fs.setOwner(at, owner, group));
    }

    @Override
    public final void setTimes(Path path, long modified, long accessed) throws IOException {
        statistics.incrementWriteOps(1);
        run(path, at -> attributes().setTimes(at, modified, accessed), (fs, at) -> fs.setTimes(at, modified, accessed));
    }

    @Override
    public final boolean setReplication(Path path, short replication) throws IOException {
        statistics.incrementWriteOps(1);
        return resolved(
                path,
                at -> attributes().setReplication(at, replication),
                (fs, at) -> fs.setReplication(at, replication));
    }

    @Override
    public final void access(Path path, FsAction mode) throws IOException {
        statistics.incrementReadOps(1);
        run(path, at -> attributes().access(at, mode), (fs, at) -> fs.access(at, mode));
    }

    @Override
    public final void modifyAclEntries(Path path, List<AclEntry> entries) throws IOException {
        changeAcl(path, AclChange.Kind.MODIFY, entries, (fs, at) -> fs.modifyAclEntries(at, entries));
    }

    @Override
    public final void removeAclEntries(Path path, List<AclEntry> entries) throws IOException {
        changeAcl(path, AclChange.Kind.REMOVE_ENTRIES, entries, (fs, at) -> fs.removeAclEntries(at, entries));
    }

    @Override
    public final void removeDefaultAcl(Path path) throws IOException {
        changeAcl(path, AclChange.Kind.REMOVE_DEFAULT, List.of(), (fs, at) -> fs.removeDefaultAcl(at));
    }

    @Override
    public final void removeAcl(Path path) throws IOException {
        changeAcl(path, AclChange.Kind.REMOVE_ALL, List.of(), (fs, at) -> fs.removeAcl(at));
    }

    @Override
    public final void setAcl(Path path, List<AclEntry> entries) throws IOException {
        changeAcl(path, AclChange.Kind.SET, entries, (fs, at) -> fs.setAcl(at, entries));
    }

    private void changeAcl(Path path, AclChange.Kind kind, List<AclEntry> entries, ElsewhereOnly elsewhere)
            throws IOException {
        statistics.incrementWriteOps(1);
        run(path, at -> attributes().changeAcl(at, kind, entries), elsewhere);
    }

    @Override
    public final AclStatus getAclStatus(Path path) throws IOException {
        statistics.incrementReadOps(1);
        return resolved(path, at -> attributes().aclStatus(at), (fs, at) -> fs.getAclStatus(at));
    }

    @Override
    public final void setXAttr(Path path, String name, byte @Nullable [] value, EnumSet<XAttrSetFlag> flags)
            throws IOException {
        statistics.incrementWriteOps(1);
        run(path, at -> attributes().setXAttr(at, name, value, flags), (fs, at) -> fs.setXAttr(at, name, value, flags));
    }

    @Override
    public final byte[] getXAttr(Path path, String name) throws IOException {
        statistics.incrementReadOps(1);
        return resolved(path, at -> attributes().xAttr(at, name), (fs, at) -> fs.getXAttr(at, name));
    }

    @Override
    public final Map<String, byte[]> getXAttrs(Path path) throws IOException {
        statistics.incrementReadOps(1);
        return resolved(path, at -> attributes().xAttrs(at), (fs, at) -> fs.getXAttrs(at));
    }

    @Override
    public final Map<String, byte[]> getXAttrs(Path path, List<String> names) throws IOException {
        statistics.incrementReadOps(1);
        return resolved(path, at -> attributes().xAttrs(at, names), (fs, at) -> fs.getXAttrs(at, names));
    }

    @Override
    public final List<String> listXAttrs(Path path) throws IOException {
        statistics.incrementReadOps(1);
        return resolved(path, at -> attributes().xAttrNames(at), (fs, at) -> fs.listXAttrs(at));
    }

    @Override
    public final void removeXAttr(Path path, String name) throws IOException {
        statistics.incrementWriteOps(1);
        run(path, at -> attributes().removeXAttr(at, name), (fs, at) -> fs.removeXAttr(at, name));
    }

    @Override
    public final ContentSummary getContentSummary(Path path) throws IOException {
        statistics.incrementReadOps(1);
        return resolved(path, at -> calls().contentSummary(at), (fs, at) -> fs.getContentSummary(at));
    }

    /** Totals; there are no quotas yet. */
    @Override
    public final QuotaUsage getQuotaUsage(Path path) throws IOException {
        return getContentSummary(path);
    }

    @Override
    public final FsStatus getStatus(Path path) throws IOException {
        statistics.incrementReadOps(1);
        return calls().fsStatus();
    }

    /** Bytes of a block where {@code create} names no other. Hadoop deprecates it and calls it. */
    @Override
    @Deprecated
    public final long getDefaultBlockSize() {
        return defaults().getBlockSize();
    }

    /** Hadoop has deprecated this method and still calls it. */
    @Override
    @Deprecated
    public final short getDefaultReplication() {
        return defaults().getReplication();
    }

    /** Hadoop has deprecated this method and still calls it. */
    @Override
    @Deprecated
    public final FsServerDefaults getServerDefaults() throws IOException {
        return calls().serverDefaults();
    }

    @Override
    public final FsServerDefaults getServerDefaults(Path path) throws IOException {
        return calls().serverDefaults();
    }
}
