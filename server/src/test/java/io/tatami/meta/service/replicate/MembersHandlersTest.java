package io.tatami.meta.service.replicate;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import com.google.protobuf.Message;
import io.tatami.base.Causes;
import io.tatami.base.Clock;
import io.tatami.base.ErrorCode;
import io.tatami.conf.Settings;
import io.tatami.meta.gate.HandleSigner;
import io.tatami.meta.service.NoPeers;
import io.tatami.meta.service.RequestOrigin;
import io.tatami.meta.service.host.QueuedWork;
import io.tatami.meta.service.host.SteppedGroup;
import io.tatami.meta.state.Draft;
import io.tatami.meta.state.Keys;
import io.tatami.meta.state.MemoryView;
import io.tatami.meta.state.wire.GroupRecord;
import io.tatami.protocol.MetaMethods;
import io.tatami.protocol.wire.SetGroupMembersRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A group whose leaders follow one another over what is in its log. */
final class MembersHandlersTest implements NoPeers {
    private static final int DONE = 0;

    private final MemoryView store = new MemoryView();
    private final GroupRecord record =
            GroupRecord.newBuilder().setGroup(0).setShards(1).build();
    private final QueuedWork work = new QueuedWork();

    /** The epochs by which members were set, in order. */
    private final List<Long> set = new ArrayList<>();

    @BeforeEach
    void format() {
        Draft draft = new Draft(store);
        draft.put(Keys.singleton("group"), record.toByteArray());
        store.apply(draft);
    }

    @Test
    void orderOfAnOlderMapIsRefusedByALeaderThatNeverSawTheNewerOne() throws Exception {
        SteppedGroup first = leader();
        assertEquals(DONE, order(first, 7));
        first.crash();

        SteppedGroup second = leader();
        assertEquals(ErrorCode.FENCED.number(), order(second, 6));
        assertEquals(List.of(7L), set);
        assertEquals(DONE, order(second, 7));
        assertEquals(DONE, order(second, 8));
        assertEquals(List.of(7L, 7L, 8L), set);
    }

    @Test
    void orderThatSaysTheSameAgainIsNoEntryOfTheLog() throws Exception {
        SteppedGroup leader = leader();
        assertEquals(DONE, order(leader, 7));
        MemoryView before = store.copy();
        assertEquals(DONE, order(leader, 7));
        assertTrue(store.sameAs(before));
    }

    private SteppedGroup leader() throws Exception {
        HandleSigner signer = new HandleSigner(ByteString.copyFromUtf8("a key"));
        SteppedGroup group = new SteppedGroup(store, record, this, signer, Clock.SYSTEM, Settings.defaults(), work);
        group.add(draft -> draft, new MembersHandlers(request -> {
            set.add(request.getEpoch());
            return CompletableFuture.completedFuture(null);
        }));
        return group;
    }

    /** The number of the refusal, or {@link #DONE}. */
    private int order(SteppedGroup leader, long epoch) {
        CompletableFuture<? extends Message> reply = leader.serve(
                MetaMethods.SET_GROUP_MEMBERS,
                RequestOrigin.SERVICE,
                SetGroupMembersRequest.newBuilder().setEpoch(epoch).build());
        work.runUntilDone(reply);
        return reply.handle((done, failure) ->
                        failure == null ? DONE : Causes.of(failure).code().number())
                .join();
    }
}
