package io.tatami.meta.service.lead;

import io.tatami.conf.Settings;
import io.tatami.meta.gate.HandleSigner;
import io.tatami.meta.service.GroupPeers;
import io.tatami.meta.service.Invitations;
import io.tatami.rpc.GroupThread;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Function;

/**
 * What all groups of a process share.
 *
 * @param threads makes the thread of a group's term, of the name given
 * @param observer told of each group's batches
 * @param invitations to the console of the process
 */
public record HostServices(
        GroupPeers peers,
        HandleSigner signer,
        SteadyClock clock,
        Settings settings,
        Executor readers,
        ScheduledExecutorService timer,
        Function<String, GroupThread> threads,
        GroupObserver observer,
        Invitations invitations) {}
