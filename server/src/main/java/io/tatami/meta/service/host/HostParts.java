package io.tatami.meta.service.host;

import io.tatami.conf.Settings;
import io.tatami.meta.gate.HandleSigner;
import io.tatami.meta.service.Peers;
import io.tatami.rpc.GroupThread;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Function;

/**
 * What all groups of a process share.
 *
 * @param threads makes the thread of a group's term, of the name given
 */
record HostParts(
        Peers peers,
        HandleSigner signer,
        SteadyClock clock,
        Settings settings,
        Executor readers,
        ScheduledExecutorService timer,
        Function<String, GroupThread> threads) {}
