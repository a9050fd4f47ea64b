package io.tatami.meta.op.cluster;

import io.tatami.meta.op.Operation;
import io.tatami.meta.state.ClusterState;
import io.tatami.meta.state.RequestContext;
import io.tatami.protocol.wire.OpenSessionReply;
import io.tatami.protocol.wire.OpenSessionRequest;

/** Gives a client a session id that nobody had before. */
public final class OpenSession implements Operation<ClusterState, OpenSessionRequest, OpenSessionReply> {
    @Override
    public OpenSessionReply decide(ClusterState state, RequestContext context, OpenSessionRequest request) {
        return OpenSessionReply.newBuilder()
                .setSession(state.mintSession().value())
                .setMap(context.cluster())
                .build();
    }
}
