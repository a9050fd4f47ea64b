package io.tatami.meta.op.cluster;

import com.google.protobuf.ByteString;
import io.tatami.meta.op.Operation;
import io.tatami.meta.state.Draft;
import io.tatami.meta.state.Keys;
import io.tatami.meta.state.Needs.Urgency;
import io.tatami.meta.state.Records;
import io.tatami.meta.state.RequestContext;
import io.tatami.meta.state.Totals;
import io.tatami.meta.state.View;
import io.tatami.meta.state.wire.ProgressRecord;
import io.tatami.meta.state.wire.TotalsRecord;
import io.tatami.protocol.wire.BlockServerInfo;
import io.tatami.protocol.wire.ClusterMap;
import io.tatami.protocol.wire.GroupStatusReply;
import io.tatami.protocol.wire.GroupStatusRequest;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.function.Predicate;

/**
 * A group in numbers, from the totals that are kept with every batch; and on demand a hash over all records, equal for
 * equal states, for which all of them are read.
 */
public final class CountRecords implements Operation<Draft, GroupStatusRequest, GroupStatusReply> {
    private static final byte[] BEFORE_ALL = {0};
    private static final byte[] AFTER_ALL = {(byte) 0xff};

    private final Predicate<View> firstDirectoriesMissing;

    /** @param firstDirectoriesMissing whether the cluster still waits for them, as far as this group has a say in it */
    public CountRecords(Predicate<View> firstDirectoriesMissing) {
        this.firstDirectoriesMissing = firstDirectoriesMissing;
    }

    @Override
    public GroupStatusReply decide(Draft state, RequestContext context, GroupStatusRequest request) {
        TotalsRecord totals = Totals.of(state);
        GroupStatusReply.Builder reply = GroupStatusReply.newBuilder()
                .setAppliedIndex(appliedIndex(state))
                .setFiles(totals.getFiles())
                .setBytes(totals.getBytes())
                .setDirectories(totals.getDirectories())
                .setBlocks(totals.getBlocks())
                .setLeases(totals.getLeases())
                .setFirstDirectoriesMissing(firstDirectoriesMissing.test(state))
                .setGateEntries(totals.getGates())
                .setPendingOutbox(totals.getOutbox())
                .setPendingTransactions(totals.getTransactions())
                .setPendingReclaimBlocks(totals.getReclaimBlocks())
                .setPendingReclaimBytes(totals.getReclaimBytes());
        addCopies(reply, totals, servers(context.cluster()));
        if (request.getWithHash()) {
            reply.setStateHash(hash(state));
        }
        return reply.build();
    }

    private static void addCopies(GroupStatusReply.Builder reply, TotalsRecord totals, int servers) {
        long beyond = 0;
        for (int i = 0; i < totals.getFilesByCopiesCount(); i++) {
            if (i + Totals.COPIES_COUNTED_MIN > servers) {
                beyond += totals.getFilesByCopies(i);
            }
        }
        if (totals.getFilesByCopiesCount() > 0) {
            reply.setCopiesAskedMax(totals.getFilesByCopiesCount() - 1 + Totals.COPIES_COUNTED_MIN);
        }
        reply.setFilesBeyondServers(beyond)
                .setFilesOfSeveralCopies(totals.getFilesByCopiesList().stream()
                        .mapToLong(Long::longValue)
                        .sum())
                .setLastCopyBlocks(Totals.waiting(totals, Urgency.LAST_COPY))
                .setUnderReplicatedBlocks(Totals.waiting(totals, Urgency.UNDER_REPLICATED)
                        + Totals.waiting(totals, Urgency.UNSCHEDULABLE))
                .setUnjudgedBlocks(Totals.waiting(totals, Urgency.UNJUDGED));
    }

    /** Each holds one copy of a block at most. */
    private static int servers(ClusterMap cluster) {
        return (int) cluster.getBlockServerList().stream()
                .filter(server -> server.getState() != BlockServerInfo.State.DEAD
                        && server.getState() != BlockServerInfo.State.GONE)
                .count();
    }

    /** SHA-256 over length and bytes of every key and value, in the order of the keys. */
    private static ByteString hash(View view) {
        try (View.Cursor cursor = view.scan(BEFORE_ALL, AFTER_ALL)) {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            while (cursor.next()) {
                add(digest, cursor.key());
                add(digest, cursor.value());
            }
            return ByteString.copyFrom(digest.digest());
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }

    private static void add(MessageDigest digest, byte[] bytes) {
        digest.update(ByteBuffer.allocate(Integer.BYTES).putInt(bytes.length).array());
        digest.update(bytes);
    }

    private static long appliedIndex(View view) {
        byte[] value = view.get(Keys.singleton("progress"));
        return value == null ? 0 : Records.parse(value, ProgressRecord.parser()).getAppliedIndex();
    }
}
