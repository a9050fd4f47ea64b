package io.tatami.meta.op.file;

import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.meta.gate.HandleCheck;
import io.tatami.meta.op.Operation;
import io.tatami.meta.op.UnsettledException;
import io.tatami.meta.state.RequestContext;
import io.tatami.meta.state.ShardState;
import io.tatami.meta.state.wire.EntryRecord;
import io.tatami.meta.state.wire.SymlinkEntry;
import io.tatami.protocol.wire.Attributes;
import io.tatami.protocol.wire.CreateSymlinkRequest;
import io.tatami.protocol.wire.Empty;

/** Makes a symlink; everybody may read one, as in HDFS. Its target need not exist. */
public final class CreateSymlink implements Operation<ShardState, CreateSymlinkRequest, Empty> {
    private static final int MODE = 0777;
    private static final int TARGET_CHARACTERS_MAX = 8_000;

    private final HandleCheck handles;

    public CreateSymlink(HandleCheck handles) {
        this.handles = handles;
    }

    @Override
    public Empty decide(ShardState state, RequestContext context, CreateSymlinkRequest request)
            throws TatamiException, UnsettledException {
        ResolvedName name = ResolvedName.reach(handles, state, context, request.getHandle(), request.getName());
        if (request.getTarget().isEmpty() || request.getTarget().length() > TARGET_CHARACTERS_MAX) {
            throw new TatamiException(
                    ErrorCode.INVALID_ARGUMENT,
                    "a symlink's target has 1 to " + TARGET_CHARACTERS_MAX + " characters, not "
                            + request.getTarget().length());
        }
        if (name.settled(state, context) != null) {
            throw new TatamiException(
                    ErrorCode.ALREADY_EXISTS, "failed to create link " + name.name() + ": it exists already");
        }
        name.requireWritableDirectory();
        Attributes attributes = Attributes.newBuilder()
                .setOwner(name.caller().user())
                .setGroup(name.handle().getAttributes().getGroup())
                .setMode(MODE)
                .setModifiedMillis(context.nowMillis())
                .setAccessedMillis(context.nowMillis())
                .build();
        SymlinkEntry.Builder link = SymlinkEntry.newBuilder()
                .setId(state.mintFile().value())
                .setTarget(request.getTarget())
                .setAttributes(attributes);
        name.put(state, EntryRecord.newBuilder().setSymlink(link).build(), context.nowMillis());
        return Empty.getDefaultInstance();
    }
}
