package io.tatami.client;

import io.tatami.base.Clock;
import io.tatami.base.TatamiException;
import io.tatami.client.meta.CallerContexts;
import io.tatami.client.meta.LeaseThreads;
import io.tatami.client.model.ClientSettings;
import io.tatami.conf.Settings;
import io.tatami.protocol.UserIdentity;
import io.tatami.rpc.Connector;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Random;
import java.util.random.RandomGenerator;

/** Clients whose network is a test's. For the tests of every module. */
public final class WiredClient {
    private WiredClient() {}

    /**
     * As {@link TatamiClient#connect}.
     *
     * @param connector is closed with the client, also where this fails
     */
    public static TatamiClient open(
            Connector connector, List<InetSocketAddress> servers, UserIdentity user, Settings settings)
            throws TatamiException {
        return open(connector, servers, user, settings, Clock.SYSTEM);
    }

    /** {@link #open(Connector, List, UserIdentity, Settings)}, by another clock. */
    public static TatamiClient open(
            Connector connector, List<InetSocketAddress> servers, UserIdentity user, Settings settings, Clock clock)
            throws TatamiException {
        return open(
                new TatamiClient.Wiring(
                        connector, servers, clock, new Random(), LeaseThreads.SHARED, CallerContexts.NONE),
                user,
                settings);
    }

    /** {@link #open(Connector, List, UserIdentity, Settings)} whose time, chance and threads are a simulation's. */
    public static TatamiClient open(
            Connector connector,
            InetSocketAddress server,
            Settings settings,
            Clock clock,
            RandomGenerator random,
            LeaseThreads threads)
            throws TatamiException {
        TatamiClient.Wiring wiring =
                new TatamiClient.Wiring(connector, List.of(server), clock, random, threads, CallerContexts.NONE);
        return open(wiring, UserIdentity.of("simulation"), settings);
    }

    private static TatamiClient open(TatamiClient.Wiring wiring, UserIdentity user, Settings settings)
            throws TatamiException {
        try {
            return TatamiClient.open(wiring, user, ClientSettings.from(settings), wiring.connector()::close);
        } catch (TatamiException e) {
            wiring.connector().close();
            throw e;
        }
    }
}
