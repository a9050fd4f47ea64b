package io.tatami.hadoop.random;

import io.tatami.hadoop.random.ModelNode.ModelDirectory;
import io.tatami.hadoop.random.ModelNode.ModelFile;
import io.tatami.hadoop.random.ModelNode.ModelLink;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.apache.hadoop.fs.ParentNotDirectoryException;
import org.apache.hadoop.fs.permission.FsAction;
import org.apache.hadoop.security.AccessControlException;
import org.jspecify.annotations.Nullable;

/**
 * A path in the model's tree as far as it leads, walked by somebody, and HDFS's checks of what he may do there.
 * Messages of refusals begin as HDFS's do, which {@link Outcome} compares.
 */
final class Walk {
    /**
     * What is done at the end of the path, on which it depends how a file on the way and a link at the end are told.
     */
    enum Purpose {
        READ,
        READ_LINK,
        WRITE,
        WRITE_LINK,
        CREATE,
        CREATE_LINK;

        private boolean followsLast() {
            return this == READ || this == WRITE || this == CREATE;
        }

        private boolean isCreation() {
            return this == CREATE || this == CREATE_LINK;
        }
    }

    private final Caller caller;
    private final List<String> names;

    /** One for each directory above a name and one for the last name, null from where there is nothing. */
    private final List<@Nullable ModelNode> nodes;

    private Walk(Caller caller, List<String> names, List<@Nullable ModelNode> nodes) {
        this.caller = caller;
        this.names = names;
        this.nodes = nodes;
    }

    static Walk along(ModelDirectory root, Caller caller, String path, Purpose purpose) throws IOException {
        List<String> names = List.of(path.substring(1).split("/", -1));
        List<@Nullable ModelNode> nodes = new ArrayList<>();
        nodes.add(root);
        @Nullable ModelNode at = root;
        for (String name : names) {
            at = at instanceof ModelDirectory directory ? directory.children.get(name) : null;
            nodes.add(at);
        }
        Walk walk = new Walk(caller, names, nodes);
        walk.requireTraversable(purpose);
        return walk;
    }

    private void requireTraversable(Purpose purpose) throws IOException {
        for (int i = 0; i < names.size() && nodes.get(i) != null; i++) {
            if (nodes.get(i) instanceof ModelLink link) {
                throw new LinkMet(path(i - 1), link.target, String.join("/", names.subList(i, names.size())));
            }
            if (!(nodes.get(i) instanceof ModelDirectory)) {
                String message = path(i) + " (is not a directory)";
                throw purpose.isCreation()
                        ? new ParentNotDirectoryException(message)
                        : new AccessControlException(message);
            }
            require(nodes.get(i), FsAction.EXECUTE);
        }
        if (purpose.followsLast() && last() instanceof ModelLink link) {
            throw new LinkMet(path(names.size() - 1), link.target, "");
        }
    }

    /** The path was a link's or led through one. */
    static final class LinkMet extends IOException {
        private static final long serialVersionUID = 1;

        final String path;

        /** @param preceding the directory that the link is in */
        LinkMet(String preceding, String target, String rest) {
            super("link to " + target);
            String resolved = target.startsWith("/") ? target : preceding + "/" + target;
            this.path = rest.isEmpty() ? resolved : resolved + "/" + rest;
        }
    }

    /** This walk and one step more. */
    Walk below(String name) {
        List<String> longer = new ArrayList<>(names);
        longer.add(name);
        List<@Nullable ModelNode> more = new ArrayList<>(nodes);
        more.add(last() instanceof ModelDirectory directory ? directory.children.get(name) : null);
        return new Walk(caller, longer, more);
    }

    String path() {
        return path(names.size());
    }

    private String path(int length) {
        return length <= 0 ? "" : "/" + String.join("/", names.subList(0, length));
    }

    String name() {
        return names.get(names.size() - 1);
    }

    @Nullable
    ModelNode last() {
        return nodes.get(names.size());
    }

    @Nullable
    ModelNode parent() {
        return nodes.get(names.size() - 1);
    }

    /** The deepest directory above the last name. */
    ModelDirectory ancestor() {
        return (ModelDirectory) Objects.requireNonNull(nodes.get(ancestorIndex()));
    }

    private int ancestorIndex() {
        int index = names.size() - 1;
        while (nodes.get(index) == null) {
            index--;
        }
        return index;
    }

    /** The names from the deepest directory on, the last one included. */
    List<String> missing() {
        return names.subList(ancestorIndex(), names.size());
    }

    ModelDirectory parentDirectory() {
        return (ModelDirectory) Objects.requireNonNull(parent());
    }

    ModelNode present() throws FileNotFoundException {
        ModelNode last = last();
        if (last == null) {
            throw new FileNotFoundException("there is no " + path());
        }
        return last;
    }

    ModelFile file() throws FileNotFoundException {
        if (present() instanceof ModelFile file) {
            return file;
        }
        throw new FileNotFoundException(path() + " is no file");
    }

    void requireParentDirectory() throws IOException {
        if (parent() == null) {
            throw new FileNotFoundException("there is no parent of " + path());
        }
        if (!(parent() instanceof ModelDirectory)) {
            throw new ParentNotDirectoryException("the parent of " + path() + " is none");
        }
    }

    /** As for every directory on the way, of which this one may have been put {@link #below}. */
    void requireTraversableParent() throws AccessControlException {
        require(parent(), FsAction.EXECUTE);
    }

    /** For something that is to be added: WRITE on the deepest directory. */
    void requireAddable() throws AccessControlException {
        require(ancestor(), FsAction.WRITE);
    }

    /** For what is to be taken away: WRITE on the parent, and ownership where that is sticky. */
    void requireRemovable() throws AccessControlException {
        ModelNode parent = parent();
        ModelNode last = last();
        if (last != null && parent instanceof ModelDirectory directory) {
            requireSticky(directory, last);
        }
        require(parent, FsAction.WRITE);
    }

    /** Of whatever is at the end, if anything is. */
    void require(FsAction wanted) throws AccessControlException {
        require(last(), wanted);
    }

    void requireOwner() throws IOException {
        if (!caller.superuser() && !caller.name().equals(present().owner)) {
            throw new AccessControlException("Permission denied. user=" + caller + " is not the owner of inode");
        }
    }

    /** All permissions on each directory below that is not empty, and ownership of what is in sticky ones. */
    void requireDeletable() throws AccessControlException {
        List<ModelDirectory> full = new ArrayList<>();
        ModelNode last = last();
        if (last != null) {
            last.walk(path(), (path, node) -> {
                if (node instanceof ModelDirectory directory && !directory.children.isEmpty()) {
                    full.add(directory);
                }
            });
        }
        for (ModelDirectory directory : full) {
            require(directory, FsAction.ALL);
            for (ModelNode child : directory.children.values()) {
                requireSticky(directory, child);
            }
        }
    }

    void require(@Nullable ModelNode node, FsAction wanted) throws AccessControlException {
        if (node != null && !caller.superuser() && !node.acl.allows(caller, node.owner, node.group, wanted)) {
            throw new AccessControlException("Permission denied: user=" + caller + ", access=" + wanted + ", inode=");
        }
    }

    private void requireSticky(ModelDirectory parent, ModelNode child) throws AccessControlException {
        if (isKept(parent, child)) {
            throw new AccessControlException("Permission denied by sticky bit: user=" + caller);
        }
    }

    /** Whether there is something at the end that the walker may not take away though he may write to its directory. */
    boolean isKeptBySticky() {
        ModelNode last = last();
        return last != null && parent() instanceof ModelDirectory directory && isKept(directory, last);
    }

    private boolean isKept(ModelDirectory parent, ModelNode child) {
        return parent.sticky
                && !caller.superuser()
                && !caller.name().equals(parent.owner)
                && !caller.name().equals(child.owner);
    }
}
