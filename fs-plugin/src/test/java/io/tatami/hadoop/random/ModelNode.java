package io.tatami.hadoop.random;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BiConsumer;

/** Something in the model's tree. Used by one thread. */
abstract class ModelNode {
    /** The bit of a mode that an {@link AccessList} does not have. */
    static final int STICKY = 01000;

    String owner;
    String group;
    AccessList acl;
    boolean sticky;
    long modifiedMillis = Told.RECENT_MILLIS;
    long accessedMillis;
    final Map<String, byte[]> xAttrs = new TreeMap<>();

    private ModelNode(String owner, String group, AccessList acl) {
        this.owner = owner;
        this.group = group;
        this.acl = acl;
    }

    int mode() {
        return acl.mode() | (sticky ? STICKY : 0);
    }

    abstract Told told(String path);

    Told told(String path, Told.Kind kind, long length, int replication, long blockSizeBytes) {
        return new Told(
                path,
                kind,
                mode(),
                acl.isExtended(),
                owner,
                group,
                length,
                replication,
                blockSizeBytes,
                modifiedMillis,
                accessedMillis);
    }

    /** Calls {@code visitor} with the path and node of this and of all below, parents first. */
    void walk(String path, BiConsumer<String, ModelNode> visitor) {
        record Step(String path, ModelNode node) {}
        Deque<Step> steps = new ArrayDeque<>();
        steps.push(new Step(path, this));
        while (!steps.isEmpty()) {
            Step step = steps.pop();
            visitor.accept(step.path(), step.node());
            if (step.node() instanceof ModelDirectory directory) {
                directory.children.forEach((name, child) -> steps.push(new Step(step.path() + "/" + name, child)));
            }
        }
    }

    static final class ModelDirectory extends ModelNode {
        final TreeMap<String, ModelNode> children = new TreeMap<>();

        ModelDirectory(String owner, String group, AccessList acl) {
            super(owner, group, acl);
        }

        @Override
        Told told(String path) {
            return told(path, Told.Kind.DIRECTORY, 0, 0, 0);
        }
    }

    static final class ModelFile extends ModelNode {
        byte[] bytes = {};
        int replication;
        final long blockSizeBytes;

        ModelFile(String owner, String group, AccessList acl, Subject.Creation how) {
            super(owner, group, acl);
            this.replication = how.replication();
            this.blockSizeBytes = how.blockSizeBytes();
            this.accessedMillis = Told.RECENT_MILLIS;
        }

        @Override
        Told told(String path) {
            return told(path, Told.Kind.FILE, bytes.length, replication, blockSizeBytes);
        }
    }

    static final class ModelLink extends ModelNode {
        final String target;

        ModelLink(String owner, String group, String target) {
            super(owner, group, AccessList.ofMode(0777));
            this.target = target;
            this.accessedMillis = Told.RECENT_MILLIS;
        }

        @Override
        Told told(String path) {
            return told(path, Told.Kind.LINK, 0, 0, 0);
        }
    }
}
