package io.tatami.meta.service.tree;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import io.tatami.base.DirectoryId;
import io.tatami.base.GroupId;
import io.tatami.base.ServerId;
import io.tatami.base.SessionId;
import io.tatami.base.TatamiException;
import io.tatami.meta.op.shard.Announce;
import io.tatami.meta.service.GroupPeers;
import io.tatami.meta.service.tree.flow.GatePruner;
import io.tatami.meta.state.Caller;
import io.tatami.meta.state.Draft;
import io.tatami.meta.state.MemoryView;
import io.tatami.meta.state.RequestContext;
import io.tatami.meta.state.ShardState;
import io.tatami.meta.state.TreeVersion;
import io.tatami.meta.state.wire.GateRecord;
import io.tatami.protocol.Method;
import io.tatami.protocol.RequestLimits;
import io.tatami.protocol.wire.AnnounceRequest;
import io.tatami.protocol.wire.ClusterMap;
import io.tatami.protocol.wire.Endpoint;
import io.tatami.protocol.wire.TreeChange;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** A shard is told of however much by requests within their limits, and decides on a part of its gate at a time. */
final class PagedAnnouncementsTest {
    private static final GroupId SHARD = GroupId.ofShard(0);
    private static final RequestContext CONTEXT =
            new RequestContext(new Caller("", List.of(), true), SessionId.NONE, 100);

    private final MemoryView store = new MemoryView();
    private final List<AnnounceRequest> asked = new ArrayList<>();
    private final List<Integer> changed = new ArrayList<>();
    private final CompletableFuture<Void> firstIsAnswered = new CompletableFuture<>();

    /** The shard, whose answers wait until the first one may go. */
    private final class Shard implements GroupPeers {
        @Override
        public <Q extends Message, R extends Message> CompletableFuture<R> call(
                GroupId to, Method<Q, R> method, Q body, long timeoutMillis) {
            AnnounceRequest request = (AnnounceRequest) body;
            asked.add(request);
            return firstIsAnswered.thenApply(go -> answer(method, request));
        }

        private <R extends Message> R answer(Method<?, R> method, AnnounceRequest request) {
            try {
                RequestLimits.require(method.name(), request);
                Draft draft = new Draft(store);
                Message reply = new Announce().decide(new ShardState(draft), CONTEXT, request);
                changed.add(draft.changes().size());
                store.apply(draft);
                return method.replyParser().parseFrom(reply.toByteString());
            } catch (InvalidProtocolBufferException e) {
                throw new AssertionError(e);
            } catch (TatamiException e) {
                throw new AssertionError("above a limit", e);
            }
        }

        @Override
        public <Q extends Message, R extends Message> CompletableFuture<R> callBlockServer(
                ServerId to, Method<Q, R> method, Q body) {
            throw new AssertionError("asked a block server");
        }

        @Override
        public <Q extends Message, R extends Message> CompletableFuture<R> callMetadataServer(
                Endpoint to, Method<Q, R> method, Q body, long timeoutMillis) {
            throw new AssertionError("asked a metadata server");
        }

        @Override
        public ClusterMap map() {
            return ClusterMap.getDefaultInstance();
        }
    }

    private static List<TreeChange> changes(int first, int count) {
        List<TreeChange> changes = new ArrayList<>();
        for (int id = first; id < first + count; id++) {
            changes.add(TreeChange.newBuilder().setDirectoryId(id).setVersion(5).build());
        }
        return changes;
    }

    @Test
    void changesThatWaitGoInRequestsWithinTheLimitAndEachIsAnsweredItsOwn() {
        ShardAnnouncer announcer = new ShardAnnouncer(SHARD, new Shard(), 1_000);
        List<CompletableFuture<ShardAnnouncer.Told>> answers = new ArrayList<>();
        answers.add(announcer.announce(changes(1, 1)));
        int each = 3;
        int count = RequestLimits.TREE_CHANGES / each + 2;
        for (int i = 0; i < count; i++) {
            answers.add(announcer.announce(changes(10 + each * i, each)));
        }
        firstIsAnswered.complete(null);
        assertEquals(3, asked.size());
        assertEquals(RequestLimits.TREE_CHANGES / each * each, asked.get(1).getChangeCount());
        assertEquals(2 * each, asked.get(2).getChangeCount());
        for (int i = 0; i < count; i++) {
            assertEquals(
                    10 + each * i, answers.get(i + 1).join().slices().get(0).getDirectoryId());
        }
    }

    @Test
    void floorIsRaisedBySoManyDecisionsThatNoneChangesManyRecords() {
        int known = 3 * Announce.FORGET_MAX + 1;
        Draft draft = new Draft(store);
        ShardState state = new ShardState(draft);
        for (int id = 1; id <= known; id++) {
            GateRecord gate =
                    GateRecord.newBuilder().setVersion(id % 3 == 0 ? 9 : 5).build();
            state.putGate(new DirectoryId(id), gate);
        }
        store.apply(draft);
        firstIsAnswered.complete(null);
        GatePruner.raise(new Shard(), SHARD, new TreeVersion(8), 0).join();
        assertEquals(4, asked.size());
        assertTrue(changed.stream().allMatch(count -> count <= Announce.FORGET_MAX + 1), changed::toString);
        ShardState after = new ShardState(new Draft(store));
        for (int id = 1; id <= known; id++) {
            assertEquals(id % 3 == 0 ? 9 : 0, after.gate(new DirectoryId(id)).getVersion());
        }
    }
}
