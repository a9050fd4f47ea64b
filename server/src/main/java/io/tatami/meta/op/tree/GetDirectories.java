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
    /** A reply ends with the directory that reaches this, of which one may have half a MiB of extended attributes. */
    static final int BYTES_ENOUGH = 1 << 20;

    /** Records that are read, and held, at a time. */
    private static final int NAMES_AT_ONCE = 128;

    private final Rights rights;

    public GetDirectories(Rights rights) {
        this.rights = rights;
    }

    @Override
    public GetDirectoriesReply decide(TreeState state, RequestContext context, GetDirectoriesRequest request) {
        Caller caller = context.caller();
        Map<DirectoryId, Boolean> reachable = new HashMap<>();
        GetDirectoriesReply.Builder reply = GetDirectoriesReply.newBuilder().setLinks(state.links());
        int left = request.getDirectoryIdCount() + request.getNameCount();
        int bytes = 0;
        for (long id : request.getDirectoryIdList()) {
            if (bytes >= BYTES_ENOUGH) {
                break;
            }
            left--;
            Named directory = state.find(new DirectoryId(id));
            if (directory != null && isEnterable(state, caller, directory.parent(), reachable)) {
                Status status = DirectoryStatuses.of(directory, caller);
                reply.addStatus(status);
                bytes += status.getSerializedSize();
            }
        }
        DirectoryId parent = new DirectoryId(request.getParentId());
        if (request.getNameCount() > 0 && isEnterable(state, caller, parent, reachable)) {
            left -= addNamed(state, caller, parent, request.getNameList(), bytes, reply);
        } else {
            left -= request.getNameCount();
        }
        reply.setUnanswered(left);
        if (reply.getStatusCount() > 0) {
            List<Long> found = reply.getStatusList().stream().map(Status::getId).toList();
            reply.setRight(rights.ofDirectories(caller, found, context.nowMillis()));
        }
        return reply.build();
    }

    /** @return for how many of the names the reply is complete */
    private static int addNamed(
            TreeState state,
            Caller caller,
            DirectoryId parent,
            List<String> names,
            int bytesBefore,
            GetDirectoriesReply.Builder reply) {
        int bytes = bytesBefore;
        for (int from = 0; from < names.size(); from += NAMES_AT_ONCE) {
            List<String> some = names.subList(from, Math.min(names.size(), from + NAMES_AT_ONCE));
            Map<String, DirectoryRecord> records = state.directories(parent, some);
            for (int i = 0; i < some.size(); i++) {
                if (bytes >= BYTES_ENOUGH) {
                    return from + i;
                }
                DirectoryRecord record = records.get(some.get(i));
                if (record != null) {
                    Status status = DirectoryStatuses.of(new Named(parent, some.get(i), record), caller);
                    reply.addStatus(status);
                    bytes += status.getSerializedSize();
                }
            }
        }
        return names.size();
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
