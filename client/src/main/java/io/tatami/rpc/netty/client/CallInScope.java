package io.tatami.rpc.netty.client;

import io.tatami.base.Clock;
import io.tatami.rpc.RequestScope;
import java.net.SocketAddress;
import org.jspecify.annotations.Nullable;

/** A call that a server makes while it serves a request: what follows the reply is done for that request again. */
final class CallInScope {
    private final RequestScope scope;
    private final SocketAddress server;
    private final Clock clock;
    private final long begunNanos;

    CallInScope(RequestScope scope, SocketAddress server, Clock clock) {
        this.scope = scope;
        this.server = server;
        this.clock = clock;
        this.begunNanos = clock.monotonicNanos();
    }

    /** The call has ended; returns what the thread worked for before, for {@link RequestScope#leave}. */
    @Nullable
    RequestScope enter(String method) {
        scope.called(method, server, clock.monotonicNanos() - begunNanos);
        return RequestScope.enter(scope);
    }
}
