package io.tatami.meta.op;

import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.meta.state.Caller;
import io.tatami.meta.state.RequestContext;
import io.tatami.protocol.wire.AttributeChange;
import io.tatami.protocol.wire.Attributes;
import io.tatami.protocol.wire.CreateModes;

/**
 * What may be changed about a file or directory, by whom, and what comes out: the rules of HDFS for mode, owner, times,
 * access control lists and extended attributes. Whether the caller may reach the path at all is checked by who calls.
 */
public final class AttributeChanges {
    /** The mode bits that are kept: permissions and the sticky bit. */
    static final int MODE_BITS = 01777;

    /** Of a user or a group, wherever attributes name one. */
    static final int NAME_CHARACTERS_MAX = 255;

    private AttributeChanges() {}

    static boolean isTooLong(String userOrGroup) {
        return userOrGroup.length() > NAME_CHARACTERS_MAX;
    }

    /**
     * The attributes after the change. A change of replication is only checked: the number is not among the attributes.
     *
     * @throws TatamiException PERMISSION_DENIED; INVALID_ARGUMENT where the result would not be allowed for anybody;
     *     IS_A_DIRECTORY for replication of a directory
     */
    public static Attributes apply(Caller caller, Attributes current, Subject subject, AttributeChange change)
            throws TatamiException {
        if (isTooLong(change.getOwner()) || isTooLong(change.getGroup())) {
            throw new TatamiException(
                    ErrorCode.INVALID_ARGUMENT,
                    "the name of a user or group has more than " + NAME_CHARACTERS_MAX + " characters");
        }
        requireAllowed(caller, current, subject, change);
        Attributes.Builder changed = current.toBuilder();
        if (change.hasMode()) {
            changed.setMode(change.getMode() & MODE_BITS);
        }
        if (change.hasOwner()) {
            changed.setOwner(change.getOwner());
        }
        if (change.hasGroup()) {
            changed.setGroup(change.getGroup());
        }
        if (change.hasModifiedMillis()) {
            changed.setModifiedMillis(change.getModifiedMillis());
        }
        if (change.hasAccessedMillis()) {
            changed.setAccessedMillis(change.getAccessedMillis());
        }
        if (change.hasAcl()) {
            AccessControlList list = AccessControlList.of(current);
            list.change(change.getAcl());
            list.storeIn(changed, subject.directory());
        }
        if (change.hasXattr()) {
            ExtendedAttributes.apply(change.getXattr(), changed);
        }
        return changed.build();
    }

    /**
     * The attributes of something new in a directory: owned by the caller, of the parent's group, with the parent's
     * default access control list where it has one and else the mode with the umask applied.
     */
    public static Attributes inherit(RequestContext context, Attributes parent, CreateModes modes, boolean directory) {
        Attributes.Builder child = Attributes.newBuilder()
                .setOwner(context.caller().user())
                .setGroup(parent.getGroup())
                .setModifiedMillis(context.nowMillis())
                .setAccessedMillis(directory ? 0 : context.nowMillis());
        AccessControlList.inherit(parent, modes, directory, child);
        return child.build();
    }

    private static void requireAllowed(Caller caller, Attributes current, Subject subject, AttributeChange change)
            throws TatamiException {
        if (change.hasMode() || change.hasOwner() || change.hasGroup() || change.hasAcl()) {
            Access.requireOwner(caller, current, subject);
        }
        if (!caller.superuser()) {
            if (change.hasOwner() && !change.getOwner().equals(caller.user())) {
                throw denied("User " + caller.user() + " is not a super user (non-super user cannot change owner).");
            }
            if (change.hasGroup() && !caller.isMemberOf(change.getGroup())) {
                throw denied("User " + caller.user() + " does not belong to " + change.getGroup());
            }
        }
        if (change.hasModifiedMillis() || change.hasAccessedMillis() || change.hasReplication()) {
            Access.require(caller, current, Access.WRITE, subject);
        }
        if (change.hasReplication() && subject.directory()) {
            throw new TatamiException(ErrorCode.IS_A_DIRECTORY, subject.told() + " is a directory");
        }
        if (change.hasXattr()) {
            ExtendedAttributes.requireAllowed(caller, current, subject, change.getXattr());
        }
    }

    private static TatamiException denied(String message) {
        return new TatamiException(ErrorCode.PERMISSION_DENIED, message);
    }
}
