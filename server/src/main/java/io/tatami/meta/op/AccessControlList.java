package io.tatami.meta.op;

import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.protocol.wire.AclEntry;
import io.tatami.protocol.wire.AclEntry.Type;
import io.tatami.protocol.wire.AttributeChange.AclChange;
import io.tatami.protocol.wire.Attributes;
import io.tatami.protocol.wire.CreateModes;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The whole access control list of a file or directory, with the three entries that a mode always stands for. It
 * follows POSIX.1e draft 17 as HDFS implements it: a scope with named entries has a mask, which limits all but the
 * owner and others; a mask that is not given is the union of what it limits; entries that a default list lacks are
 * copied from the access list.
 *
 * <p>Used by one thread.
 */
final class AccessControlList {
    /** Of one scope. */
    private static final int ENTRIES_MAX = 32;

    private static final List<Type> REQUIRED = List.of(Type.USER, Type.GROUP, Type.OTHER);

    private final Scope access = new Scope();
    private final Scope defaults = new Scope();

    /** What an entry is about; the empty name is the owner, the owning group or all others. */
    private record Subject(Type type, String name) implements Comparable<Subject> {
        @Override
        public int compareTo(Subject other) {
            int byType = type.compareTo(other.type);
            return byType != 0 ? byType : name.compareTo(other.name);
        }
    }

    /** One of the two lists, and which parts of it the change at hand has touched. */
    private static final class Scope {
        final TreeMap<Subject, Integer> permissions = new TreeMap<>();

        @Nullable
        Integer mask;

        boolean changed;
        boolean maskChanged;

        boolean isExtended() {
            return mask != null;
        }

        int of(Type type) {
            Integer permission = permissions.get(new Subject(type, ""));
            return permission == null ? 0 : permission;
        }

        int entries() {
            return permissions.size() + (mask == null ? 0 : 1);
        }

        void clear() {
            permissions.clear();
            mask = null;
        }

        void put(AclEntry entry) {
            changed = true;
            if (entry.getType() == Type.MASK) {
                mask = entry.getPermission();
                maskChanged = true;
            } else {
                permissions.put(subject(entry), entry.getPermission());
            }
        }

        void remove(AclEntry entry) {
            if (entry.getType() == Type.MASK && mask != null && entry.getName().isEmpty()) {
                mask = null;
                maskChanged = true;
                changed = true;
            } else if (permissions.remove(subject(entry)) != null) {
                changed = true;
            }
        }
    }

    private AccessControlList() {}

    /** The list that these attributes stand for. */
    static AccessControlList of(Attributes attributes) {
        AccessControlList list = new AccessControlList();
        int mode = attributes.getMode();
        list.access.permissions.put(new Subject(Type.USER, ""), (mode >> 6) & 7);
        list.access.permissions.put(new Subject(Type.OTHER, ""), mode & 7);
        if (Access.hasAccessAcl(attributes)) {
            list.access.mask = (mode >> 3) & 7;
        } else {
            list.access.permissions.put(new Subject(Type.GROUP, ""), (mode >> 3) & 7);
        }
        for (AclEntry entry : attributes.getAclList()) {
            Scope scope = list.scopeOf(entry);
            if (entry.getType() == Type.MASK) {
                scope.mask = entry.getPermission();
            } else {
                scope.permissions.put(subject(entry), entry.getPermission());
            }
        }
        return list;
    }

    /**
     * Applies a change to this list.
     *
     * @throws TatamiException INVALID_ARGUMENT where the result would be no valid list; this list is then of no use
     */
    void change(AclChange change) throws TatamiException {
        switch (change.getKind()) {
            case SET -> {
                if (change.getEntryCount() == 0) {
                    removeAll();
                } else {
                    replace(validated(change.getEntryList()));
                    complete();
                }
            }
            case MODIFY -> {
                for (AclEntry entry : validated(change.getEntryList())) {
                    scopeOf(entry).put(entry);
                }
                complete();
            }
            case REMOVE_ENTRIES -> {
                checkSizes(change.getEntryList());
                for (AclEntry entry : change.getEntryList()) {
                    scopeOf(entry).remove(entry);
                }
                complete();
            }
            case REMOVE_DEFAULT -> defaults.clear();
            case REMOVE_ALL -> removeAll();
            case UNRECOGNIZED -> throw invalid("this change is not known.");
        }
    }

    /**
     * Writes the list as it is stored: the owner's, the mask's or group's and the others' permissions into the mode,
     * the rest as entries.
     *
     * @throws TatamiException INVALID_ARGUMENT where a file would get a default list
     */
    void storeIn(Attributes.Builder attributes, boolean directory) throws TatamiException {
        if (!directory && !defaults.permissions.isEmpty()) {
            throw invalid("only directories may have a default ACL.");
        }
        store(attributes);
    }

    /**
     * The permissions of something new in a directory with these attributes: its mode is the one with the client's
     * umask applied, unless the directory has a default list, which then counts in place of the umask.
     */
    static void inherit(Attributes parent, CreateModes modes, boolean directory, Attributes.Builder child) {
        AccessControlList above = of(parent);
        if (above.defaults.permissions.isEmpty()) {
            child.setMode(modes.getMasked() & AttributeChanges.MODE_BITS);
            return;
        }
        int mode = modes.getUnmasked() & AttributeChanges.MODE_BITS;
        AccessControlList list = new AccessControlList();
        list.access.permissions.putAll(above.defaults.permissions);
        list.access.mask = above.defaults.mask;
        list.access.permissions.merge(new Subject(Type.USER, ""), (mode >> 6) & 7, (a, b) -> a & b);
        list.access.permissions.merge(new Subject(Type.OTHER, ""), mode & 7, (a, b) -> a & b);
        Integer mask = list.access.mask;
        if (mask == null) {
            list.access.permissions.merge(new Subject(Type.GROUP, ""), (mode >> 3) & 7, (a, b) -> a & b);
        } else {
            list.access.mask = mask & (mode >> 3) & 7;
        }
        if (directory) {
            list.defaults.permissions.putAll(above.defaults.permissions);
            list.defaults.mask = above.defaults.mask;
        }
        list.store(child.setMode(mode));
    }

    private void store(Attributes.Builder attributes) {
        Integer mask = access.mask;
        int group = mask == null ? access.of(Type.GROUP) : mask;
        attributes
                .setMode((attributes.getMode() & Access.STICKY)
                        | (access.of(Type.USER) << 6)
                        | (group << 3)
                        | access.of(Type.OTHER))
                .clearAcl();
        if (access.isExtended()) {
            access.permissions.forEach((subject, permission) -> {
                boolean named = !subject.name().isEmpty();
                if (named || subject.type() == Type.GROUP) {
                    attributes.addAcl(entry(subject, permission, false));
                }
            });
        }
        storeDefaults(attributes);
    }

    private void storeDefaults(Attributes.Builder attributes) {
        Integer mask = defaults.mask;
        for (Map.Entry<Subject, Integer> entry : defaults.permissions.entrySet()) {
            if (entry.getKey().type() == Type.OTHER && mask != null) {
                attributes.addAcl(entry(new Subject(Type.MASK, ""), mask, true));
            }
            attributes.addAcl(entry(entry.getKey(), entry.getValue(), true));
        }
    }

    private static AclEntry entry(Subject subject, int permission, boolean defaultScope) {
        return AclEntry.newBuilder()
                .setType(subject.type())
                .setName(subject.name())
                .setPermission(permission)
                .setDefaultScope(defaultScope)
                .build();
    }

    private static Subject subject(AclEntry entry) {
        return new Subject(entry.getType(), entry.getName());
    }

    private Scope scopeOf(AclEntry entry) {
        return entry.getDefaultScope() ? defaults : access;
    }

    /** A scope that the new entries do not name keeps what it has. */
    private void replace(List<AclEntry> entries) {
        if (entries.stream().anyMatch(entry -> !entry.getDefaultScope())) {
            access.clear();
        }
        if (entries.stream().anyMatch(AclEntry::getDefaultScope)) {
            defaults.clear();
        }
        for (AclEntry entry : entries) {
            scopeOf(entry).put(entry);
        }
    }

    /** The mask leaves with the named entries, and the owning group has its own permission again. */
    private void removeAll() {
        access.permissions.keySet().removeIf(subject -> !subject.name().isEmpty());
        access.mask = null;
        defaults.clear();
    }

    private void complete() throws TatamiException {
        if (!defaults.permissions.isEmpty()) {
            for (Type type : REQUIRED) {
                Integer permission = access.permissions.get(new Subject(type, ""));
                if (permission != null) {
                    defaults.permissions.putIfAbsent(new Subject(type, ""), permission);
                }
            }
        }
        completeMask(access);
        completeMask(defaults);
        checkScope(access, "the user, group and other entries are required.");
        if (!defaults.permissions.isEmpty()) {
            checkScope(defaults, "the user, group and other entries of a default ACL are required.");
        }
    }

    private static void completeMask(Scope scope) throws TatamiException {
        boolean named = scope.permissions.keySet().stream()
                .anyMatch(subject -> !subject.name().isEmpty());
        if (scope.permissions.isEmpty()) {
            scope.mask = null;
        } else if (scope.mask == null && named && scope.maskChanged) {
            throw invalid("the mask is required and cannot be removed.");
        } else if (scope.mask == null) {
            scope.mask = named ? union(scope) : null;
        } else if (scope.changed && !scope.maskChanged) {
            // As in HDFS, a mask stays when the entries go that it was made for.
            scope.mask = union(scope);
        }
    }

    private static Integer union(Scope scope) {
        int union = 0;
        for (Map.Entry<Subject, Integer> entry : scope.permissions.entrySet()) {
            if (entry.getKey().type() == Type.GROUP || !entry.getKey().name().isEmpty()) {
                union |= entry.getValue();
            }
        }
        return union;
    }

    private static void checkScope(Scope scope, String requirement) throws TatamiException {
        for (Type type : REQUIRED) {
            if (!scope.permissions.containsKey(new Subject(type, ""))) {
                throw invalid(requirement);
            }
        }
        if (scope.entries() > ENTRIES_MAX) {
            throw invalid("it has " + scope.entries() + " entries of one scope, more than " + ENTRIES_MAX + ".");
        }
    }

    private static List<AclEntry> validated(List<AclEntry> entries) throws TatamiException {
        checkSizes(entries);
        AccessControlList seen = new AccessControlList();
        for (AclEntry entry : entries) {
            boolean nameless = entry.getType() == Type.MASK || entry.getType() == Type.OTHER;
            if (nameless && !entry.getName().isEmpty()) {
                throw invalid("an entry of type " + entry.getType() + " must not have a name.");
            }
            if (entry.getType() == Type.UNRECOGNIZED || (entry.getPermission() & ~7) != 0) {
                throw invalid("an entry's type or permission is not known.");
            }
            int before = seen.scopeOf(entry).entries();
            seen.scopeOf(entry).put(entry);
            if (seen.scopeOf(entry).entries() == before) {
                throw invalid("multiple entries with the same scope, type and name.");
            }
        }
        return entries;
    }

    private static void checkSizes(List<AclEntry> entries) throws TatamiException {
        long ofDefault = entries.stream().filter(AclEntry::getDefaultScope).count();
        if (ofDefault > ENTRIES_MAX || entries.size() - ofDefault > ENTRIES_MAX) {
            throw invalid("more than " + ENTRIES_MAX + " entries of one scope were given.");
        }
        if (entries.stream().anyMatch(entry -> AttributeChanges.isTooLong(entry.getName()))) {
            throw invalid("a name has more than " + AttributeChanges.NAME_CHARACTERS_MAX + " characters.");
        }
    }

    private static TatamiException invalid(String what) {
        return new TatamiException(ErrorCode.INVALID_ARGUMENT, "Invalid ACL: " + what);
    }
}
