package io.tatami.meta.op.file;

import io.tatami.base.DirectoryId;
import io.tatami.base.TatamiException;
import io.tatami.meta.gate.HandleCheck;
import io.tatami.meta.gate.Rights.Sight;
import io.tatami.meta.op.Access;
import io.tatami.meta.op.Operation;
import io.tatami.meta.op.Subject;
import io.tatami.meta.op.UnsettledException;
import io.tatami.meta.state.RequestContext;
import io.tatami.meta.state.ShardState;
import io.tatami.meta.state.wire.EntryRecord;
import io.tatami.protocol.wire.LookupReply;
import io.tatami.protocol.wire.LookupRequest;
import io.tatami.protocol.wire.Status;
import org.jspecify.annotations.Nullable;

/**
 * The status of a name. For an open it includes the content: inline bytes, or block locations if the home is here; if
 * the home is another shard, the client asks that one. A marker is answered as the directory it names, and the client
 * asks the tree. A status that another group must complete contains a signed right for that group. Changes nothing.
 */
public final class Lookup implements Operation<ShardState, LookupRequest, LookupReply> {
    private final HandleCheck handles;

    public Lookup(HandleCheck handles) {
        this.handles = handles;
    }

    @Override
    public LookupReply decide(ShardState state, RequestContext context, LookupRequest request)
            throws TatamiException, UnsettledException {
        ResolvedName resolved = ResolvedName.reach(handles, state, context, request.getHandle(), request.getName());
        EntryRecord entry = resolved.requirePresent(resolved.standing(state));
        if (request.getOpen() && entry.hasFile()) {
            Access.require(
                    resolved.caller(), entry.getFile().getAttributes(), Access.READ, Subject.entry(resolved.name()));
        }
        Status.Builder status = FileStatus.of(state, resolved.caller(), resolved.name(), entry);
        if (entry.hasFile()) {
            status.setCallerAccess(
                            Access.granted(resolved.caller(), entry.getFile().getAttributes()))
                    .setCallerSuperuser(resolved.caller().superuser());
        }
        addRight(state, context, request, resolved, entry, status);
        return LookupReply.newBuilder()
                .setStatus(FileStatus.complete(state, status, entry, sight(request), health(state, context, request)))
                .build();
    }

    /** Adds the right with which the client asks another group to complete the status. */
    private void addRight(
            ShardState state,
            RequestContext context,
            LookupRequest request,
            ResolvedName resolved,
            EntryRecord entry,
            Status.Builder status) {
        if (entry.hasMarker()) {
            DirectoryId directory = new DirectoryId(entry.getMarker().getDirectoryId());
            status.setRight(handles.rights().ofDirectory(resolved.caller(), directory, context.nowMillis()));
        } else {
            FileStatus.addRight(handles.rights(), state, context, resolved.caller(), entry, sight(request), status);
        }
    }

    private static @Nullable KnownHealth health(ShardState state, RequestContext context, LookupRequest request) {
        return request.getWithHealth() ? new KnownHealth(state, context.cluster()) : null;
    }

    private static Sight sight(LookupRequest request) {
        return request.getOpen() ? Sight.CONTENT : Sight.LENGTH;
    }
}
