package io.tatami.meta.op.cluster;

import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.meta.op.Operation;
import io.tatami.meta.state.Draft;
import io.tatami.meta.state.Keys;
import io.tatami.meta.state.Records;
import io.tatami.meta.state.RequestContext;
import io.tatami.meta.state.wire.MembersEpochRecord;
import io.tatami.protocol.wire.Empty;
import io.tatami.protocol.wire.SetGroupMembersRequest;

/**
 * Before a group's members are set: keeps in the group's own log by which map that is, so that each later leader
 * refuses what an older map says.
 */
public final class NoteMembersEpoch implements Operation<Draft, SetGroupMembersRequest, Empty> {
    private static final byte[] KEY = Keys.singleton("members.epoch");

    /** @throws TatamiException FENCED where the members were set by a newer map */
    @Override
    public Empty decide(Draft state, RequestContext context, SetGroupMembersRequest request) throws TatamiException {
        byte[] value = state.get(KEY);
        long known = value == null
                ? 0
                : Records.parse(value, MembersEpochRecord.parser()).getEpoch();
        if (request.getEpoch() < known) {
            throw new TatamiException(
                    ErrorCode.FENCED,
                    "the group's members were set by the map of epoch " + known + "; the map of epoch "
                            + request.getEpoch() + " is outdated");
        }
        if (request.getEpoch() > known) {
            state.put(
                    KEY,
                    MembersEpochRecord.newBuilder()
                            .setEpoch(request.getEpoch())
                            .build()
                            .toByteArray());
        }
        return Empty.getDefaultInstance();
    }
}
