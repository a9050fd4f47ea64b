package io.tatami.hadoop.random;

import io.tatami.hadoop.random.ModelNode.ModelDirectory;
import io.tatami.hadoop.random.ModelNode.ModelFile;
import io.tatami.hadoop.random.ModelNode.ModelLink;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.zip.CRC32C;
import org.apache.hadoop.fs.FileAlreadyExistsException;
import org.apache.hadoop.fs.XAttrSetFlag;
import org.apache.hadoop.fs.permission.AclEntry;
import org.apache.hadoop.fs.permission.FsAction;
import org.apache.hadoop.security.AccessControlException;
import org.jspecify.annotations.Nullable;

/** A {@link ModelTree} as one user sees it, with links followed as Hadoop's clients follow them. */
final class ModelSubject implements Subject {
    private static final int LINKS_MAX = 32;

    /** HDFS tells this of an empty file, whatever sums it is asked for. */
    private static final String CHECKSUM_OF_NOTHING =
            "MD5-of-0MD5-of-0CRC32 000000000000000000000000" + "70bc8f4b72a86921468bf8e8441dce5100000000";

    private final ModelTree tree;
    private final Caller caller;
    private final ModelAttributes attributes;

    ModelSubject(ModelTree tree, Caller caller) {
        this.tree = tree;
        this.caller = caller;
        this.attributes = new ModelAttributes(caller);
    }

    /** Something done on a path without links in it. */
    private interface OnPath<T> {
        T on(String path) throws IOException;
    }

    /** Something done where a path leads. */
    private interface OnWalk<T> {
        T on(Walk walk) throws IOException;
    }

    /** The same that answers nothing. */
    private interface DoneOnWalk {
        void on(Walk walk) throws IOException;
    }

    private static <T> T following(String path, OnPath<T> operation) throws IOException {
        String at = path;
        for (int links = 0; links <= LINKS_MAX; links++) {
            try {
                return operation.on(at);
            } catch (Walk.LinkMet e) {
                at = e.path;
            }
        }
        throw new IOException("more links than are followed");
    }

    private <T> T at(String path, Walk.Purpose purpose, OnWalk<T> operation) throws IOException {
        return following(path, resolved -> operation.on(tree.walk(caller, resolved, purpose)));
    }

    private void change(String path, DoneOnWalk operation) throws IOException {
        at(path, Walk.Purpose.WRITE, walk -> {
            operation.on(walk);
            return true;
        });
    }

    @Override
    public void create(String path, Creation how, byte[] bytes) throws IOException {
        ModelFile file = following(path, at -> tree.create(caller, at, how));
        file.bytes = bytes;
    }

    @Override
    public void append(String path, byte[] bytes) throws IOException {
        change(path, walk -> {
            if (walk.last() instanceof ModelDirectory) {
                throw new FileAlreadyExistsException(path + " is a directory");
            }
            walk.require(FsAction.WRITE);
            write(walk.file(), joined(List.of(walk.file().bytes, bytes)));
        });
    }

    @Override
    public void truncate(String path, long lengthBytes) throws IOException {
        change(path, walk -> {
            walk.require(FsAction.WRITE);
            ModelFile file = walk.file();
            if (lengthBytes > file.bytes.length) {
                throw new IOException("truncated to more than there is");
            }
            if (lengthBytes < file.bytes.length) {
                write(file, Arrays.copyOf(file.bytes, (int) lengthBytes));
            }
        });
    }

    private static void write(ModelFile file, byte[] bytes) {
        file.bytes = bytes;
        file.modifiedMillis = Told.RECENT_MILLIS;
    }

    private byte[] readable(String path) throws IOException {
        return at(path, Walk.Purpose.READ, walk -> {
            ModelFile file = walk.file();
            walk.require(FsAction.READ);
            return file.bytes;
        });
    }

    @Override
    public byte[] read(String path, long offsetBytes, int lengthBytes) throws IOException {
        byte[] bytes = readable(path);
        int from = (int) Math.min(offsetBytes, bytes.length);
        return Arrays.copyOfRange(bytes, from, Math.min(bytes.length, from + lengthBytes));
    }

    @Override
    public String checksum(String path) throws IOException {
        byte[] bytes = readable(path);
        if (bytes.length == 0) {
            return CHECKSUM_OF_NOTHING;
        }
        CRC32C crc = new CRC32C();
        crc.update(bytes);
        return "COMPOSITE-CRC32C " + HexFormat.of().toHexDigits((int) crc.getValue());
    }

    @Override
    public void concat(String target, List<String> sources) throws IOException {
        try {
            concatExactly(target, sources);
        } catch (Walk.LinkMet e) {
            String behind = behindLinks(target);
            List<String> resolved = new ArrayList<>();
            for (String path : sources) {
                resolved.add(behindLinks(path));
            }
            concatExactly(behind, resolved);
        }
    }

    private String behindLinks(String path) throws IOException {
        Told status = linkStatus(path);
        if (status.kind() == Told.Kind.LINK) {
            throw new IOException("links are not joined");
        }
        return status.path();
    }

    private void concatExactly(String target, List<String> sources) throws IOException {
        Walk to = tree.walk(caller, target, Walk.Purpose.WRITE);
        to.require(FsAction.WRITE);
        ModelFile file = to.file();
        List<ModelFile> joined = new ArrayList<>();
        for (String source : sources) {
            Walk from = tree.walk(caller, source, Walk.Purpose.WRITE);
            from.require(FsAction.READ);
            from.requireRemovable();
            ModelFile next = from.file();
            boolean joinable = from.parent() == to.parent()
                    && next != file
                    && next.bytes.length > 0
                    && next.blockSizeBytes <= file.blockSizeBytes;
            if (!joinable) {
                throw new IOException(source + " cannot be joined to " + target);
            }
            joined.add(next);
        }
        if (joined.stream().distinct().count() < joined.size()) {
            throw new IOException("a source twice");
        }
        List<byte[]> parts = new ArrayList<>(List.of(file.bytes));
        for (ModelFile next : joined) {
            parts.add(next.bytes);
            ModelTree.remove(to.parentDirectory(), next);
        }
        write(file, joined(parts));
    }

    private static byte[] joined(List<byte[]> parts) {
        byte[] all = new byte[parts.stream().mapToInt(part -> part.length).sum()];
        int count = 0;
        for (byte[] part : parts) {
            System.arraycopy(part, 0, all, count, part.length);
            count += part.length;
        }
        return all;
    }

    @Override
    public boolean mkdirs(String path, int mode) throws IOException {
        return following(path, at -> {
            tree.mkdirs(caller, at, mode, true);
            return true;
        });
    }

    @Override
    public void mkdir(String path, int mode) throws IOException {
        following(path, at -> {
            tree.mkdirs(caller, at, mode, false);
            return true;
        });
    }

    @Override
    public boolean delete(String path, boolean recursive) throws IOException {
        return following(path, at -> tree.delete(caller, at, recursive));
    }

    @Override
    public boolean rename(String source, String destination) throws IOException {
        return onBoth(source, destination, (from, to) -> tree.rename(caller, from, to));
    }

    @Override
    public void renameStrictly(String source, String destination, boolean overwrite) throws IOException {
        onBoth(source, destination, (from, to) -> {
            tree.renameStrictly(caller, from, to, overwrite);
            return true;
        });
    }

    /** Something done on two paths without links in them. */
    private interface OnPaths<T> {
        T on(String source, String destination) throws IOException;
    }

    private <T> T onBoth(String source, String destination, OnPaths<T> operation) throws IOException {
        try {
            return operation.on(source, destination);
        } catch (Walk.LinkMet e) {
            String from = linkStatus(source).path();
            return following(destination, to -> operation.on(from, to));
        }
    }

    @Override
    public void symlink(String target, String link, boolean parents) throws IOException {
        following(link, at -> {
            tree.symlink(caller, target, at, parents);
            return true;
        });
    }

    @Override
    public Told status(String path) throws IOException {
        return asked(path, Walk.Purpose.READ, walk -> walk.present().told(walk.path()));
    }

    @Override
    public Told linkStatus(String path) throws IOException {
        return asked(path, Walk.Purpose.READ_LINK, walk -> walk.present().told(walk.path()));
    }

    /** To the superuser there is nothing below a file; others may not look for it. */
    private <T> T asked(String path, Walk.Purpose purpose, OnWalk<T> operation) throws IOException {
        try {
            return at(path, purpose, operation);
        } catch (AccessControlException e) {
            if (caller.superuser()) {
                throw new FileNotFoundException(e.getMessage());
            }
            throw e;
        }
    }

    @Override
    public String linkTarget(String path) throws IOException {
        return asked(path, Walk.Purpose.READ_LINK, walk -> {
            if (walk.present() instanceof ModelLink link) {
                return link.target;
            }
            throw new IOException(path + " is no link");
        });
    }

    @Override
    public List<Told> list(String path) throws IOException {
        return at(path, Walk.Purpose.READ, walk -> {
            ModelNode node = walk.present();
            List<Told> told = new ArrayList<>();
            if (node instanceof ModelDirectory directory) {
                walk.require(FsAction.READ_EXECUTE);
                directory.children.forEach((name, child) -> told.add(child.told(walk.path() + "/" + name)));
            } else {
                told.add(node.told(walk.path()));
            }
            return told;
        });
    }

    @Override
    public Totals totals(String path) throws IOException {
        return at(path, Walk.Purpose.READ_LINK, walk -> {
            List<ModelNode> nodes = new ArrayList<>();
            walk.present().walk(walk.path(), (at, node) -> nodes.add(node));
            long directories = 0;
            long lengthBytes = 0;
            long spaceBytes = 0;
            for (ModelNode node : nodes) {
                if (node instanceof ModelDirectory) {
                    walk.require(node, FsAction.READ_EXECUTE);
                    directories++;
                } else if (node instanceof ModelFile file) {
                    lengthBytes += file.bytes.length;
                    spaceBytes += (long) file.bytes.length * file.replication;
                }
            }
            return new Totals(directories, nodes.size() - directories, lengthBytes, spaceBytes);
        });
    }

    @Override
    public void access(String path, FsAction wanted) throws IOException {
        at(path, Walk.Purpose.READ, walk -> {
            walk.require(walk.present(), wanted);
            return true;
        });
    }

    @Override
    public void setPermission(String path, int mode) throws IOException {
        change(path, walk -> attributes.setPermission(walk, mode));
    }

    @Override
    public void setOwner(String path, @Nullable String owner, @Nullable String group) throws IOException {
        change(path, walk -> attributes.setOwner(walk, owner, group));
    }

    @Override
    public void setTimes(String path, long modifiedMillis, long accessedMillis) throws IOException {
        change(path, walk -> attributes.setTimes(walk, modifiedMillis, accessedMillis));
    }

    @Override
    public boolean setReplication(String path, int replication) throws IOException {
        return at(path, Walk.Purpose.WRITE, walk -> ModelAttributes.setReplication(walk, replication));
    }

    @Override
    public void setAcl(String path, List<AclEntry> entries) throws IOException {
        change(
                path,
                walk -> ModelAttributes.changeAcl(
                        walk, list -> entries.isEmpty() ? list.minimal() : list.replaced(entries)));
    }

    @Override
    public void modifyAcl(String path, List<AclEntry> entries) throws IOException {
        change(path, walk -> ModelAttributes.changeAcl(walk, list -> list.modified(entries)));
    }

    @Override
    public void removeAclEntries(String path, List<AclEntry> entries) throws IOException {
        change(path, walk -> ModelAttributes.changeAcl(walk, list -> list.without(entries)));
    }

    @Override
    public void removeDefaultAcl(String path) throws IOException {
        change(path, walk -> ModelAttributes.changeAcl(walk, AccessList::withoutDefaults));
    }

    @Override
    public void removeAcl(String path) throws IOException {
        change(path, walk -> ModelAttributes.changeAcl(walk, AccessList::minimal));
    }

    @Override
    public List<AclEntry> acl(String path) throws IOException {
        return at(path, Walk.Purpose.READ, walk -> walk.present().acl.told());
    }

    @Override
    public void setXAttr(String path, String name, byte[] value, EnumSet<XAttrSetFlag> flags) throws IOException {
        attributes.requireNameAllowed(name);
        change(path, walk -> attributes.setXAttr(walk, name, value, flags));
    }

    @Override
    public byte[] xAttr(String path, String name) throws IOException {
        attributes.requireNameAllowed(name);
        return at(path, Walk.Purpose.READ, walk -> attributes.xAttr(walk, name));
    }

    @Override
    public Map<String, byte[]> xAttrs(String path) throws IOException {
        return at(path, Walk.Purpose.READ, attributes::xAttrs);
    }

    @Override
    public void removeXAttr(String path, String name) throws IOException {
        attributes.requireNameAllowed(name);
        change(path, walk -> attributes.removeXAttr(walk, name));
    }
}
