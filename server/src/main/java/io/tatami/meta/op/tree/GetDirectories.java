package io.tatami.meta.op.tree;

import io.tatami.base.DirectoryId;
import io.tatami.meta.gate.Rights;
import io.tatami.meta.op.Access;
import io.tatami.meta.op.Operation;
import io.tatami.meta.state.Caller;
import io.tatami.meta.state.RequestContext;
import io.tatami.meta.state.TreeState;
import io.tatami.meta.state.TreeState.Named;
import io.tatami.meta.state.wire.DirectoryRecord;
import io.tatami.protocol.wire.GetDirectoriesReply;
import io.tatami.protocol.wire.GetDirectoriesRequest;
import io.tatami.protocol.wire.Status;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Many directories at once, by id or by name in one parent: those that the caller could also reach by their paths. The
 * shards that know their last changes are shown the right that comes with them.
 */
public final class GetDirectories implements Operation<TreeState, GetDirectoriesRequest, GetDirectoriesReply> {
    private final Rights rights;

    public GetDirectories(Rights rights) {
        this.rights = rights;
    }

    @Override
    public GetDirectoriesReply decide(TreeState state, RequestContext context, GetDirectoriesRequest request) {
        Caller caller = context.caller();
        Map<DirectoryId, Boolean> reachable = new HashMap<>();
        GetDirectoriesReply.Builder reply = GetDirectoriesReply.newBuilder().setLinks(state.links());
        for (long id : request.getDirectoryIdList()) {
            Named directory = state.find(new DirectoryId(id));
            if (directory != null && isEnterable(state, caller, directory.parent(), reachable)) {
                reply.addStatus(DirectoryStatus.of(directory, caller));
            }
        }
        DirectoryId parent = new DirectoryId(request.getParentId());
        if (request.getNameCount() > 0 && isEnterable(state, caller, parent, reachable)) {
            Map<String, DirectoryRecord> records = state.directories(parent, request.getNameList());
            for (String name : request.getNameList()) {
                DirectoryRecord record = records.get(name);
                if (record != null) {
                    reply.addStatus(DirectoryStatus.of(new Named(parent, name, record), caller));
                }
            }
        }
        if (reply.getStatusCount() > 0) {
            List<Long> found = reply.getStatusList().stream().map(Status::getId).toList();
            reply.setRight(rights.ofDirectories(caller, found, context.nowMillis()));
        }
        return reply.build();
    }

    /** Whether the caller may look into a directory and all above it, and all of them are in the tree. */
    static boolean isEnterable(TreeState state, Caller caller, DirectoryId directory, Map<DirectoryId, Boolean> known) {
        if (directory.equals(DirectoryId.NONE)) {
            return true;
        }
        Boolean before = known.get(directory);
        if (before != null) {
            return before;
        }
        Named found = state.find(directory);
        boolean enterable = found != null
                && Access.allows(caller, found.record().getAttributes(), Access.EXECUTE)
                && isEnterable(state, caller, found.parent(), known);
        known.put(directory, enterable);
        return enterable;
    }
}
