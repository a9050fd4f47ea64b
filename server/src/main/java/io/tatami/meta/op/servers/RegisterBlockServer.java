package io.tatami.meta.op.servers;

import io.tatami.base.ErrorCode;
import io.tatami.base.ServerId;
import io.tatami.base.TatamiException;
import io.tatami.meta.op.Operation;
import io.tatami.meta.state.ClusterState;
import io.tatami.meta.state.RequestContext;
import io.tatami.meta.state.wire.BlockServerRecord;
import io.tatami.protocol.wire.BlockServerInfo;
import io.tatami.protocol.wire.RegisterBlockServerReply;
import io.tatami.protocol.wire.RegisterBlockServerRequest;
import java.util.Collections;

/**
 * Makes a block server a member, under the id it had if it still has a volume it had then, open or not, and under a new
 * one otherwise: a server whose volumes were wiped must not answer for what was on them. What an administrator has set
 * for it stays. A server that was given up does not come back.
 */
public final class RegisterBlockServer
        implements Operation<ClusterState, RegisterBlockServerRequest, RegisterBlockServerReply> {
    @Override
    public RegisterBlockServerReply decide(
            ClusterState state, RequestContext context, RegisterBlockServerRequest request) throws TatamiException {
        if (request.getVolumeIdCount() == 0) {
            throw new TatamiException(
                    ErrorCode.INVALID_ARGUMENT, "a block server without volumes cannot register; give it a volume");
        }
        ServerId id = idOf(state, request);
        BlockServerRecord known = state.server(id);
        if (known != null && known.getState() == BlockServerInfo.State.GONE_VALUE) {
            throw new TatamiException(
                    ErrorCode.INVALID_ARGUMENT,
                    "block server " + id + " was given up and does not come back under its id: format its volumes and"
                            + " use a new directory, so that it joins as a new server");
        }
        BlockServerRecord.Builder record = known == null
                ? BlockServerRecord.newBuilder()
                : known.toBuilder().clearVolumeId().clearStorageType();
        record.addAllVolumeId(request.getVolumeIdList())
                .setHost(request.getHost())
                .setDataHost(request.getData().getHost())
                .setDataPort(request.getData().getPort())
                .setRack(request.getRack())
                .addAllStorageType(request.getStorageTypeList())
                .setHasCache(request.getHasCache())
                .setIncarnation(request.getIncarnation());
        if (!record.build().equals(known)) {
            state.putServer(id, record.build());
        }
        return RegisterBlockServerReply.newBuilder()
                .setServerId(id.value())
                .setMap(context.cluster())
                .build();
    }

    private static ServerId idOf(ClusterState state, RegisterBlockServerRequest request) {
        for (ClusterState.Server known : state.servers()) {
            boolean shares = !Collections.disjoint(known.record().getVolumeIdList(), request.getVolumeIdList());
            if (shares) {
                return known.id();
            }
        }
        return state.mintServer();
    }
}
