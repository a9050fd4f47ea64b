package io.tatami.meta.service.host;

import io.tatami.base.Clock;
import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.meta.service.Invitations;
import io.tatami.meta.service.lead.GroupObserver;
import io.tatami.protocol.wire.DiagnosticsReply;
import io.tatami.protocol.wire.DiagnosticsRequest;
import io.tatami.rpc.Handler;
import io.tatami.rpc.RequestObserver;

/**
 * What a metadata server finds around it.
 *
 * @param groups of users
 * @param requests told of each request that the server answers
 * @param batches told of each batch that its groups decide
 * @param invitations to the console of its process
 * @param diagnostics of its process, for superusers
 */
public record HostSurroundings(
        GroupMapping groups,
        Clock clock,
        RequestObserver requests,
        GroupObserver batches,
        Invitations invitations,
        Handler<DiagnosticsRequest, DiagnosticsReply> diagnostics) {
    /** Of a server that nobody watches. */
    public static HostSurroundings of(GroupMapping groups, Clock clock) {
        return new HostSurroundings(
                groups,
                clock,
                RequestObserver.NONE,
                GroupObserver.NONE,
                Invitations.NONE,
                (context, request, responder) -> responder.failure(
                        new TatamiException(ErrorCode.UNSUPPORTED, "this process tells no diagnostics")));
    }

    /** The same in a process that tells {@code other} of itself. */
    public HostSurroundings telling(Handler<DiagnosticsRequest, DiagnosticsReply> other) {
        return new HostSurroundings(groups, clock, requests, batches, invitations, other);
    }

    /** Whether anybody is told of requests; only then they are counted. */
    boolean isWatched() {
        return requests != RequestObserver.NONE;
    }
}
