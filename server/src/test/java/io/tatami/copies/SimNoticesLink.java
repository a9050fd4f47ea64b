package io.tatami.copies;

import com.google.protobuf.Message;
import io.tatami.base.GroupId;
import io.tatami.block.service.registration.SimulatedNotices;
import io.tatami.protocol.MetaMethods;
import io.tatami.protocol.Method;
import io.tatami.protocol.wire.CopiesMadeRequest;
import io.tatami.protocol.wire.DamagedCopiesRequest;
import io.tatami.protocol.wire.Empty;
import io.tatami.rpc.CallOptions;
import io.tatami.rpc.Connector;
import java.util.concurrent.CompletableFuture;

/** How a block server tells shards something: once, over the network. */
record SimNoticesLink(Connector connector) implements SimulatedNotices.Link {
    private static final long TIMEOUT_MILLIS = 2_000;

    @Override
    public CompletableFuture<Empty> copiesMade(GroupId shard, CopiesMadeRequest request) {
        return call(shard, MetaMethods.COPIES_MADE, request);
    }

    @Override
    public CompletableFuture<Empty> damagedCopies(GroupId shard, DamagedCopiesRequest request) {
        return call(shard, MetaMethods.DAMAGED_COPIES, request);
    }

    private <Q extends Message> CompletableFuture<Empty> call(GroupId shard, Method<Q, Empty> method, Q request) {
        CallOptions options = CallOptions.DEFAULT.withGroup(shard).withTimeoutMillis(TIMEOUT_MILLIS);
        return connector
                .connect(SimMetadata.ADDRESS)
                .thenCompose(connection -> connection.call(method, options, request));
    }
}
