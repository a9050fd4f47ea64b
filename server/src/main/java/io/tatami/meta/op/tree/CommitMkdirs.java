package io.tatami.meta.op.tree;

import io.tatami.base.TatamiException;
import io.tatami.meta.op.AttributeChanges;
import io.tatami.meta.op.Operation;
import io.tatami.meta.op.tree.wire.CommitMkdirsRequest;
import io.tatami.meta.state.RequestContext;
import io.tatami.meta.state.TreeState;
import io.tatami.meta.state.TreeState.Named;
import io.tatami.meta.state.wire.DirectoryRecord;
import io.tatami.protocol.wire.Attributes;
import io.tatami.protocol.wire.CreateModes;
import io.tatami.protocol.wire.MkdirsReply;
import java.util.List;

/**
 * Makes every directory of a path that is missing, all in one commit. Their names must be reserved in the shards that
 * own them; {@link PlanOutdatedException} where the tree has changed so that others would have to be.
 */
public final class CommitMkdirs implements Operation<TreeState, CommitMkdirsRequest, MkdirsReply> {
    /** What HDFS adds to directories made on the way, so that the way can be gone on. */
    private static final int OWNER_WRITE_EXECUTE = 0300;

    private static final int PERMISSION_BITS = 0777;

    @Override
    public MkdirsReply decide(TreeState state, RequestContext context, CommitMkdirsRequest commit)
            throws TatamiException {
        TreePath path = TreePath.parse(commit.getRequest().getPath());
        Walk walk = Walk.along(state, context.caller(), path);
        if (walk.isComplete()) {
            return MkdirsReply.getDefaultInstance();
        }
        PlanMkdirs.requireAllowed(walk, context.caller(), commit.getRequest());
        boolean isWidened = walk.last().record().getSpread() != commit.getBaseSpread();
        if (walk.last().id().value() != commit.getBaseId() || isWidened || walk.missing() != commit.getNewIdCount()) {
            throw new PlanOutdatedException(path.toString());
        }
        touch(state, walk.last(), context.nowMillis());
        Named parent = walk.last();
        List<String> names = path.names().subList(path.length() - walk.missing(), path.length());
        for (int i = 0; i < names.size(); i++) {
            boolean onTheWay = i < names.size() - 1;
            parent = make(parent, names.get(i), commit, commit.getNewId(i), onTheWay, context);
            state.putNew(parent);
        }
        return MkdirsReply.newBuilder().setCreated(true).build();
    }

    private static Named make(
            Named parent, String name, CommitMkdirsRequest commit, long id, boolean onTheWay, RequestContext context) {
        CreateModes modes = commit.getRequest().getModes();
        if (onTheWay) {
            modes = modes.toBuilder()
                    .setMasked((modes.getMasked() & PERMISSION_BITS) | OWNER_WRITE_EXECUTE)
                    .build();
        }
        Attributes above = parent.record().getAttributes();
        return new Named(
                parent.id(),
                name,
                DirectoryRecord.newBuilder()
                        .setDirectoryId(id)
                        .setSpread(commit.getSpread())
                        .setAttributes(AttributeChanges.inherit(context, above, modes, true))
                        .build());
    }

    /** Something was put into this directory or taken out of it. */
    static void touch(TreeState state, Named directory, long nowMillis) {
        DirectoryRecord.Builder record = directory.record().toBuilder();
        record.getAttributesBuilder().setModifiedMillis(nowMillis);
        Named touched = new Named(directory.parent(), directory.name(), record.build());
        state.replaceRecord(touched);
    }
}
