package io.tatami.meta.op.cluster;

import io.tatami.base.SessionId;
import io.tatami.meta.gate.SessionProofs;
import io.tatami.meta.op.Operation;
import io.tatami.meta.state.ClusterState;
import io.tatami.meta.state.RequestContext;
import io.tatami.protocol.wire.OpenSessionReply;
import io.tatami.protocol.wire.OpenSessionRequest;

/** Gives a client a session id that nobody had before, and the proof that it is the caller's. */
public final class OpenSession implements Operation<ClusterState, OpenSessionRequest, OpenSessionReply> {
    private final SessionProofs proofs;

    public OpenSession(SessionProofs proofs) {
        this.proofs = proofs;
    }

    @Override
    public OpenSessionReply decide(ClusterState state, RequestContext context, OpenSessionRequest request) {
        SessionId session = state.mintSession();
        return OpenSessionReply.newBuilder()
                .setSession(session.value())
                .setProof(proofs.of(session, context.caller().user()))
                .setMap(context.cluster())
                .build();
    }
}
