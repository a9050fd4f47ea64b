package io.tatami.hadoop.random;

import io.tatami.hadoop.random.ModelNode.ModelDirectory;
import io.tatami.hadoop.random.ModelNode.ModelFile;
import java.io.IOException;
import java.util.EnumSet;
import java.util.Map;
import java.util.TreeMap;
import org.apache.hadoop.fs.XAttrSetFlag;
import org.apache.hadoop.fs.permission.FsAction;
import org.apache.hadoop.hdfs.protocol.AclException;
import org.apache.hadoop.hdfs.protocol.XAttrNotFoundException;
import org.apache.hadoop.security.AccessControlException;
import org.jspecify.annotations.Nullable;

/** Changes of what the model's nodes carry beside their bytes, by one user. */
final class ModelAttributes {
    private final Caller caller;

    ModelAttributes(Caller caller) {
        this.caller = caller;
    }

    /** What becomes of a list. */
    interface AclChange {
        AccessList of(AccessList list) throws AclException;
    }

    static void changeAcl(Walk walk, AclChange change) throws IOException {
        walk.requireOwner();
        ModelNode node = walk.present();
        AccessList changed = change.of(node.acl);
        if (changed.hasDefaults() && !(node instanceof ModelDirectory)) {
            throw new AclException("a file with default entries");
        }
        node.acl = changed;
    }

    void setPermission(Walk walk, int mode) throws IOException {
        walk.requireOwner();
        ModelNode node = walk.present();
        node.acl = node.acl.withMode(mode);
        node.sticky = (mode & ModelNode.STICKY) != 0;
    }

    void setOwner(Walk walk, @Nullable String owner, @Nullable String group) throws IOException {
        walk.requireOwner();
        ModelNode node = walk.present();
        if (owner != null && !caller.superuser() && !caller.name().equals(owner)) {
            throw new AccessControlException("only the superuser gives away");
        }
        if (group != null && !caller.superuser() && !caller.groups().contains(group)) {
            throw new AccessControlException("not a member of " + group);
        }
        node.owner = owner == null ? node.owner : owner;
        node.group = group == null ? node.group : group;
    }

    void setTimes(Walk walk, long modifiedMillis, long accessedMillis) throws IOException {
        walk.require(FsAction.WRITE);
        ModelNode node = walk.present();
        node.modifiedMillis = modifiedMillis == -1 ? node.modifiedMillis : modifiedMillis;
        node.accessedMillis = accessedMillis == -1 ? node.accessedMillis : accessedMillis;
    }

    static boolean setReplication(Walk walk, int replication) throws IOException {
        walk.require(FsAction.WRITE);
        if (walk.last() instanceof ModelFile file) {
            file.replication = replication;
            return true;
        }
        return false;
    }

    /** Before it is asked whether what bears the attribute is there at all. */
    void requireNameAllowed(String name) throws AccessControlException {
        if (!isVisible(name)) {
            throw new AccessControlException("User doesn't have permission for xattr: " + name);
        }
    }

    private boolean isVisible(String name) {
        return name.startsWith("user.") || caller.superuser();
    }

    void setXAttr(Walk walk, String name, byte[] value, EnumSet<XAttrSetFlag> flags) throws IOException {
        requireChangeable(walk, name);
        Map<String, byte[]> xAttrs = walk.present().xAttrs;
        XAttrSetFlag needed = xAttrs.containsKey(name) ? XAttrSetFlag.REPLACE : XAttrSetFlag.CREATE;
        if (!flags.contains(needed)) {
            throw new IOException("flag " + needed + " is needed");
        }
        xAttrs.put(name, value);
    }

    void removeXAttr(Walk walk, String name) throws IOException {
        requireChangeable(walk, name);
        if (walk.present().xAttrs.remove(name) == null) {
            throw new IOException("no attribute " + name);
        }
    }

    private static void requireChangeable(Walk walk, String name) throws IOException {
        if (!name.startsWith("user.")) {
            return;
        }
        if (walk.last() instanceof ModelDirectory directory && directory.sticky) {
            walk.requireOwner();
        } else {
            walk.require(FsAction.WRITE);
        }
    }

    byte[] xAttr(Walk walk, String name) throws IOException {
        byte @Nullable [] value = xAttrs(walk).get(name);
        if (value == null) {
            throw new XAttrNotFoundException("no attribute " + name);
        }
        return value;
    }

    Map<String, byte[]> xAttrs(Walk walk) throws IOException {
        walk.require(FsAction.READ);
        Map<String, byte[]> visible = new TreeMap<>(walk.present().xAttrs);
        visible.keySet().removeIf(name -> !isVisible(name));
        return visible;
    }
}
