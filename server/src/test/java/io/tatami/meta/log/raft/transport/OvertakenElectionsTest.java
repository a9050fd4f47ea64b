package io.tatami.meta.log.raft.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.tatami.base.GroupId;
import io.tatami.meta.log.raft.RatisNames;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.apache.ratis.grpc.server.GrpcServices;
import org.apache.ratis.proto.RaftProtos.RaftGroupIdProto;
import org.apache.ratis.proto.RaftProtos.RaftRpcRequestProto;
import org.apache.ratis.proto.RaftProtos.RequestVoteReplyProto;
import org.apache.ratis.proto.RaftProtos.RequestVoteRequestProto;
import org.apache.ratis.protocol.RaftGroupId;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Whoever is no candidate any more waits for no vote; whoever is, waits until the answer has come. */
final class OvertakenElectionsTest {
    private static final RaftGroupId GROUP = RatisNames.group(new UUID(1, 2), GroupId.ofShard(3));
    private static final RequestVoteReplyProto VOTE =
            RequestVoteReplyProto.newBuilder().setTerm(7).build();
    private static final long SECONDS_MAX = 60;

    private final CountDownLatch asked = new CountDownLatch(1);
    private final CompletableFuture<RequestVoteReplyProto> answer = new CompletableFuture<>();
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private volatile boolean isCandidate = true;

    @AfterEach
    void endThreads() {
        answer.completeExceptionally(new IOException("the test has ended"));
        threads.shutdownNow();
    }

    @Test
    void anElectionThatIsOverWaitsForNoAnswer() throws Exception {
        CompletableFuture<RequestVoteReplyProto> vote = askForVote();
        asked.await();
        isCandidate = false;
        ExecutionException failure =
                assertThrows(ExecutionException.class, () -> vote.get(SECONDS_MAX, TimeUnit.SECONDS));
        IOException reason = assertInstanceOf(IOException.class, failure.getCause());
        assertEquals("the election in " + GROUP + " is over", reason.getMessage());
        assertFalse(answer.isDone());
    }

    @Test
    void aCandidateGetsTheAnswerWhenItComes() throws Exception {
        CompletableFuture<RequestVoteReplyProto> vote = askForVote();
        asked.await();
        assertFalse(vote.isDone());
        answer.complete(VOTE);
        assertSame(VOTE, vote.get(SECONDS_MAX, TimeUnit.SECONDS));
    }

    @Test
    void aCandidateHearsWhyThereIsNoAnswer() {
        IOException refused = new IOException("connection refused");
        answer.completeExceptionally(refused);
        CompletableFuture<RequestVoteReplyProto> vote = askForVote();
        ExecutionException failure =
                assertThrows(ExecutionException.class, () -> vote.get(SECONDS_MAX, TimeUnit.SECONDS));
        assertSame(refused, failure.getCause());
    }

    private CompletableFuture<RequestVoteReplyProto> askForVote() {
        OvertakenElections elections = new OvertakenElections(
                group -> {
                    assertEquals(GROUP, group);
                    return isCandidate;
                },
                threads);
        GrpcServices others = elections.asking(network());
        RequestVoteRequestProto request = RequestVoteRequestProto.newBuilder()
                .setServerRequest(RaftRpcRequestProto.newBuilder()
                        .setRaftGroupId(RaftGroupIdProto.newBuilder().setId(GROUP.toByteString())))
                .build();
        CompletableFuture<RequestVoteReplyProto> vote = new CompletableFuture<>();
        threads.execute(() -> {
            try {
                vote.complete(others.requestVote(request));
            } catch (IOException | RuntimeException | Error e) {
                vote.completeExceptionally(e);
            }
        });
        return vote;
    }

    /** One that answers when the test says so. */
    private GrpcServices network() {
        return (GrpcServices) Proxy.newProxyInstance(
                GrpcServices.class.getClassLoader(),
                new Class<?>[] {GrpcServices.class},
                (proxy, method, arguments) -> {
                    asked.countDown();
                    try {
                        return answer.get();
                    } catch (ExecutionException e) {
                        throw e.getCause();
                    }
                });
    }
}
