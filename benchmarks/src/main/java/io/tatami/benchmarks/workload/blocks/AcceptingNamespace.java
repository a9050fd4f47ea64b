package io.tatami.benchmarks.workload.blocks;

import com.google.protobuf.ByteString;
import io.tatami.base.GroupId;
import io.tatami.block.service.registration.MetadataLink;
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
 * Metadata groups that take every block server at once, so that what is measured is the block server alone. The
 * benchmark itself does what a shard would.
 */
final class AcceptingNamespace implements MetadataLink {
    /** By which the server knows the benchmark as a metadata server. */
    static final ByteString CREDENTIAL = ByteString.copyFromUtf8("of a benchmark");

    @Override
    public CompletableFuture<RegisterBlockServerReply> register(RegisterBlockServerRequest request) {
        return CompletableFuture.completedFuture(RegisterBlockServerReply.newBuilder()
                .setServerId(1)
                .setMap(ClusterMap.newBuilder().setEpoch(1).setShards(1))
                .build());
    }

    @Override
    public CompletableFuture<HeartbeatReply> heartbeat(HeartbeatRequest request) {
        return CompletableFuture.completedFuture(
                HeartbeatReply.newBuilder().setCredential(CREDENTIAL).build());
    }

    @Override
    public CompletableFuture<GiveCreditsReply> giveCredits(GroupId shard, GiveCreditsRequest request) {
        return CompletableFuture.completedFuture(GiveCreditsReply.getDefaultInstance());
    }

    @Override
    public CompletableFuture<Empty> damagedCopies(GroupId shard, DamagedCopiesRequest request) {
        return CompletableFuture.completedFuture(Empty.getDefaultInstance());
    }

    @Override
    public CompletableFuture<Empty> copiesMade(GroupId shard, CopiesMadeRequest request) {
        return CompletableFuture.completedFuture(Empty.getDefaultInstance());
    }

    @Override
    public void use(ClusterMap map) {}
}
