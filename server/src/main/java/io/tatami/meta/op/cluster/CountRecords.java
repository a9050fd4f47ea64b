package io.tatami.meta.op.cluster;

import com.google.protobuf.InvalidProtocolBufferException;
import io.tatami.meta.op.Operation;
import io.tatami.meta.state.Draft;
import io.tatami.meta.state.Keys;
import io.tatami.meta.state.RequestContext;
import io.tatami.meta.state.View;
import io.tatami.meta.state.wire.HomeRecord;
import io.tatami.meta.state.wire.ProgressRecord;
import io.tatami.meta.state.wire.ReclaimRecord;
import io.tatami.protocol.wire.GroupStatusReply;
import io.tatami.protocol.wire.GroupStatusRequest;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.function.Consumer;

/** A group in numbers, counted from its records; and on demand a hash over all of them, equal for equal states. */
public final class CountRecords implements Operation<Draft, GroupStatusRequest, GroupStatusReply> {
    @Override
    public GroupStatusReply decide(Draft state, RequestContext context, GroupStatusRequest request) {
        GroupStatusReply.Builder reply = GroupStatusReply.newBuilder()
                .setAppliedIndex(appliedIndex(state))
                .setDirectories(count(state, 'd', value -> {}))
                .setBlocks(count(state, 'b', value -> {}))
                .setLeases(count(state, 'l', value -> {}))
                .setGateEntries(count(state, 'g', value -> {}))
                .setPendingOutbox(count(state, 'o', value -> {}))
                .setPendingTransactions(count(state, 't', value -> {}));
        reply.setFiles(count(
                state,
                'f',
                value -> reply.setBytes(reply.getBytes() + home(value).getLength())));
        count(state, 'q', value -> {
            ReclaimRecord reclaim = reclaim(value);
            if (reclaim.getBlockId() != 0) {
                reply.setPendingReclaimBlocks(reply.getPendingReclaimBlocks() + 1);
                reply.setPendingReclaimBytes(reply.getPendingReclaimBytes() + reclaim.getBytes());
            }
        });
        if (request.getWithHash()) {
            reply.setStateHash(com.google.protobuf.ByteString.copyFrom(hash(state)));
        }
        return reply.build();
    }

    private static long count(View view, char kind, Consumer<byte[]> value) {
        long count = 0;
        try (View.Cursor cursor = view.scan(Keys.kind(kind), Keys.after(Keys.kind(kind)))) {
            while (cursor.next()) {
                value.accept(cursor.value());
                count++;
            }
        }
        return count;
    }

    private static byte[] hash(View view) {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            try (View.Cursor cursor = view.scan(new byte[] {0}, new byte[] {(byte) 0xff})) {
                while (cursor.next()) {
                    digest.update(cursor.key());
                    digest.update(cursor.value());
                }
            }
            return digest.digest();
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }

    private static long appliedIndex(View view) {
        byte[] value = view.get(Keys.singleton("progress"));
        try {
            return value == null ? 0 : ProgressRecord.parseFrom(value).getAppliedIndex();
        } catch (InvalidProtocolBufferException e) {
            throw new IllegalStateException("a stored record does not parse", e);
        }
    }

    private static HomeRecord home(byte[] value) {
        try {
            return HomeRecord.parseFrom(value);
        } catch (InvalidProtocolBufferException e) {
            throw new IllegalStateException("a stored record does not parse", e);
        }
    }

    private static ReclaimRecord reclaim(byte[] value) {
        try {
            return ReclaimRecord.parseFrom(value);
        } catch (InvalidProtocolBufferException e) {
            throw new IllegalStateException("a stored record does not parse", e);
        }
    }
}
