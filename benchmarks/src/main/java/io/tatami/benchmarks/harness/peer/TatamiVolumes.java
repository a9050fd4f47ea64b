package io.tatami.benchmarks.harness.peer;

import io.tatami.client.TatamiClient;
import io.tatami.protocol.wire.BlockServerInfo;
import io.tatami.protocol.wire.VolumeStatus;
import java.io.IOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;

/** What the block servers of a Tatami say of their volumes. */
public final class TatamiVolumes {
    private static final long TIMEOUT_MILLIS = 10_000;

    private TatamiVolumes() {}

    /** Of all servers, in their order; none of another peer. */
    public static List<VolumeStatus> of(Peer peer) throws IOException {
        List<VolumeStatus> volumes = new ArrayList<>();
        URI uri = URI.create(peer.configuration().get("fs.defaultFS", ""));
        if ("tatami".equals(uri.getScheme())) {
            try (TatamiClient client = Peers.connect(peer)) {
                for (BlockServerInfo server : client.cluster().status().map().getBlockServerList()) {
                    volumes.addAll(client.cluster()
                            .blockServerStatus(server, TIMEOUT_MILLIS)
                            .getVolumeList());
                }
            }
        }
        return volumes;
    }
}
