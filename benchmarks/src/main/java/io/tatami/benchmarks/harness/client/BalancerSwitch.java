package io.tatami.benchmarks.harness.client;

import io.tatami.client.ClusterAdmin;
import io.tatami.protocol.wire.ChangeBlockServerRequest;
import java.io.IOException;

/** The balancer of a cluster of Tatami, which otherwise moves copies while something is measured. */
public final class BalancerSwitch {
    private static final int OFF = -1;

    private BalancerSwitch() {}

    /** Moves that are under way go on. */
    public static void stop(ClusterAdmin cluster) throws IOException {
        set(cluster, OFF);
    }

    /** @param percent of their room by which servers may differ */
    public static void set(ClusterAdmin cluster, int percent) throws IOException {
        cluster.changeBlockServer(ChangeBlockServerRequest.newBuilder()
                .setAction(ChangeBlockServerRequest.Action.SET_BALANCE)
                .setBalancePercent(percent)
                .build());
    }
}
