package io.tatami.hadoop;

import java.io.IOException;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.permission.AclEntry;
import org.apache.hadoop.fs.permission.AclEntryScope;
import org.apache.hadoop.fs.permission.AclStatus;
import org.apache.hadoop.fs.permission.FsAction;
import org.apache.hadoop.security.AccessControlException;
import org.apache.hadoop.security.UserGroupInformation;

/**
 * {@link org.apache.hadoop.fs.FileSystem#access}: whether the current user may do something, told from a status. Only the
 * cluster's own check at the operation itself counts; this answers what it would most likely say.
 */
final class AccessCheck {
    private AccessCheck() {}

    /** @throws AccessControlException where the user may not */
    static void require(FileStatus status, AclStatus acl, FsAction mode) throws IOException {
        UserGroupInformation user = UserGroupInformation.getCurrentUser();
        if (!allowed(user, status, acl).implies(mode)) {
            throw new AccessControlException("Permission denied: user=" + user.getShortUserName() + ", path=\""
                    + status.getPath() + "\":" + status.getOwner() + ":" + status.getGroup() + ":"
                    + (status.isDirectory() ? "d" : "-") + status.getPermission());
        }
    }

    private static FsAction allowed(UserGroupInformation user, FileStatus status, AclStatus acl) {
        String name = user.getShortUserName();
        if (name.equals(status.getOwner())) {
            return status.getPermission().getUserAction();
        }
        FsAction granted = FsAction.NONE;
        boolean matched = false;
        FsAction mask = status.getPermission().getGroupAction();
        boolean masked = acl.getEntries().stream().anyMatch(entry -> entry.getScope() == AclEntryScope.ACCESS);
        for (AclEntry entry : acl.getEntries()) {
            if (entry.getScope() != AclEntryScope.ACCESS) {
                continue;
            }
            switch (entry.getType()) {
                case USER -> {
                    if (name.equals(entry.getName())) {
                        return entry.getPermission().and(mask);
                    }
                }
                case GROUP -> {
                    String group = entry.getName() == null ? status.getGroup() : entry.getName();
                    if (user.getGroupsSet().contains(group)) {
                        granted = granted.or(entry.getPermission().and(mask));
                        matched = true;
                    }
                }
                case MASK, OTHER -> {}
            }
        }
        if (!masked && user.getGroupsSet().contains(status.getGroup())) {
            return mask;
        }
        return matched ? granted : status.getPermission().getOtherAction();
    }
}
