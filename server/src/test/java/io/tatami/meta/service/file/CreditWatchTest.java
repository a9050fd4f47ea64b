package io.tatami.meta.service.file;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.Message;
import io.tatami.base.ErrorCode;
import io.tatami.base.GroupId;
import io.tatami.base.ServerId;
import io.tatami.base.TatamiException;
import io.tatami.meta.op.UnsettledException.CreditsAwaited;
import io.tatami.meta.service.NoPeers;
import io.tatami.protocol.BlockMethods;
import io.tatami.protocol.Method;
import io.tatami.protocol.wire.CreditsLowRequest;
import io.tatami.protocol.wire.GiveCreditsReply;
import io.tatami.protocol.wire.GiveCreditsRequest;
import io.tatami.protocol.wire.Grant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** When a block server is told that a shard has few of its credits left. */
class CreditWatchTest {
    private static final ServerId SERVER = new ServerId(3);

    private final NotedServers servers = new NotedServers();
    private final CreditWatch watch = new CreditWatch(GroupId.ofShard(4), servers);

    @Test
    void aServerIsToldOnceWhenLessThanHalfIsLeftAndAgainAfterItHasGivenMore() {
        gift(11, 8);
        grant(4);
        assertEquals(List.of(), servers.told);
        grant(1);
        CreditsLowRequest low = CreditsLowRequest.newBuilder()
                .setShard(4)
                .setSequence(11)
                .setLeft(3)
                .build();
        assertEquals(List.of(low), servers.told);
        grant(3);
        assertEquals(1, servers.told.size());
        gift(12, 20);
        grant(10);
        assertEquals(1, servers.told.size());
        grant(1);
        assertEquals(2, servers.told.size());
        assertEquals(12, servers.told.get(1).getSequence());
    }

    @Test
    void aServerThatCouldNotBeToldIsToldAgain() {
        gift(1, 4);
        servers.silent = true;
        grant(3);
        grant(1);
        assertEquals(2, servers.told.size());
    }

    @Test
    void aServerThatGaveNothingSinceThisLeaderBeganIsLeftAlone() {
        grant(100);
        assertEquals(List.of(), servers.told);
    }

    @Test
    void whoFoundNoCreditGoesOnWhenSomeHaveCome() throws Exception {
        CompletableFuture<Void> first = watch.settle(new CreditsAwaited(List.of(SERVER)));
        CompletableFuture<Void> second = watch.settle(new CreditsAwaited(List.of(SERVER, new ServerId(9))));
        assertEquals(2, servers.told.size(), "each server is told once");
        gift(1, 0);
        assertFalse(first.isDone(), "it had none to give");
        gift(2, 5);
        first.get(0, TimeUnit.SECONDS);
        second.get(0, TimeUnit.SECONDS);
    }

    @Test
    void whoFoundNoCreditGoesOnAfterAWhileInAnyCase() throws Exception {
        watch.settle(new CreditsAwaited(List.of(SERVER))).get(60, TimeUnit.SECONDS);
        assertTrue(servers.told.get(0).getLeft() == 0 && servers.told.size() == 1);
    }

    private void gift(long sequence, int left) {
        watch.given(
                GiveCreditsRequest.newBuilder()
                        .setServerId(SERVER.value())
                        .setSequence(sequence)
                        .build(),
                GiveCreditsReply.newBuilder().setLeft(left).build());
    }

    private void grant(int blocks) {
        watch.granted(Collections.nCopies(
                blocks, Grant.newBuilder().addServerId(SERVER.value()).build()));
    }

    /** Block servers that note what they are told. */
    private static final class NotedServers implements NoPeers {
        private final List<CreditsLowRequest> told = new ArrayList<>();
        private boolean silent;

        @Override
        public <Q extends Message, R extends Message> CompletableFuture<R> callBlockServer(
                ServerId to, Method<Q, R> method, Q body) {
            assertEquals(BlockMethods.CREDITS_LOW, method);
            told.add((CreditsLowRequest) body);
            return silent
                    ? CompletableFuture.failedFuture(new TatamiException(ErrorCode.UNAVAILABLE, to + " is silent"))
                    : new CompletableFuture<>();
        }
    }
}
