package io.tatami.meta.service.host;

import io.tatami.base.Clock;
import io.tatami.conf.Settings;
import io.tatami.meta.gate.HandleSigner;
import io.tatami.meta.service.Peers;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;

/** What all groups of a process share. */
record HostParts(
        Peers peers,
        HandleSigner signer,
        Clock clock,
        Settings settings,
        Executor readers,
        ScheduledExecutorService timer) {}
