package io.tatami.meta.op.servers;

import io.tatami.base.ErrorCode;
import io.tatami.base.ServerId;
import io.tatami.base.TatamiException;
import io.tatami.meta.op.Access;
import io.tatami.meta.op.Operation;
import io.tatami.meta.state.ClusterState;
import io.tatami.meta.state.RequestContext;
import io.tatami.meta.state.wire.BlockServerRecord;
import io.tatami.protocol.wire.BlockServerInfo;
import io.tatami.protocol.wire.ChangeBlockServerReply;
import io.tatami.protocol.wire.ChangeBlockServerRequest;
import java.time.Duration;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * An administrator's change of a block server: what it is to serve, its rack, and the rate of its copies; whether
 * copies are made although servers are silent, and moved from full servers to empty ones; and that a server is no
 * member any more.
 */
public final class ChangeBlockServer
        implements Operation<ClusterState, ChangeBlockServerRequest, ChangeBlockServerReply> {
    /** A server that is away for longer is lost for most purposes. */
    public static final long MAINTENANCE_MILLIS_MAX = Duration.ofDays(30).toMillis();

    private static final int RACK_BYTES_MAX = 1_024;
    private static final int NO_LIMIT = -1;
    private static final int NO_BALANCE = -1;
    private static final int BALANCE_PERCENT_MAX = 90;

    private final Predicate<ServerId> isDead;
    private final Predicate<ServerId> isAway;

    /**
     * @param isDead whether a server has been silent for so long that it counts as dead
     * @param isAway whether it has been silent for long enough that it is stale, or has said that it ends
     */
    public ChangeBlockServer(Predicate<ServerId> isDead, Predicate<ServerId> isAway) {
        this.isDead = isDead;
        this.isAway = isAway;
    }

    @Override
    public ChangeBlockServerReply decide(ClusterState state, RequestContext context, ChangeBlockServerRequest request)
            throws TatamiException {
        Access.requireSuperuser(context.caller(), "change block servers");
        if (request.getAction() == ChangeBlockServerRequest.Action.SET_COPY_RATE && request.getServerId() == 0) {
            for (ClusterState.Server server : state.servers()) {
                put(state, server.id(), server.record(), withRate(server.record(), request));
            }
            return reply(context);
        }
        if (request.getAction() == ChangeBlockServerRequest.Action.SET_BALANCE) {
            setBalance(state, request.getBalancePercent());
            return reply(context);
        }
        if (request.getAction() == ChangeBlockServerRequest.Action.RELEASE_BRAKE) {
            for (ClusterState.Server server : state.servers()) {
                if (isAway.test(server.id())) {
                    put(
                            state,
                            server.id(),
                            server.record(),
                            server.record().toBuilder().setBrakeReleased(true).build());
                }
            }
            return reply(context);
        }
        ServerId id = new ServerId(request.getServerId());
        if (request.getAction() == ChangeBlockServerRequest.Action.FORGET) {
            forget(state, id);
            return reply(context);
        }
        BlockServerRecord record = require(state, id);
        put(state, id, record, ServerRack.counted(record, changed(id, record, context, request)));
        return reply(context);
    }

    private static void setBalance(ClusterState state, int percent) throws TatamiException {
        if (percent < NO_BALANCE || percent > BALANCE_PERCENT_MAX) {
            throw new TatamiException(
                    ErrorCode.INVALID_ARGUMENT,
                    "a difference of " + percent + " percent between servers: it must be 1 to " + BALANCE_PERCENT_MAX
                            + ", or 0 for the default, or " + NO_BALANCE + " for no balance");
        }
        if (percent != state.balancePercent()) {
            state.setBalancePercent(percent);
        }
    }

    private void forget(ClusterState state, ServerId id) throws TatamiException {
        BlockServerRecord record = find(state, id);
        if (!isAway.test(id)) {
            throw new TatamiException(
                    ErrorCode.IN_USE, "block server " + id + " was heard of lately: stop it, and forget it 10 s later");
        }
        if (!record.getDrained()) {
            throw new TatamiException(
                    ErrorCode.IN_USE,
                    "shards may have blocks on block server " + id + ": drain it while it runs, or give it up if it is"
                            + " lost, and forget it when 'tatami admin block status' shows it as drained");
        }
        state.removeServer(id);
    }

    private BlockServerRecord changed(
            ServerId id, BlockServerRecord record, RequestContext context, ChangeBlockServerRequest request)
            throws TatamiException {
        return switch (request.getAction()) {
            case DRAIN -> inState(record, BlockServerInfo.State.DRAINING, 0);
            case SERVE -> inState(record, BlockServerInfo.State.JOINING, 0);
            case MAINTENANCE -> maintenance(record, context, request.getMaintenanceMillis());
            case GIVE_UP -> givenUp(id, record);
            case SET_RACK -> withRack(record, request.getRack());
            case SET_COPY_RATE -> withRate(record, request);
            case ADMIT -> admitted(id, record);
            case FORGET, RELEASE_BRAKE, SET_BALANCE, NONE, UNRECOGNIZED ->
                throw new TatamiException(ErrorCode.INVALID_ARGUMENT, "the request names no change of the server");
        };
    }

    private static BlockServerRecord maintenance(BlockServerRecord record, RequestContext context, long millis)
            throws TatamiException {
        if (millis <= 0 || millis > MAINTENANCE_MILLIS_MAX) {
            throw new TatamiException(
                    ErrorCode.INVALID_ARGUMENT,
                    "a maintenance of " + millis + " ms: it must be above 0 and at most "
                            + Duration.ofMillis(MAINTENANCE_MILLIS_MAX).toDays() + " days");
        }
        return inState(record, BlockServerInfo.State.MAINTENANCE, context.nowMillis() + millis);
    }

    private BlockServerRecord givenUp(ServerId id, BlockServerRecord record) throws TatamiException {
        if (!isDead.test(id)) {
            throw new TatamiException(
                    ErrorCode.IN_USE,
                    "block server " + id + " was heard of lately, and is given up only when it is dead: stop it, wait"
                            + " until 'tatami admin block status' shows it as dead, or drain it instead");
        }
        return inState(record, BlockServerInfo.State.GONE, 0);
    }

    private BlockServerRecord admitted(ServerId id, BlockServerRecord record) throws TatamiException {
        if (!isDead.test(id)) {
            throw new TatamiException(
                    ErrorCode.IN_USE,
                    "block server " + id
                            + " was heard of lately: another process takes its place only when it is dead");
        }
        return record.toBuilder().clearIncarnation().build();
    }

    private static BlockServerRecord withRack(BlockServerRecord record, String rack) throws TatamiException {
        if (!rack.isEmpty() && (!rack.startsWith("/") || rack.length() > RACK_BYTES_MAX)) {
            throw new TatamiException(
                    ErrorCode.INVALID_ARGUMENT,
                    "the rack '" + rack + "' is not a path such as /room1/rack7; leave it empty for the server's own");
        }
        return record.toBuilder().setGivenRack(rack).build();
    }

    private static BlockServerRecord withRate(BlockServerRecord record, ChangeBlockServerRequest request)
            throws TatamiException {
        long rate = request.getCopyBytesPerSecond();
        if (rate < NO_LIMIT) {
            throw new TatamiException(
                    ErrorCode.INVALID_ARGUMENT,
                    "a rate of " + rate + " bytes a second: it must be above 0, 0 for the server's own setting, or "
                            + NO_LIMIT + " for no limit");
        }
        return record.toBuilder().setCopyBytesPerSecond(rate).build();
    }

    private static BlockServerRecord inState(BlockServerRecord record, BlockServerInfo.State next, long untilMillis) {
        return record.toBuilder()
                .setState(next.getNumber())
                .setMaintenanceUntilMillis(untilMillis)
                .clearDrained()
                .build();
    }

    private static BlockServerRecord find(ClusterState state, ServerId id) throws TatamiException {
        @Nullable BlockServerRecord record = state.server(id);
        if (record == null) {
            throw new TatamiException(
                    ErrorCode.NOT_FOUND, "the cluster has no block server " + id + "; see tatami admin block status");
        }
        return record;
    }

    private static BlockServerRecord require(ClusterState state, ServerId id) throws TatamiException {
        BlockServerRecord record = find(state, id);
        if (record.getState() == BlockServerInfo.State.GONE_VALUE) {
            throw new TatamiException(
                    ErrorCode.INVALID_ARGUMENT, "block server " + id + " was given up, and does not come back");
        }
        return record;
    }

    private static void put(ClusterState state, ServerId id, BlockServerRecord before, BlockServerRecord now) {
        if (!now.equals(before)) {
            state.putServer(id, now);
        }
    }

    private static ChangeBlockServerReply reply(RequestContext context) {
        return ChangeBlockServerReply.newBuilder().setMap(context.cluster()).build();
    }
}
