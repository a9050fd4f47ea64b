package io.tatami.rpc.netty.client;

import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/** The addresses of hosts that are known by their names. */
final class HostLookup {
    private HostLookup() {}

    /**
     * Looks a name up, on another thread because it may block. What is no name is returned as it is.
     *
     * @return fails with a TatamiException, UNAVAILABLE, where the name cannot be resolved
     */
    static CompletableFuture<SocketAddress> resolved(SocketAddress address) {
        return address instanceof InetSocketAddress inet && inet.isUnresolved()
                ? CompletableFuture.supplyAsync(() -> lookUp(inet))
                : CompletableFuture.completedFuture(address);
    }

    private static InetSocketAddress lookUp(InetSocketAddress unresolved) {
        InetSocketAddress found = new InetSocketAddress(unresolved.getHostString(), unresolved.getPort());
        if (found.isUnresolved()) {
            throw new CompletionException(new TatamiException(
                    ErrorCode.UNAVAILABLE,
                    "the host name " + found.getHostString()
                            + " cannot be resolved; check its spelling, and that DNS or" + " /etc/hosts knows it"));
        }
        return found;
    }
}
