package io.tatami.hadoop.random;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.hadoop.fs.permission.AclEntry;
import org.apache.hadoop.fs.permission.AclEntryScope;
import org.apache.hadoop.fs.permission.AclEntryType;
import org.apache.hadoop.fs.permission.FsAction;
import org.apache.hadoop.hdfs.protocol.AclException;
import org.jspecify.annotations.Nullable;

/**
 * All that the model knows of who may access something: the whole list, of which owner, group or mask, and others are
 * what a mode shows. Never changed: a change makes another.
 */
final class AccessList {
    private static final EnumSet<AclEntryType> REQUIRED =
            EnumSet.of(AclEntryType.USER, AclEntryType.GROUP, AclEntryType.OTHER);

    private final TreeMap<Key, FsAction> entries;

    /** Whom an entry concerns; in the order in which HDFS lists them. */
    record Key(AclEntryScope scope, AclEntryType type, String name) implements Comparable<Key> {
        private static final Comparator<Key> ORDER =
                Comparator.comparing(Key::scope).thenComparing(Key::type).thenComparing(Key::name);

        static Key of(AclEntry entry) {
            @Nullable String name = entry.getName();
            return new Key(entry.getScope(), entry.getType(), name == null ? "" : name);
        }

        boolean isNamed() {
            return !name.isEmpty();
        }

        @Override
        public int compareTo(Key other) {
            return ORDER.compare(this, other);
        }
    }

    private AccessList(TreeMap<Key, FsAction> entries) {
        this.entries = entries;
    }

    /** @param mode without the sticky bit */
    static AccessList ofMode(int mode) {
        AccessList list = new AccessList(new TreeMap<>());
        list.put(AclEntryScope.ACCESS, AclEntryType.USER, action(mode >> 6));
        list.put(AclEntryScope.ACCESS, AclEntryType.GROUP, action(mode >> 3));
        list.put(AclEntryScope.ACCESS, AclEntryType.OTHER, action(mode));
        return list;
    }

    /** The list after the mode was set: where there is a mask, the group's bits are the mask's. */
    AccessList withMode(int mode) {
        AccessList list = new AccessList(new TreeMap<>(entries));
        list.put(AclEntryScope.ACCESS, AclEntryType.USER, action(mode >> 6));
        list.put(AclEntryScope.ACCESS, groupBits(), action(mode >> 3));
        list.put(AclEntryScope.ACCESS, AclEntryType.OTHER, action(mode));
        return list;
    }

    /**
     * The list of something new below this one's bearer, of which this one's default entries decide.
     *
     * @param mode what its maker asked for, before any umask
     */
    AccessList inheritedBy(boolean directory, int mode) {
        AccessList child = new AccessList(new TreeMap<>());
        entries.forEach((key, permission) -> {
            if (key.scope() == AclEntryScope.DEFAULT) {
                child.entries.put(new Key(AclEntryScope.ACCESS, key.type(), key.name()), permission);
                if (directory) {
                    child.entries.put(key, permission);
                }
            }
        });
        child.limit(AclEntryType.USER, action(mode >> 6));
        child.limit(child.groupBits(), action(mode >> 3));
        child.limit(AclEntryType.OTHER, action(mode));
        return child;
    }

    private void limit(AclEntryType type, FsAction most) {
        put(AclEntryScope.ACCESS, type, of(type).and(most));
    }

    int mode() {
        return of(AclEntryType.USER).ordinal() << 6
                | of(groupBits()).ordinal() << 3
                | of(AclEntryType.OTHER).ordinal();
    }

    boolean hasMask() {
        return entries.containsKey(new Key(AclEntryScope.ACCESS, AclEntryType.MASK, ""));
    }

    boolean hasDefaults() {
        return entries.keySet().stream().anyMatch(key -> key.scope() == AclEntryScope.DEFAULT);
    }

    /** Whether there is more in it than a mode. */
    boolean isExtended() {
        return hasMask() || hasDefaults();
    }

    /** What is in it beside the mode. */
    List<AclEntry> told() {
        List<AclEntry> told = new ArrayList<>();
        entries.forEach((key, permission) -> {
            boolean inMode = key.scope() == AclEntryScope.ACCESS
                    && !key.isNamed()
                    && !(hasMask() && key.type() == AclEntryType.GROUP);
            if (!inMode) {
                AclEntry.Builder entry = new AclEntry.Builder()
                        .setScope(key.scope())
                        .setType(key.type())
                        .setPermission(permission);
                told.add((key.isNamed() ? entry.setName(key.name()) : entry).build());
            }
        });
        return told;
    }

    /**
     * Whether the list lets {@code caller} do all of {@code wanted} with what belongs to {@code owner} and
     * {@code group}.
     */
    boolean allows(Caller caller, String owner, String group, FsAction wanted) {
        if (caller.name().equals(owner)) {
            return of(AclEntryType.USER).implies(wanted);
        }
        FsAction mask = hasMask() ? of(AclEntryType.MASK) : FsAction.ALL;
        FsAction asUser = entries.get(new Key(AclEntryScope.ACCESS, AclEntryType.USER, caller.name()));
        if (asUser != null) {
            return asUser.and(mask).implies(wanted);
        }
        boolean member = false;
        for (Map.Entry<Key, FsAction> entry : entries.entrySet()) {
            Key key = entry.getKey();
            boolean concerned = key.scope() == AclEntryScope.ACCESS
                    && key.type() == AclEntryType.GROUP
                    && caller.groups().contains(key.isNamed() ? key.name() : group);
            if (concerned && entry.getValue().and(mask).implies(wanted)) {
                return true;
            }
            member |= concerned;
        }
        return !member && of(AclEntryType.OTHER).implies(wanted);
    }

    AccessList modified(List<AclEntry> spec) throws AclException {
        Change change = new Change(entries);
        spec.forEach(change::put);
        return change.completed();
    }

    /** Scopes that {@code spec} does not name stay as they are. */
    AccessList replaced(List<AclEntry> spec) throws AclException {
        Change change = new Change(entries);
        spec.forEach(entry -> change.clear(entry.getScope()));
        spec.forEach(change::put);
        return change.completed();
    }

    AccessList without(List<AclEntry> spec) throws AclException {
        Change change = new Change(entries);
        spec.forEach(change::remove);
        return change.completed();
    }

    AccessList withoutDefaults() {
        TreeMap<Key, FsAction> kept = new TreeMap<>(entries);
        kept.keySet().removeIf(key -> key.scope() == AclEntryScope.DEFAULT);
        return new AccessList(kept);
    }

    /** The owning group has its own permission again, which the mask may have limited. */
    AccessList minimal() {
        TreeMap<Key, FsAction> kept = new TreeMap<>(entries);
        kept.keySet()
                .removeIf(key ->
                        key.scope() == AclEntryScope.DEFAULT || key.isNamed() || key.type() == AclEntryType.MASK);
        return new AccessList(kept);
    }

    private AclEntryType groupBits() {
        return hasMask() ? AclEntryType.MASK : AclEntryType.GROUP;
    }

    private FsAction of(AclEntryType type) {
        return entries.getOrDefault(new Key(AclEntryScope.ACCESS, type, ""), FsAction.NONE);
    }

    private void put(AclEntryScope scope, AclEntryType type, FsAction permission) {
        entries.put(new Key(scope, type, ""), permission);
    }

    private static FsAction action(int bits) {
        return FsAction.values()[bits & 7];
    }

    /** A change under way, and which parts of the list it has touched. */
    private static final class Change {
        private final TreeMap<Key, FsAction> entries;
        private final EnumSet<AclEntryScope> touched = EnumSet.noneOf(AclEntryScope.class);
        private final EnumSet<AclEntryScope> maskTouched = EnumSet.noneOf(AclEntryScope.class);

        Change(TreeMap<Key, FsAction> before) {
            entries = new TreeMap<>(before);
        }

        void put(AclEntry entry) {
            touch(Key.of(entry));
            entries.put(Key.of(entry), entry.getPermission());
        }

        void remove(AclEntry entry) {
            if (entries.remove(Key.of(entry)) != null) {
                touch(Key.of(entry));
            }
        }

        void clear(AclEntryScope scope) {
            entries.keySet().removeIf(key -> key.scope() == scope);
        }

        private void touch(Key key) {
            touched.add(key.scope());
            if (key.type() == AclEntryType.MASK) {
                maskTouched.add(key.scope());
            }
        }

        AccessList completed() throws AclException {
            copyDefaults();
            for (AclEntryScope scope : AclEntryScope.values()) {
                completeMask(scope);
            }
            requireBasis(AclEntryScope.ACCESS);
            if (has(AclEntryScope.DEFAULT)) {
                requireBasis(AclEntryScope.DEFAULT);
            }
            return new AccessList(entries);
        }

        /** What default entries lack is taken from the others. */
        private void copyDefaults() {
            if (!has(AclEntryScope.DEFAULT)) {
                return;
            }
            for (AclEntryType type : REQUIRED) {
                FsAction access = entries.get(new Key(AclEntryScope.ACCESS, type, ""));
                if (access != null) {
                    entries.putIfAbsent(new Key(AclEntryScope.DEFAULT, type, ""), access);
                }
            }
        }

        private void completeMask(AclEntryScope scope) throws AclException {
            Key mask = new Key(scope, AclEntryType.MASK, "");
            boolean present = entries.containsKey(mask);
            boolean needed = entries.keySet().stream().anyMatch(key -> key.scope() == scope && key.isNamed());
            if (!has(scope)) {
                entries.remove(mask);
            } else if (!present && needed && maskTouched.contains(scope)) {
                throw new AclException("a mask that is needed was removed");
            } else if (present ? touched.contains(scope) && !maskTouched.contains(scope) : needed) {
                entries.put(mask, union(scope));
            }
        }

        private FsAction union(AclEntryScope scope) {
            FsAction union = FsAction.NONE;
            for (Map.Entry<Key, FsAction> entry : entries.entrySet()) {
                Key key = entry.getKey();
                if (key.scope() == scope && (key.isNamed() || key.type() == AclEntryType.GROUP)) {
                    union = union.or(entry.getValue());
                }
            }
            return union;
        }

        private boolean has(AclEntryScope scope) {
            return entries.keySet().stream().anyMatch(key -> key.scope() == scope && key.type() != AclEntryType.MASK);
        }

        private void requireBasis(AclEntryScope scope) throws AclException {
            for (AclEntryType type : REQUIRED) {
                if (!entries.containsKey(new Key(scope, type, ""))) {
                    throw new AclException("owner, group and others are required in scope " + scope);
                }
            }
        }
    }
}
