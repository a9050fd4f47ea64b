package io.tatami.client;

import io.tatami.base.TatamiException;
import io.tatami.client.meta.MetadataAddress;
import io.tatami.client.model.CallerContext;
import io.tatami.client.model.ClientSettings;
import io.tatami.conf.Settings;
import io.tatami.protocol.UserIdentity;
import io.tatami.rpc.netty.shared.RpcSettings;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.function.Supplier;

/**
 * All that a client depends on: clients of equal specifications are interchangeable.
 *
 * @param servers metadata servers to ask first
 * @param contexts gives the caller context of the thread that asks; must not block
 */
public record ClientSpec(
        List<InetSocketAddress> servers,
        UserIdentity user,
        ClientSettings settings,
        RpcSettings connections,
        Supplier<CallerContext> contexts) {
    private static final Supplier<CallerContext> NO_CONTEXT = () -> CallerContext.NONE;

    public ClientSpec {
        servers = List.copyOf(servers);
    }

    /**
     * @param authority {@code host:port} of any metadata server, several with commas between, or a name that the
     *     settings resolve; the port may be left out
     * @throws TatamiException INVALID_ARGUMENT for a bad authority or setting
     */
    public static ClientSpec of(String authority, UserIdentity user, Settings settings) throws TatamiException {
        return new ClientSpec(
                MetadataAddress.of(authority, settings),
                user,
                ClientSettings.from(settings),
                RpcSettings.from(settings),
                NO_CONTEXT);
    }

    /** @param others gives the caller context of the thread that asks; must not block */
    public ClientSpec withContexts(Supplier<CallerContext> others) {
        return new ClientSpec(servers, user, settings, connections, others);
    }
}
