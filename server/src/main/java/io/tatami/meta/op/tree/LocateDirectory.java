package io.tatami.meta.op.tree;

import io.tatami.base.DirectoryId;
import io.tatami.meta.op.Operation;
import io.tatami.meta.state.RequestContext;
import io.tatami.meta.state.TreeState;
import io.tatami.meta.state.TreeState.Named;
import io.tatami.protocol.wire.LocateDirectoryReply;
import io.tatami.protocol.wire.LocateDirectoryRequest;
import java.util.ArrayDeque;

/**
 * The directories down to one that is known by its id. The version that belongs to the answer is the leader's to give.
 */
public final class LocateDirectory implements Operation<TreeState, LocateDirectoryRequest, LocateDirectoryReply> {
    @Override
    public LocateDirectoryReply decide(TreeState state, RequestContext context, LocateDirectoryRequest request) {
        ArrayDeque<Long> path = new ArrayDeque<>();
        ArrayDeque<String> names = new ArrayDeque<>();
        DirectoryId step = new DirectoryId(request.getDirectoryId());
        while (!step.equals(DirectoryId.NONE)) {
            Named directory = state.find(step);
            if (directory == null) {
                return LocateDirectoryReply.getDefaultInstance();
            }
            path.addFirst(step.value());
            names.addFirst(directory.name());
            step = directory.parent();
        }
        return LocateDirectoryReply.newBuilder()
                .addAllPathId(path)
                .addAllName(names)
                .build();
    }
}
