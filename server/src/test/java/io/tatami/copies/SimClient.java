package io.tatami.copies;

import io.tatami.base.TatamiException;
import io.tatami.client.TatamiClient;
import io.tatami.client.WiredClient;
import io.tatami.client.meta.LeaseThreads;
import io.tatami.conf.Settings;
import io.tatami.protocol.UserIdentity;
import io.tatami.rpc.Connector;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;

/** The process of one client. */
final class SimClient {
    private static final Settings SETTINGS = Settings.of(Map.of(
            "tatami.client.host", "10.78.0.1",
            "tatami.client.lease.renewal", "1s",
            "tatami.client.operation.timeout", "20s",
            "tatami.client.attempt.timeout", "1s",
            "tatami.client.block.timeout", "3s",
            "tatami.client.shared.memory", "false",
            "tatami.client.write.window", "2m",
            "tatami.client.read.ahead", "1m"));

    private final CopiesWorld world;
    private final InetSocketAddress address;
    private final Connector connector;
    private final Random random;
    private boolean isDead;

    SimClient(CopiesWorld world, int number, Random random) {
        this.world = world;
        this.address = InetSocketAddress.createUnresolved("client-" + number, 1);
        this.connector = world.network().connector(address, UserIdentity.of("simulation"));
        this.random = random;
    }

    InetSocketAddress address() {
        return address;
    }

    boolean isDead() {
        return isDead;
    }

    /** Nothing of this client reaches anybody from now on. */
    void die() {
        isDead = true;
        world.coverage().count("clients died");
        world.network().crash(address);
        connector.close();
    }

    TatamiClient open() throws TatamiException {
        LeaseThreads threads = new LeaseThreads() {
            @Override
            public void later(Runnable task, long delayMillis) {
                world.time().after(TimeUnit.MILLISECONDS.toNanos(delayMillis), unlessDead(task));
            }

            @Override
            public void mend(Runnable task) {
                repeat(task);
            }

            @Override
            public void repeat(Runnable task) {
                world.time().after(1, unlessDead(task));
            }
        };
        return WiredClient.open(connector, SimMetadata.ADDRESS, SETTINGS, world.time(), random, threads);
    }

    private Runnable unlessDead(Runnable task) {
        return () -> {
            if (!isDead) {
                task.run();
            }
        };
    }
}
