package io.tatami.block.service.registration;

import io.tatami.base.GroupId;
import io.tatami.protocol.wire.ClusterMap;
import io.tatami.protocol.wire.DamagedCopiesRequest;
import io.tatami.protocol.wire.Empty;
import io.tatami.protocol.wire.GiveCreditsReply;
import io.tatami.protocol.wire.GiveCreditsRequest;
import io.tatami.protocol.wire.HeartbeatReply;
import io.tatami.protocol.wire.HeartbeatRequest;
import io.tatami.protocol.wire.RegisterBlockServerReply;
import io.tatami.protocol.wire.RegisterBlockServerRequest;
import java.util.concurrent.CompletableFuture;

/**
 * What a block server says to the metadata groups, wherever they are. Futures fail with a
 * {@link io.tatami.base.TatamiException}; trying again is the caller's. Safe for use by many threads.
 */
public interface MetadataLink {
    CompletableFuture<RegisterBlockServerReply> register(RegisterBlockServerRequest request);

    /** @param mapEpoch of the map the server has, 0 for none; a newer one comes with the reply */
    CompletableFuture<HeartbeatReply> heartbeat(HeartbeatRequest request, long mapEpoch);

    CompletableFuture<GiveCreditsReply> giveCredits(GroupId shard, GiveCreditsRequest request);

    /** Tells a shard which of its blocks are damaged here. */
    CompletableFuture<Empty> damagedCopies(GroupId shard, DamagedCopiesRequest request);

    /** By which the groups are found from now on. */
    void use(ClusterMap map);
}
