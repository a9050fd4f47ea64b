package io.tatami.hadoop.random;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.apache.hadoop.fs.XAttrSetFlag;
import org.apache.hadoop.fs.permission.AclEntry;
import org.jspecify.annotations.Nullable;

/** Operations on owners, permissions, times, access control lists and extended attributes. */
final class AttributeOperations {
    private static final List<String> XATTRS = List.of("user.one", "user.two", "user.three", "trusted.one");

    /** Long before any test, and long after: what is read does not get an access time then. */
    private static final long MODIFIED_MILLIS = 500_000_000_000L;

    private static final long ACCESSED_MILLIS = 5_000_000_000_000L;

    private final Draw draw;

    AttributeOperations(Draw draw) {
        this.draw = draw;
    }

    RandomOperation setPermission() {
        int mode = draw.mode();
        return changing(
                "setPermission", TreeOperations.octal(mode), (subject, path) -> subject.setPermission(path, mode));
    }

    RandomOperation setOwner() {
        @Nullable String owner = draw.chance(0.5) ? draw.of(Caller.ORDINARY).name() : null;
        @Nullable String group = owner == null || draw.chance(0.5) ? draw.of(Caller.GROUPS) : null;
        return changing("setOwner", owner + ":" + group, (subject, path) -> subject.setOwner(path, owner, group));
    }

    RandomOperation setTimes() {
        long modified = draw.time(MODIFIED_MILLIS);
        long accessed = draw.time(ACCESSED_MILLIS);
        return changing(
                "setTimes", modified + " " + accessed, (subject, path) -> subject.setTimes(path, modified, accessed));
    }

    RandomOperation setReplication() {
        int replication = 1 + draw.below(3);
        return asking(
                "setReplication",
                String.valueOf(replication),
                (subject, path) -> String.valueOf(subject.setReplication(path, replication)));
    }

    RandomOperation setAcl() {
        List<AclEntry> entries = draw.aclEntries(true);
        return changing("setAcl", entries.toString(), (subject, path) -> subject.setAcl(path, entries));
    }

    RandomOperation modifyAcl() {
        List<AclEntry> entries = draw.aclEntries(true);
        return changing("modifyAcl", entries.toString(), (subject, path) -> subject.modifyAcl(path, entries));
    }

    RandomOperation removeAclEntries() {
        List<AclEntry> entries = draw.aclEntries(false);
        return changing(
                "removeAclEntries", entries.toString(), (subject, path) -> subject.removeAclEntries(path, entries));
    }

    RandomOperation removeDefaultAcl() {
        return changing("removeDefaultAcl", "", Subject::removeDefaultAcl);
    }

    RandomOperation removeAcl() {
        return changing("removeAcl", "", Subject::removeAcl);
    }

    RandomOperation aclStatus() {
        return asking("aclStatus", "", (subject, path) -> subject.acl(path).toString());
    }

    RandomOperation setXAttr() {
        String name = draw.of(XATTRS);
        byte[] value = "value %d".formatted(draw.below(1000)).getBytes(StandardCharsets.UTF_8);
        EnumSet<XAttrSetFlag> flags = draw.of(List.of(
                EnumSet.of(XAttrSetFlag.CREATE), EnumSet.of(XAttrSetFlag.REPLACE), EnumSet.allOf(XAttrSetFlag.class)));
        return changing("setXAttr", name + " " + flags, (subject, path) -> subject.setXAttr(path, name, value, flags));
    }

    RandomOperation getXAttr() {
        String name = draw.of(XATTRS);
        return asking(
                "getXAttr", name, (subject, path) -> new String(subject.xAttr(path, name), StandardCharsets.UTF_8));
    }

    RandomOperation getXAttrs() {
        return asking("getXAttrs", "", (subject, path) -> told(subject.xAttrs(path)));
    }

    RandomOperation removeXAttr() {
        String name = draw.of(XATTRS);
        return changing("removeXAttr", name, (subject, path) -> subject.removeXAttr(path, name));
    }

    /** An operation on a path that answers. */
    private interface Asking {
        String on(Subject subject, String path) throws IOException;
    }

    /** One that does not. */
    private interface Changing {
        void on(Subject subject, String path) throws IOException;
    }

    private RandomOperation asking(String kind, String argument, Asking action) {
        String path = draw.path();
        return new RandomOperation(
                kind, draw.caller(path), kind + " " + path + " " + argument, subject -> action.on(subject, path));
    }

    private RandomOperation changing(String kind, String argument, Changing action) {
        return asking(kind, argument, (subject, path) -> {
            action.on(subject, path);
            return Outcome.DONE;
        });
    }

    static String told(Map<String, byte[]> xAttrs) {
        return new TreeMap<>(xAttrs)
                .entrySet().stream()
                        .map(xAttr -> xAttr.getKey() + "=" + new String(xAttr.getValue(), StandardCharsets.UTF_8))
                        .collect(Collectors.joining(",", "{", "}"));
    }
}
