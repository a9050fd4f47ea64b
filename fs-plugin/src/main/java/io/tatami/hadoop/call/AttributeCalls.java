package io.tatami.hadoop.call;

import com.google.protobuf.ByteString;
import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.client.model.PathStatus;
import io.tatami.client.model.TatamiPath;
import io.tatami.hadoop.convert.AclConverter;
import io.tatami.hadoop.convert.CreateSizes;
import io.tatami.hadoop.convert.ExceptionTranslator;
import io.tatami.hadoop.convert.PathConverter;
import io.tatami.protocol.wire.AttributeChange;
import io.tatami.protocol.wire.AttributeChange.AclChange;
import io.tatami.protocol.wire.AttributeChange.XAttrChange;
import io.tatami.protocol.wire.XAttr;
import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.apache.hadoop.HadoopIllegalArgumentException;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.XAttrSetFlag;
import org.apache.hadoop.fs.permission.AclEntry;
import org.apache.hadoop.fs.permission.AclStatus;
import org.apache.hadoop.fs.permission.FsAction;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.security.AccessControlException;
import org.jspecify.annotations.Nullable;

/** The part of {@link TatamiCalls} that concerns what files and directories carry beside their bytes. */
public final class AttributeCalls {
    private static final String NO_XATTR = "At least one of the attributes provided was not found.";
    private static final String BAD_NAME =
            "An XAttr name must be prefixed with user/trusted/security/system/raw, followed by a '.'";
    private static final Set<String> NAME_SPACES = Set.of("user", "trusted", "security", "system", "raw");

    private final TatamiCalls calls;

    public AttributeCalls(TatamiCalls calls) {
        this.calls = calls;
    }

    public void setPermission(Path path, FsPermission permission) throws IOException {
        calls.change(
                path,
                AttributeChange.newBuilder()
                        .setMode(permission.toShort() & 01777)
                        .build());
    }

    /** Either may be null, which leaves it as it is; not both. */
    public void setOwner(Path path, @Nullable String owner, @Nullable String group) throws IOException {
        if (owner == null && group == null) {
            throw new IOException("owner == null && group == null");
        }
        AttributeChange.Builder change = AttributeChange.newBuilder();
        if (owner != null) {
            change.setOwner(owner);
        }
        if (group != null) {
            change.setGroup(group);
        }
        calls.change(path, change.build());
    }

    /** Milliseconds since 1970; -1 leaves a time as it is. */
    public void setTimes(Path path, long modifiedMillis, long accessedMillis) throws IOException {
        if (modifiedMillis == -1 && accessedMillis == -1) {
            refusals().require(calls.status(path, true), FsAction.WRITE);
            return;
        }
        AttributeChange.Builder change = AttributeChange.newBuilder();
        if (modifiedMillis != -1) {
            change.setModifiedMillis(modifiedMillis);
        }
        if (accessedMillis != -1) {
            change.setAccessedMillis(accessedMillis);
        }
        calls.change(path, change.build());
    }

    /** False where there is no file, as on HDFS. */
    public boolean setReplication(Path path, short replication) throws IOException {
        TatamiPath target = PathConverter.path(path);
        AttributeChange change = AttributeChange.newBuilder()
                .setReplication(CreateSizes.checkedReplication(replication))
                .build();
        try {
            calls.client().setAttributes(target, change);
            return true;
        } catch (TatamiException e) {
            if (e.code() == ErrorCode.NOT_FOUND || e.code() == ErrorCode.IS_A_DIRECTORY) {
                return false;
            }
            throw ExceptionTranslator.translate(e);
        }
    }

    public void changeAcl(Path path, AclChange.Kind kind, List<AclEntry> entries) throws IOException {
        TatamiPath target = PathConverter.path(path);
        AttributeChange change = AttributeChange.newBuilder()
                .setAcl(AclConverter.change(kind, entries))
                .build();
        try {
            calls.client().setAttributes(target, change);
        } catch (TatamiException e) {
            throw ExceptionTranslator.translateAcl(e, path);
        }
    }

    /** @throws org.apache.hadoop.security.AccessControlException where the cluster says that the user may not */
    public void access(Path path, FsAction mode) throws IOException {
        refusals().require(calls.status(path, true), mode);
    }

    public AclStatus aclStatus(Path path) throws IOException {
        return AclConverter.status(calls.status(path, true).attributes());
    }

    public void setXAttr(Path path, String name, byte @Nullable [] value, EnumSet<XAttrSetFlag> flags)
            throws IOException {
        if (flags.isEmpty()) {
            throw new IOException("A flag must be specified.");
        }
        XAttr.Builder xattr = XAttr.newBuilder().setName(allowedName(name));
        if (value != null) {
            xattr.setValue(ByteString.copyFrom(value));
        }
        XAttrChange change = XAttrChange.newBuilder()
                .setXattr(xattr)
                .setCreateOnly(!flags.contains(XAttrSetFlag.REPLACE))
                .setReplaceOnly(!flags.contains(XAttrSetFlag.CREATE))
                .build();
        calls.change(path, AttributeChange.newBuilder().setXattr(change).build());
    }

    public void removeXAttr(Path path, String name) throws IOException {
        XAttrChange change = XAttrChange.newBuilder()
                .setRemove(true)
                .setXattr(XAttr.newBuilder().setName(allowedName(name)))
                .build();
        calls.change(path, AttributeChange.newBuilder().setXattr(change).build());
    }

    /** @throws IOException where there is none of that name */
    public byte[] xAttr(Path path, String name) throws IOException {
        String allowed = allowedName(name);
        byte @Nullable [] value = xAttrs(path).get(allowed);
        if (value == null) {
            throw ExceptionTranslator.noSuchXAttr(NO_XATTR);
        }
        return value;
    }

    public Map<String, byte[]> xAttrs(Path path) throws IOException {
        PathStatus status = calls.status(path, true);
        refusals().require(status, FsAction.READ);
        Map<String, byte[]> all = new LinkedHashMap<>();
        status.attributes()
                .getXattrList()
                .forEach(xattr -> all.put(xattr.getName(), xattr.getValue().toByteArray()));
        return all;
    }

    public Map<String, byte[]> xAttrs(Path path, List<String> names) throws IOException {
        if (names.isEmpty()) {
            throw new HadoopIllegalArgumentException("XAttr names can not be null or empty.");
        }
        List<String> allowed = new ArrayList<>(names.size());
        for (String name : names) {
            allowed.add(allowedName(name));
        }
        Map<String, byte[]> all = xAttrs(path);
        Map<String, byte[]> wanted = new LinkedHashMap<>();
        for (String name : allowed) {
            byte @Nullable [] value = all.get(name);
            if (value == null) {
                throw ExceptionTranslator.noSuchXAttr(NO_XATTR);
            }
            wanted.put(name, value);
        }
        return wanted;
    }

    public List<String> xAttrNames(Path path) throws IOException {
        return new ArrayList<>(xAttrs(path).keySet());
    }

    private RefusalOrder refusals() throws IOException {
        return new RefusalOrder(calls.client());
    }

    /** HDFS tells who may not name an attribute so before it looks for what bears it. */
    private String allowedName(String name) throws IOException {
        String checked = checkedName(name);
        boolean allowed = checked.startsWith("user.")
                || (checked.startsWith("trusted.")
                        && TatamiCalls.translated(() -> refusals().isForSuperuser()));
        if (!allowed) {
            throw new AccessControlException("User doesn't have permission for xattr: " + checked);
        }
        return checked;
    }

    /** With the name space in lower case; {@code user.} and its like must stand before a name. */
    private static String checkedName(String name) {
        int dot = name.indexOf('.');
        if (dot < 0) {
            throw new HadoopIllegalArgumentException(BAD_NAME);
        }
        if (dot == name.length() - 1) {
            throw new HadoopIllegalArgumentException("XAttr name cannot be empty.");
        }
        String space = name.substring(0, dot).toLowerCase(Locale.ROOT);
        if (!NAME_SPACES.contains(space)) {
            throw new HadoopIllegalArgumentException(BAD_NAME);
        }
        return space + name.substring(dot);
    }
}
