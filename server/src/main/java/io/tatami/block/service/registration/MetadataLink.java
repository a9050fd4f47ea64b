package io.tatami.block.service.registration;

import io.tatami.base.GroupId;
import io.tatami.protocol.wire.ClusterMap;
import io.tatami.protocol.wire.CopiesMadeRequest;
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

    /** A map that is newer than the one of the request comes with the reply. */
    CompletableFuture<HeartbeatReply> heartbeat(HeartbeatRequest request);

    CompletableFuture<GiveCreditsReply> giveCredits(GroupId shard, GiveCreditsRequest request);

    /** Tells a shard which of its blocks are damaged here. */
    CompletableFuture<Empty> damagedCopies(GroupId shard, DamagedCopiesRequest request);

    /** Tells a shard which copies of its blocks were made here, or could not be. */
    CompletableFuture<Empty> copiesMade(GroupId shard, CopiesMadeRequest request);

    /** By which the groups are found from now on. */
    void use(ClusterMap map);
}
