package io.tatami.meta.op.shard;

import io.tatami.base.DirectoryId;
import io.tatami.meta.op.Operation;
import io.tatami.meta.state.Keys;
import io.tatami.meta.state.RequestContext;
import io.tatami.meta.state.ShardState;
import io.tatami.meta.state.TreeVersion;
import io.tatami.meta.state.View;
import io.tatami.meta.state.wire.GateRecord;
import io.tatami.protocol.wire.AnnounceReply;
import io.tatami.protocol.wire.AnnounceRequest;
import io.tatami.protocol.wire.TreeChange;
import java.util.ArrayList;
import java.util.List;

/**
 * Announces to a shard that directories change. From the batch of this decision on, the shard refuses older handles.
 * The shares are read in the same decision, so they include everything that was made with an older handle. Versions
 * only rise, so a late or repeated announcement has no effect.
 */
public final class Announce implements Operation<ShardState, AnnounceRequest, AnnounceReply> {
    /** Directories that are looked at in one decision when the floor rises. */
    public static final int FORGET_MAX = 4_096;

    @Override
    public AnnounceReply decide(ShardState state, RequestContext context, AnnounceRequest request) {
        AnnounceReply.Builder reply = AnnounceReply.newBuilder();
        for (TreeChange change : request.getChangeList()) {
            DirectoryId directory = new DirectoryId(change.getDirectoryId());
            state.putGate(directory, changed(state.gate(directory), change));
            TreeVersion version = new TreeVersion(change.getVersion());
            if (version.isAbove(state.gateNewest())) {
                state.putGateNewest(version);
            }
            reply.addSlice(ReadSlices.slice(directory, state.slice(directory)));
            if (change.getResetTimes()) {
                state.entries().forgetLastChange(directory);
            }
        }
        TreeVersion floor = new TreeVersion(request.getFloor());
        if (floor.isAbove(state.gateFloor())) {
            state.putGateFloor(floor);
        }
        if (floor.isAbove(TreeVersion.NONE)) {
            forget(state, floor, request.getForgetAfter(), reply);
        }
        if (request.getChangeList().stream().anyMatch(change -> !change.getSelfOnly())) {
            // From this decision on, no move is prepared here with an older handle.
            state.leavingTo().forEach(group -> reply.addMovingTo(group.value()));
        }
        return reply.build();
    }

    private static GateRecord changed(GateRecord gate, TreeChange change) {
        GateRecord.Builder changed = gate.toBuilder();
        if (change.getSelfOnly()) {
            changed.setSelfVersion(Math.max(gate.getSelfVersion(), change.getVersion()));
        } else {
            changed.setVersion(Math.max(gate.getVersion(), change.getVersion()));
        }
        return changed.build();
    }

    /** What only concerns handles below the floor need not be known any more; one page of what is known. */
    private static void forget(ShardState state, TreeVersion floor, long after, AnnounceReply.Builder reply) {
        List<byte[]> old = new ArrayList<>();
        byte[] from = Keys.gate(new DirectoryId(after + 1));
        int seen = 0;
        long last = after;
        try (View.Cursor cursor = state.draft().scan(from, Keys.after(Keys.kind('g')))) {
            while (cursor.next()) {
                if (seen == FORGET_MAX) {
                    reply.setForgetAfter(last);
                    break;
                }
                seen++;
                last = Keys.idOf(cursor.key());
                GateRecord gate = ShardState.parse(cursor.value(), GateRecord.parser());
                TreeVersion newest = new TreeVersion(Math.max(gate.getVersion(), gate.getSelfVersion()));
                if (newest.isBelow(floor)) {
                    old.add(cursor.key());
                }
            }
        }
        old.forEach(key -> state.removeGate(new DirectoryId(Keys.idOf(key))));
    }
}
