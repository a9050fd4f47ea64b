package io.tatami.hadoop.random;

import io.tatami.hadoop.random.ModelNode.ModelDirectory;
import io.tatami.hadoop.random.ModelNode.ModelFile;
import io.tatami.hadoop.random.ModelNode.ModelLink;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.apache.hadoop.fs.FileAlreadyExistsException;
import org.apache.hadoop.fs.PathIsNotEmptyDirectoryException;
import org.apache.hadoop.fs.permission.FsAction;

/**
 * The model of what is in a file system: names, and how they come, move and go, in the way that HDFS documents and does
 * it. Times are recent wherever something was put, taken or written. Used by one thread.
 */
final class ModelTree {
    private static final int UMASK = 022;
    private static final int PERMISSION_BITS = 0777;
    private static final int OWNER_WRITE_EXECUTE = 0300;

    final ModelDirectory root;

    /** @param root the one that the whole cluster has, which belongs to the superuser */
    ModelTree(ModelDirectory root) {
        this.root = root;
    }

    Walk walk(Caller caller, String path, Walk.Purpose purpose) throws IOException {
        return Walk.along(root, caller, path, purpose);
    }

    void mkdirs(Caller caller, String path, int mode, boolean parents) throws IOException {
        Walk walk = walk(caller, path, Walk.Purpose.CREATE);
        if (walk.last() instanceof ModelFile) {
            throw new FileAlreadyExistsException(path + " is a file");
        }
        if (walk.last() != null) {
            return;
        }
        walk.requireAddable();
        if (!parents) {
            walk.requireParentDirectory();
        }
        int masked = mode & PERMISSION_BITS & ~UMASK;
        ModelDirectory above = ancestors(caller, walk, masked | OWNER_WRITE_EXECUTE, mode);
        put(above, walk.name(), newDirectory(caller, above, masked, mode));
    }

    ModelFile create(Caller caller, String path, Subject.Creation how) throws IOException {
        Walk walk = walk(caller, path, Walk.Purpose.CREATE);
        walk.requireAddable();
        if (walk.last() instanceof ModelDirectory) {
            throw new FileAlreadyExistsException(path + " is a directory");
        }
        if (walk.last() != null && how.overwrite()) {
            walk.require(FsAction.WRITE);
        } else if (walk.last() != null) {
            throw new FileAlreadyExistsException(path + " is there");
        } else if (!how.parents()) {
            walk.requireParentDirectory();
        }
        ModelDirectory above = ancestorsAlike(caller, walk);
        ModelFile file = new ModelFile(
                caller.name(), above.group, inherited(above, how.mode() & ~UMASK, how.mode(), false), how);
        file.sticky = above.acl.hasDefaults() && (how.mode() & ModelNode.STICKY) != 0;
        put(above, walk.name(), file);
        return file;
    }

    void symlink(Caller caller, String target, String path, boolean parents) throws IOException {
        Walk walk = walk(caller, path, Walk.Purpose.WRITE_LINK);
        if (!parents) {
            walk.requireParentDirectory();
        }
        if (walk.last() != null) {
            throw new IOException(path + " is there");
        }
        walk.requireAddable();
        ModelDirectory above = ancestorsAlike(caller, walk);
        put(above, walk.name(), new ModelLink(caller.name(), above.group, target));
    }

    boolean delete(Caller caller, String path, boolean recursive) throws IOException {
        Walk walk = walk(caller, path, Walk.Purpose.WRITE_LINK);
        walk.requireRemovable();
        walk.requireDeletable();
        if (!recursive && walk.last() instanceof ModelDirectory directory && !directory.children.isEmpty()) {
            throw new PathIsNotEmptyDirectoryException(path);
        }
        if (walk.last() == null) {
            return false;
        }
        take(walk);
        return true;
    }

    boolean rename(Caller caller, String source, String destination) throws IOException {
        Walk from = walk(caller, source, Walk.Purpose.WRITE_LINK);
        Walk to = walk(caller, destination, Walk.Purpose.CREATE_LINK);
        if (to.last() instanceof ModelDirectory) {
            to = to.below(from.name());
        }
        from.requireRemovable();
        to.requireTraversableParent();
        to.requireAddable();
        if (from.last() == null) {
            return false;
        }
        if (to.path().equals(from.path())) {
            return true;
        }
        boolean possible = !isOntoTarget(from, to)
                && !to.path().startsWith(from.path() + "/")
                && to.last() == null
                && to.parent() instanceof ModelDirectory;
        if (possible) {
            move(from, to);
        }
        return possible;
    }

    void renameStrictly(Caller caller, String source, String destination, boolean overwrite) throws IOException {
        Walk from = walk(caller, source, Walk.Purpose.WRITE_LINK);
        Walk to = walk(caller, destination, Walk.Purpose.CREATE_LINK);
        from.requireRemovable();
        to.requireAddable();
        from.present();
        if (to.path().equals(from.path()) || isOntoTarget(from, to)) {
            throw new FileAlreadyExistsException(destination + " is the source or what it leads to");
        }
        if (to.path().startsWith(from.path() + "/")) {
            throw new IOException(destination + " is below " + source);
        }
        requireReplaceable(from, to, overwrite);
        if (to.isKeptBySticky()) {
            throw new Deviations.Avoided("HDFS lets anybody replace what he may not delete");
        }
        if (to.parent() == null) {
            throw new FileNotFoundException("there is no parent of " + destination);
        }
        move(from, to);
    }

    private static void requireReplaceable(Walk from, Walk to, boolean overwrite) throws IOException {
        ModelNode there = to.last();
        if (there == null) {
            return;
        }
        if (there instanceof ModelDirectory != from.last() instanceof ModelDirectory) {
            throw new IOException("only one of the two is a directory");
        }
        if (!overwrite) {
            throw new FileAlreadyExistsException(to.path() + " is there");
        }
        if (there instanceof ModelDirectory directory && !directory.children.isEmpty()) {
            throw new IOException(to.path() + " is not empty");
        }
    }

    private static boolean isOntoTarget(Walk from, Walk to) {
        return from.last() instanceof ModelLink link && link.target.equals(to.path());
    }

    private static void move(Walk from, Walk to) {
        ModelNode node = take(from);
        put(to.parentDirectory(), to.name(), node);
    }

    private static ModelNode take(Walk walk) {
        ModelDirectory parent = walk.parentDirectory();
        parent.modifiedMillis = Told.RECENT_MILLIS;
        return Objects.requireNonNull(parent.children.remove(walk.name()));
    }

    /** Takes away a file whose blocks are another's now. */
    static void remove(ModelDirectory parent, ModelNode child) {
        parent.children.values().remove(child);
        parent.modifiedMillis = Told.RECENT_MILLIS;
    }

    private static void put(ModelDirectory parent, String name, ModelNode node) {
        parent.children.put(name, node);
        parent.modifiedMillis = Told.RECENT_MILLIS;
    }

    /** Makes the directories missing above a file or link, each with the mode of the deepest that is there. */
    private static ModelDirectory ancestorsAlike(Caller caller, Walk walk) {
        int mode = (walk.ancestor().mode() & PERMISSION_BITS) | OWNER_WRITE_EXECUTE;
        requirePassable(caller, walk, mode);
        return ancestors(caller, walk, mode, mode);
    }

    /**
     * HDFS puts something into a directory just made even where its maker has no right to, by default entries above.
     */
    private static void requirePassable(Caller caller, Walk walk, int mode) {
        ModelDirectory above = walk.ancestor();
        for (int made = 1; made < walk.missing().size(); made++) {
            above = newDirectory(caller, above, mode, mode);
            if (!caller.superuser() && !above.acl.allows(caller, above.owner, above.group, FsAction.WRITE_EXECUTE)) {
                throw new Deviations.Avoided("a parent made on the way into which its maker may not put anything");
            }
        }
    }

    private static ModelDirectory ancestors(Caller caller, Walk walk, int masked, int unmasked) {
        ModelDirectory above = walk.ancestor();
        List<String> missing = new ArrayList<>(walk.missing());
        for (String name : missing.subList(0, missing.size() - 1)) {
            ModelDirectory made = newDirectory(caller, above, masked, unmasked);
            put(above, name, made);
            above = made;
        }
        return above;
    }

    /** @param unmasked counts in place of the other where the parent has a default list */
    private static ModelDirectory newDirectory(Caller caller, ModelDirectory parent, int masked, int unmasked) {
        ModelDirectory made =
                new ModelDirectory(caller.name(), parent.group, inherited(parent, masked, unmasked, true));
        made.sticky = parent.acl.hasDefaults() && (unmasked & ModelNode.STICKY) != 0;
        return made;
    }

    private static AccessList inherited(ModelDirectory parent, int masked, int unmasked, boolean directory) {
        return parent.acl.hasDefaults()
                ? parent.acl.inheritedBy(directory, unmasked)
                : AccessList.ofMode(masked & PERMISSION_BITS);
    }
}
