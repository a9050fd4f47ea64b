package io.tatami.meta.op;

import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.meta.state.Caller;
import io.tatami.protocol.wire.AttributeChange.XAttrChange;
import io.tatami.protocol.wire.Attributes;
import io.tatami.protocol.wire.XAttr;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Extended attributes by the rules of HDFS: users set what begins with {@code user.}, the superuser also what begins
 * with {@code trusted.}; the other name spaces belong to the file system, which uses none of them yet.
 */
public final class ExtendedAttributes {
    private static final int COUNT_MAX = 32;
    private static final int SIZE_BYTES_MAX = 16_384;
    private static final String USER = "user.";
    private static final String TRUSTED = "trusted.";

    private ExtendedAttributes() {}

    /** Whether {@code caller} may know of the attribute, given that he may read what it belongs to. */
    private static boolean isVisible(Caller caller, XAttr attribute) {
        return attribute.getName().startsWith(USER)
                || (caller.superuser() && attribute.getName().startsWith(TRUSTED));
    }

    /** The attributes without those that {@code caller} may not see: none where he may not read their bearer. */
    public static Attributes visibleTo(Caller caller, Attributes attributes) {
        if (attributes.getXattrCount() == 0) {
            return attributes;
        }
        Attributes.Builder visible = attributes.toBuilder().clearXattr();
        if (Access.allows(caller, attributes, Access.READ)) {
            attributes.getXattrList().stream()
                    .filter(attribute -> isVisible(caller, attribute))
                    .forEach(visible::addXattr);
        }
        return visible.build();
    }

    /** @throws TatamiException PERMISSION_DENIED, or INVALID_ARGUMENT for a name without a name space */
    static void requireAllowed(Caller caller, Attributes bearer, Subject subject, XAttrChange change)
            throws TatamiException {
        String name = change.getXattr().getName();
        int dot = name.indexOf('.');
        if (dot <= 0 || dot == name.length() - 1) {
            throw refused("the name of an extended attribute is a name space, a dot and a name: " + name);
        }
        if (!isVisible(caller, change.getXattr())) {
            throw new TatamiException(ErrorCode.PERMISSION_DENIED, "User doesn't have permission for xattr: " + name);
        }
        if (!name.startsWith(USER)) {
            return;
        }
        if (subject.directory() && (bearer.getMode() & Access.STICKY) != 0) {
            Access.requireOwner(caller, bearer, subject);
        } else {
            Access.require(caller, bearer, Access.WRITE, subject);
        }
    }

    /**
     * @throws TatamiException INVALID_ARGUMENT where the attribute is there, is not there, is too large or one too many
     */
    static void apply(XAttrChange change, Attributes.Builder bearer) throws TatamiException {
        XAttr attribute = change.getXattr();
        Integer index = indexOf(bearer, attribute.getName());
        if (change.getRemove()) {
            if (index == null) {
                throw refused("No matching attributes found for remove operation");
            }
            bearer.removeXattr(index);
            return;
        }
        checkSize(attribute);
        if (index == null) {
            if (change.getReplaceOnly() && !change.getCreateOnly()) {
                throw refused("XAttr: " + attribute.getName() + " does not exist. The CREATE flag must be specified.");
            }
            if (bearer.getXattrCount() >= COUNT_MAX) {
                throw refused("Cannot add additional XAttr to inode, would exceed limit of " + COUNT_MAX);
            }
            bearer.addXattr(attribute);
        } else {
            if (change.getCreateOnly() && !change.getReplaceOnly()) {
                throw refused("XAttr: " + attribute.getName() + " already exists. The REPLACE flag must be specified.");
            }
            bearer.setXattr(index, attribute);
        }
    }

    /** The name counts without its name space, as in HDFS. */
    private static void checkSize(XAttr attribute) throws TatamiException {
        String name = attribute.getName().substring(attribute.getName().indexOf('.') + 1);
        int sizeBytes = name.getBytes(StandardCharsets.UTF_8).length
                + attribute.getValue().size();
        if (sizeBytes > SIZE_BYTES_MAX) {
            throw refused("The XAttr is too big: name and value have " + sizeBytes + " bytes, at most " + SIZE_BYTES_MAX
                    + " are allowed");
        }
    }

    private static @Nullable Integer indexOf(Attributes.Builder bearer, String name) {
        for (int i = 0; i < bearer.getXattrCount(); i++) {
            if (bearer.getXattr(i).getName().equals(name)) {
                return i;
            }
        }
        return null;
    }

    private static TatamiException refused(String message) {
        return new TatamiException(ErrorCode.INVALID_ARGUMENT, message);
    }
}
