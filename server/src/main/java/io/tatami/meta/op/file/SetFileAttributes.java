package io.tatami.meta.op.file;

import io.tatami.base.FileId;
import io.tatami.base.TatamiException;
import io.tatami.meta.gate.HandleCheck;
import io.tatami.meta.op.AttributeChanges;
import io.tatami.meta.op.CopiesChange;
import io.tatami.meta.op.Operation;
import io.tatami.meta.op.Subject;
import io.tatami.meta.op.UnsettledException;
import io.tatami.meta.state.RequestContext;
import io.tatami.meta.state.ShardState;
import io.tatami.meta.state.wire.EntryRecord;
import io.tatami.meta.state.wire.FileEntry;
import io.tatami.protocol.wire.AttributeChange;
import io.tatami.protocol.wire.Attributes;
import io.tatami.protocol.wire.CopiesWanted;
import io.tatami.protocol.wire.Empty;
import io.tatami.protocol.wire.OutboxDelivery;
import io.tatami.protocol.wire.SetFileAttributesRequest;

/**
 * Changes a file's permissions, owner, times, access control list, extended attributes or replication. The number of
 * copies asked for is kept with the name and at the home, which learns it by the outbox where it is in another shard.
 */
public final class SetFileAttributes implements Operation<ShardState, SetFileAttributesRequest, Empty> {
    private final HandleCheck handles;

    public SetFileAttributes(HandleCheck handles) {
        this.handles = handles;
    }

    @Override
    public Empty decide(ShardState state, RequestContext context, SetFileAttributesRequest request)
            throws TatamiException, UnsettledException {
        ResolvedName resolved = ResolvedName.reach(handles, state, context, request.getHandle(), request.getName());
        EntryRecord before = resolved.settled(state, context);
        FileEntry file = resolved.requireFile(before);
        AttributeChange change = request.getChange();
        Attributes attributes =
                AttributeChanges.apply(resolved.caller(), file.getAttributes(), Subject.entry(resolved.name()), change);
        FileEntry.Builder changed = file.toBuilder().setAttributes(attributes);
        if (change.hasReplication()) {
            FileLimits.requireReplication(change.getReplication(), resolved.name());
            changed.setReplication(change.getReplication());
            FileId id = new FileId(file.getFileId());
            if (ResolvedName.isHomeHere(state, file)) {
                CopiesChange.apply(state, id, change.getReplication());
            } else {
                state.addOutbox(
                        id.home(),
                        OutboxDelivery.newBuilder()
                                .setCopies(CopiesWanted.newBuilder()
                                        .setFileId(id.value())
                                        .setReplication(change.getReplication()))
                                .build());
            }
        }
        EntryRecord old = resolved.requirePresent(before);
        EntryRecord after = old.toBuilder().setFile(changed).build();
        state.entries().changeRecord(resolved.directory(), resolved.name(), after);
        return Empty.getDefaultInstance();
    }
}
