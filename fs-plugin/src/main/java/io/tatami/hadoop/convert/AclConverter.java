package io.tatami.hadoop.convert;

import io.tatami.protocol.wire.AclEntry;
import io.tatami.protocol.wire.AttributeChange.AclChange;
import io.tatami.protocol.wire.Attributes;
import java.util.List;
import org.apache.hadoop.fs.permission.AclEntryScope;
import org.apache.hadoop.fs.permission.AclEntryType;
import org.apache.hadoop.fs.permission.AclStatus;
import org.apache.hadoop.fs.permission.FsAction;
import org.apache.hadoop.fs.permission.FsPermission;
import org.jspecify.annotations.Nullable;

/** Access control lists between Hadoop's classes and the protocol's. */
public final class AclConverter {
    private AclConverter() {}

    public static AclChange change(AclChange.Kind kind, List<org.apache.hadoop.fs.permission.AclEntry> entries) {
        AclChange.Builder change = AclChange.newBuilder().setKind(kind);
        entries.forEach(entry -> change.addEntry(toWire(entry)));
        return change.build();
    }

    /** As HDFS tells it: entries beyond owner, group and other, and the permission bits. */
    public static AclStatus status(Attributes attributes) {
        AclStatus.Builder status = new AclStatus.Builder()
                .owner(attributes.getOwner())
                .group(attributes.getGroup())
                .stickyBit((attributes.getMode() & 01000) != 0)
                .setPermission(new FsPermission((short) attributes.getMode()));
        attributes.getAclList().forEach(entry -> status.addEntry(toHadoop(entry)));
        return status.build();
    }

    private static AclEntry toWire(org.apache.hadoop.fs.permission.AclEntry entry) {
        @Nullable String name = entry.getName();
        @Nullable FsAction permission = entry.getPermission();
        return AclEntry.newBuilder()
                .setType(
                        switch (entry.getType()) {
                            case USER -> AclEntry.Type.USER;
                            case GROUP -> AclEntry.Type.GROUP;
                            case MASK -> AclEntry.Type.MASK;
                            case OTHER -> AclEntry.Type.OTHER;
                        })
                .setName(name == null ? "" : name)
                .setPermission(permission == null ? 0 : permission.ordinal())
                .setDefaultScope(entry.getScope() == AclEntryScope.DEFAULT)
                .build();
    }

    private static org.apache.hadoop.fs.permission.AclEntry toHadoop(AclEntry entry) {
        var builder = new org.apache.hadoop.fs.permission.AclEntry.Builder()
                .setScope(entry.getDefaultScope() ? AclEntryScope.DEFAULT : AclEntryScope.ACCESS)
                .setType(
                        switch (entry.getType()) {
                            case USER -> AclEntryType.USER;
                            case GROUP -> AclEntryType.GROUP;
                            case MASK -> AclEntryType.MASK;
                            case OTHER, UNRECOGNIZED -> AclEntryType.OTHER;
                        })
                .setPermission(FsAction.values()[entry.getPermission()]);
        return (entry.getName().isEmpty() ? builder : builder.setName(entry.getName())).build();
    }
}
