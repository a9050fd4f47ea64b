package io.tatami.meta.service.host;

import io.tatami.base.Causes;
import io.tatami.base.Check;
import io.tatami.base.ServerId;
import io.tatami.meta.service.GroupPeers;
import io.tatami.protocol.BlockMethods;
import io.tatami.protocol.wire.DiagnosticsReply;
import io.tatami.protocol.wire.DiagnosticsRequest;
import io.tatami.rpc.CallContext;
import io.tatami.rpc.Handler;
import io.tatami.rpc.Responder;
import java.util.concurrent.CompletableFuture;

/**
 * Diagnostics for a superuser: of this process, and of block servers, which know no superuser and believe metadata
 * servers only. Safe for use by many threads.
 */
final class ServerDiagnostics implements Handler<DiagnosticsRequest, DiagnosticsReply> {
    private final Handler<DiagnosticsRequest, DiagnosticsReply> own;
    private final GroupPeers peers;

    /** @param own of this process */
    ServerDiagnostics(Handler<DiagnosticsRequest, DiagnosticsReply> own, GroupPeers peers) {
        this.own = own;
        this.peers = peers;
    }

    @Override
    public void handle(CallContext context, DiagnosticsRequest request, Responder<DiagnosticsReply> responder) {
        if (request.getServerId() == 0) {
            own.handle(context, request, responder);
            return;
        }
        CompletableFuture<DiagnosticsReply> answered = peers.callBlockServer(
                        new ServerId(request.getServerId()), BlockMethods.DIAGNOSTICS, request)
                .whenComplete((reply, thrown) -> {
                    if (thrown == null) {
                        responder.success(reply);
                    } else {
                        responder.failure(Causes.of(thrown));
                    }
                });
        Check.check(!answered.isCancelled(), "the answer of a block server was cancelled");
    }
}
