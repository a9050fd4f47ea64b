package io.tatami.meta.service.move;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import com.google.protobuf.Message;
import io.tatami.base.Clock;
import io.tatami.base.DirectoryId;
import io.tatami.base.GroupId;
import io.tatami.conf.Settings;
import io.tatami.meta.gate.HandleSigner;
import io.tatami.meta.service.NoPeers;
import io.tatami.meta.service.RequestOrigin;
import io.tatami.meta.service.host.QueuedWork;
import io.tatami.meta.service.host.SteppedGroup;
import io.tatami.meta.state.Draft;
import io.tatami.meta.state.Keys;
import io.tatami.meta.state.MemoryView;
import io.tatami.meta.state.ShardState;
import io.tatami.meta.state.TransactionId;
import io.tatami.meta.state.wire.EntryRecord;
import io.tatami.meta.state.wire.FileEntry;
import io.tatami.meta.state.wire.GroupRecord;
import io.tatami.meta.state.wire.TransactionRecord;
import io.tatami.protocol.MetaMethods;
import io.tatami.protocol.Method;
import io.tatami.protocol.wire.Attributes;
import io.tatami.protocol.wire.BulkDeleteReply;
import io.tatami.protocol.wire.BulkDeleteRequest;
import io.tatami.protocol.wire.Handle;
import io.tatami.protocol.wire.ListReply;
import io.tatami.protocol.wire.ListRequest;
import io.tatami.protocol.wire.MoveStatusReply;
import io.tatami.protocol.wire.MoveStatusRequest;
import io.tatami.protocol.wire.SignedHandle;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A directory with some hundreds of entries that are leaving for another shard, in a group that decides in steps. */
final class LeavingListingTest implements NoPeers {
    private static final DirectoryId DIRECTORY = new DirectoryId(7);
    private static final int ENTRIES = 900;

    private final MemoryView store = new MemoryView();
    private final HandleSigner signer = new HandleSigner(ByteString.copyFromUtf8("a key"));
    private final QueuedWork work = new QueuedWork();
    private final GroupRecord record =
            GroupRecord.newBuilder().setGroup(0).setShards(2).build();
    private SteppedGroup shard = newShard();
    private int asked;

    /** Of every three entries the first one has left, the second one has not yet, and the third one stays. */
    private static boolean isLeaving(int entry) {
        return entry % 3 != 2;
    }

    @BeforeEach
    void fill() throws Exception {
        Draft draft = new Draft(store);
        draft.put(Keys.singleton("group"), record.toByteArray());
        ShardState state = new ShardState(draft);
        for (int i = 0; i < ENTRIES; i++) {
            EntryRecord.Builder entry = EntryRecord.newBuilder()
                    .setFile(FileEntry.newBuilder()
                            .setFileId(state.mintFile().value())
                            .setAttributes(Attributes.newBuilder().setOwner("").setMode(0644)));
            if (isLeaving(i)) {
                long mark = state.mintMark().value();
                entry.setLeavingTransaction(1 + i).setLeavingMark(mark).setLeavingToGroup(1);
                state.putTransaction(
                        new TransactionId(1 + i),
                        TransactionRecord.newBuilder()
                                .setMark(mark)
                                .setOtherGroup(1)
                                .setSourceParentId(DIRECTORY.value())
                                .setSourceName(name(i))
                                .build());
            }
            state.entries().changeRecord(DIRECTORY, name(i), entry.build());
        }
        store.apply(draft);
        shard = newShard();
        shard.addShardParts();
    }

    @Test
    void listingOfHundredsOfLeavingEntriesTellsWhichAreThere() throws Exception {
        List<String> expected = new ArrayList<>();
        for (int i = 0; i < ENTRIES; i++) {
            if (i % 3 != 0) {
                expected.add(name(i));
            }
        }
        List<String> listed = new ArrayList<>();
        ListReply page;
        do {
            String after = listed.isEmpty() ? "" : listed.get(listed.size() - 1);
            page = ask(
                    MetaMethods.LIST,
                    ListRequest.newBuilder().setHandle(handle()).setAfter(after).build());
            page.getStatusList().forEach(status -> listed.add(status.getName()));
        } while (page.getMore());
        assertEquals(expected, listed);
        assertTrue(work.commits() <= 6, () -> work.commits() + " commits settled what was leaving");
        assertEquals(ENTRIES / 3 * 2, asked);
    }

    @Test
    void bulkDeleteSettlesWhatHasLeftInFewCommits() throws Exception {
        BulkDeleteRequest.Builder request = BulkDeleteRequest.newBuilder();
        for (int i = 0; i < ENTRIES; i += 3) {
            request.addItem(
                    BulkDeleteRequest.Item.newBuilder().setHandle(handle()).setName(name(i)));
        }
        BulkDeleteReply reply = ask(MetaMethods.BULK_DELETE, request.build());
        assertEquals(ENTRIES / 3, reply.getResultCount());
        assertTrue(work.commits() <= 3, () -> work.commits() + " commits settled what was leaving");
    }

    private static String name(int entry) {
        return String.format("f%04d", entry);
    }

    private <Q extends Message, R extends Message> R ask(Method<Q, R> method, Q request) throws Exception {
        CompletableFuture<? extends Message> reply = shard.serve(method, RequestOrigin.SERVICE, request);
        work.runUntilDone(reply);
        return method.replyParser().parseFrom(reply.join().toByteString());
    }

    private SignedHandle handle() {
        return signer.sign(Handle.newBuilder()
                .setDirectoryId(DIRECTORY.value())
                .addAncestorId(DirectoryId.ROOT.value())
                .setVersion(1)
                .setExpiresMillis(Long.MAX_VALUE)
                .setAttributes(Attributes.newBuilder().setMode(0777))
                .setSpread(1)
                .setUser(RequestOrigin.SERVICE.caller().user())
                .build());
    }

    private SteppedGroup newShard() {
        return new SteppedGroup(store, record, this, signer, Clock.SYSTEM, Settings.defaults(), work);
    }

    @Override
    public <Q extends Message, R extends Message> CompletableFuture<R> call(
            GroupId to, Method<Q, R> method, Q body, long timeoutMillis) {
        assertEquals(MetaMethods.MOVE_STATUS.number(), method.number());
        asked++;
        int entry = (int) ((MoveStatusRequest) body).getTransactionId() - 1;
        MoveStatusReply reply = MoveStatusReply.newBuilder()
                .setCommitted(entry % 3 == 0)
                .setPending(entry % 3 == 1)
                .build();
        try {
            return CompletableFuture.completedFuture(method.replyParser().parseFrom(reply.toByteString()));
        } catch (com.google.protobuf.InvalidProtocolBufferException e) {
            return CompletableFuture.failedFuture(e);
        }
    }
}
