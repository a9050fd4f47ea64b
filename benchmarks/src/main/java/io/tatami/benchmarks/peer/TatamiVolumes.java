package io.tatami.benchmarks.peer;

import io.tatami.client.TatamiClient;
import io.tatami.conf.Settings;
import io.tatami.protocol.UserIdentity;
import io.tatami.protocol.wire.BlockServerInfo;
import io.tatami.protocol.wire.VolumeStatus;
import java.io.IOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** What the block servers of a Tatami say of their volumes. */
public final class TatamiVolumes {
    private static final long TIMEOUT_MILLIS = 10_000;

    private TatamiVolumes() {}

    /** Of all servers, in their order; none of another peer. */
    public static List<VolumeStatus> of(Peer peer) throws IOException {
        List<VolumeStatus> volumes = new ArrayList<>();
        URI uri = URI.create(peer.configuration().get("fs.defaultFS", ""));
        if ("tatami".equals(uri.getScheme())) {
            UserIdentity user = UserIdentity.of(System.getProperty("user.name"));
            try (TatamiClient client = TatamiClient.connect(uri.getAuthority(), user, Settings.of(Map.of()))) {
                for (BlockServerInfo server : client.clusterStatus().map().getBlockServerList()) {
                    volumes.addAll(
                            client.blockServerStatus(server, TIMEOUT_MILLIS).getVolumeList());
                }
            }
        }
        return volumes;
    }
}
