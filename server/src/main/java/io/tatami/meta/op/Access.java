package io.tatami.meta.op;

import io.tatami.base.Denial;
import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.meta.state.Caller;
import io.tatami.protocol.wire.AclEntry;
import io.tatami.protocol.wire.Attributes;

/**
 * Who may do what, by the rules of HDFS: the first of owner, group and other that matches decides; with an ACL the
 * order is owner, named user, any granting group, other, and the mask (kept in the group bits) limits all but the first
 * and the last. The superuser may do everything.
 */
public final class Access {
    public static final int READ = Denial.READ;
    public static final int WRITE = Denial.WRITE;
    public static final int EXECUTE = Denial.EXECUTE;

    /** The sticky bit: in such a directory only owners delete and rename. */
    public static final int STICKY = Denial.STICKY;

    private Access() {}

    /** Whether {@code caller} has all of the {@code wanted} bits on something with these attributes. */
    public static boolean allows(Caller caller, Attributes attributes, int wanted) {
        if (caller.superuser()) {
            return true;
        }
        int mode = attributes.getMode();
        if (caller.user().equals(attributes.getOwner())) {
            return covers(mode >> 6, wanted);
        }
        if (hasAccessAcl(attributes)) {
            return allowsByAcl(caller, attributes, wanted);
        }
        return covers(caller.isMemberOf(attributes.getGroup()) ? mode >> 3 : mode, wanted);
    }

    /**
     * Every access that {@code caller} has: bit n stands for the access n, the sum of its bits. Not the same as its
     * bits one by one, as one group may grant reading and another writing, and none both.
     */
    public static int granted(Caller caller, Attributes attributes) {
        int granted = 0;
        for (int wanted = 0; wanted <= (READ | WRITE | EXECUTE); wanted++) {
            if (allows(caller, attributes, wanted)) {
                granted |= 1 << wanted;
            }
        }
        return granted;
    }

    /** @throws TatamiException PERMISSION_DENIED, in the words users know from HDFS */
    public static void require(Caller caller, Attributes attributes, int wanted, Subject what) throws TatamiException {
        if (!allows(caller, attributes, wanted)) {
            throw denied(
                    what, what, new Denial.AccessRefused(caller.user(), wanted, inode(attributes, what.directory())));
        }
    }

    /** @throws TatamiException PERMISSION_DENIED unless the caller is the owner or the superuser */
    static void requireOwner(Caller caller, Attributes attributes, Subject what) throws TatamiException {
        if (!caller.superuser() && !caller.user().equals(attributes.getOwner())) {
            throw denied(what, what, new Denial.OwnerOnly(caller.user()));
        }
    }

    /** @throws TatamiException PERMISSION_DENIED unless the caller is the superuser */
    public static void requireSuperuser(Caller caller, String action) throws TatamiException {
        if (!caller.superuser()) {
            throw new TatamiException(
                    ErrorCode.PERMISSION_DENIED,
                    "Access denied for user " + caller.user() + ". Superuser privilege is required to " + action);
        }
    }

    /**
     * @throws TatamiException PERMISSION_DENIED where {@code parent} is sticky and the caller owns neither it nor the
     *     entry to be deleted or renamed
     */
    public static void requireSticky(
            Caller caller, Attributes parent, Subject parentSubject, Attributes entry, Subject entrySubject)
            throws TatamiException {
        boolean sticky = (parent.getMode() & STICKY) != 0;
        if (sticky
                && !caller.superuser()
                && !caller.user().equals(parent.getOwner())
                && !caller.user().equals(entry.getOwner())) {
            throw denied(
                    entrySubject,
                    parentSubject,
                    new Denial.StickyBit(caller.user(), inode(entry, entrySubject.directory()), inode(parent, true)));
        }
    }

    /** Whether entries of access scope stand in the list, so that the group bits of the mode are a mask. */
    static boolean hasAccessAcl(Attributes attributes) {
        for (AclEntry entry : attributes.getAclList()) {
            if (!entry.getDefaultScope()) {
                return true;
            }
        }
        return false;
    }

    private static boolean allowsByAcl(Caller caller, Attributes attributes, int wanted) {
        int mask = attributes.getMode() >> 3;
        boolean groupMatched = false;
        for (AclEntry entry : attributes.getAclList()) {
            if (entry.getDefaultScope()) {
                continue;
            }
            int permission = entry.getPermission() & mask;
            if (entry.getType() == AclEntry.Type.USER && caller.user().equals(entry.getName())) {
                return covers(permission, wanted);
            }
            if (entry.getType() == AclEntry.Type.GROUP) {
                String group = entry.getName().isEmpty() ? attributes.getGroup() : entry.getName();
                if (caller.isMemberOf(group)) {
                    if (covers(permission, wanted)) {
                        return true;
                    }
                    groupMatched = true;
                }
            }
        }
        return !groupMatched && covers(attributes.getMode(), wanted);
    }

    private static boolean covers(int bits, int wanted) {
        return (bits & wanted) == wanted;
    }

    private static TatamiException denied(Subject what, Subject parent, Denial why) {
        return new TatamiException(
                ErrorCode.PERMISSION_DENIED, why.message(what.told(), parent.told()), what.what(), why, null);
    }

    private static Denial.Inode inode(Attributes attributes, boolean directory) {
        return new Denial.Inode(attributes.getOwner(), attributes.getGroup(), attributes.getMode(), directory);
    }
}
