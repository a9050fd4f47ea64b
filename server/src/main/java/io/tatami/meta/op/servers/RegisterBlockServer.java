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
import java.util.function.Predicate;

/**
 * Makes a block server a member. It keeps its id if it has a volume that it had before, open or not, or if it is the
 * process that registered last. Otherwise its id is new: a server whose volumes were wiped must not answer for what was
 * on them. The settings that an administrator made for it stay. A server that was given up does not come back.
 *
 * <p>Another process than the one that registered last is taken for the server only if its disk shows that one among
 * the processes before it, so that a cloned or restored disk does not answer for what the server did since; and only
 * when that one is away, since a clone of this moment shows the same. A process of an earlier release, which has no
 * incarnation, is taken as it comes.
 */
public final class RegisterBlockServer
        implements Operation<ClusterState, RegisterBlockServerRequest, RegisterBlockServerReply> {
    private final Predicate<ServerId> isAway;

    /** @param isAway whether nobody has heard lately of the process of a server that registered last */
    public RegisterBlockServer(Predicate<ServerId> isAway) {
        this.isAway = isAway;
    }

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
        if (known != null) {
            requireSuccessor(id, known, request);
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
                .setIncarnation(request.getIncarnation())
                .clearLeft()
                .clearBrakeReleased();
        BlockServerRecord now = known == null ? record.build() : ServerRack.counted(known, record.build());
        if (!now.equals(known)) {
            state.putServer(id, now);
        }
        return RegisterBlockServerReply.newBuilder()
                .setServerId(id.value())
                .setMap(context.cluster())
                .build();
    }

    private void requireSuccessor(ServerId id, BlockServerRecord known, RegisterBlockServerRequest request)
            throws TatamiException {
        long last = known.getIncarnation();
        if (last == 0 || request.getIncarnation() == 0 || request.getIncarnation() == last) {
            return;
        }
        if (request.getPreviousIncarnation() != last
                && !request.getFormerIncarnationList().contains(last)) {
            throw new TatamiException(
                    ErrorCode.FENCED,
                    "the disk of this process does not show the last start of block server " + id + ", at "
                            + known.getDataHost() + ":" + known.getDataPort()
                            + ": it is a copy of the server's disk, or was restored from one. Format its volumes and use"
                            + " a new directory, so that it joins as a new server; or, if the server itself is lost,"
                            + " 'tatami admin block admit' lets this one take its place");
        }
        boolean isSamePlace = known.getDataHost().equals(request.getData().getHost())
                && known.getDataPort() == request.getData().getPort();
        if (!known.getLeft() && !isSamePlace && !isAway.test(id)) {
            throw new TatamiException(
                    ErrorCode.IN_USE,
                    "block server " + id + " was heard of lately at " + known.getDataHost() + ":" + known.getDataPort()
                            + ": this process takes its place when that has been silent for 10 s. If both run, one of"
                            + " them has a copy of the other's disk: stop it, format its volumes and use a new directory");
        }
    }

    /**
     * The process that registered last is the server whatever volumes it has now: they may all have been exchanged
     * since. Of several servers that had one of the volumes, as one was moved from server to server, it is the one that
     * it says.
     */
    private static ServerId idOf(ClusterState state, RegisterBlockServerRequest request) {
        ServerId told = new ServerId(request.getServerId());
        BlockServerRecord known = told.equals(ServerId.NONE) ? null : state.server(told);
        if (known != null && (isSameProcess(known, request) || sharesVolume(known, request))) {
            return told;
        }
        for (ClusterState.Server other : state.servers()) {
            if (sharesVolume(other.record(), request)) {
                return other.id();
            }
        }
        return state.mintServer();
    }

    private static boolean isSameProcess(BlockServerRecord known, RegisterBlockServerRequest request) {
        return request.getIncarnation() != 0 && request.getIncarnation() == known.getIncarnation();
    }

    private static boolean sharesVolume(BlockServerRecord known, RegisterBlockServerRequest request) {
        return !Collections.disjoint(known.getVolumeIdList(), request.getVolumeIdList());
    }
}
