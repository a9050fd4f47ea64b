package io.tatami.meta.log.raft.transport;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.ratis.grpc.server.GrpcServices;
import org.apache.ratis.proto.RaftProtos.RequestVoteRequestProto;
import org.apache.ratis.protocol.RaftGroupId;

/**
 * Ends elections of a server that has voted for another one. Ratis sends that vote only once its own election's thread
 * has ended, and that waits for answers until its time is over: meanwhile the other one has given up as often as not,
 * and for one round more nobody leads. So whoever is no candidate any more waits for no answer. Safe for use by many
 * threads.
 */
final class OvertakenElections {
    private static final int LOOK_MILLIS = 10;

    private final Candidacy candidacy;
    private final Executor threads;

    /** What this server does in a group. */
    interface Candidacy {
        /** Whether it stands for election now. */
        boolean lasts(RaftGroupId group) throws IOException;
    }

    /** @param threads one for each request that is under way */
    OvertakenElections(Candidacy candidacy, Executor threads) {
        this.candidacy = candidacy;
        this.threads = threads;
    }

    /**
     * The way to other servers, as this one asks for their votes; a request fails where the election is over before the
     * answer has come.
     */
    GrpcServices asking(GrpcServices others) {
        return HeldCalls.around(GrpcServices.class, others, RequestVoteRequestProto.class, this::ask);
    }

    private Object ask(RequestVoteRequestProto request, HeldCalls.Call<RequestVoteRequestProto> call) throws Throwable {
        RaftGroupId group = RatisGroups.of(request.getServerRequest());
        CompletableFuture<Object> reply = new CompletableFuture<>();
        threads.execute(() -> {
            try {
                reply.complete(call.make(request));
            } catch (Throwable e) {
                reply.completeExceptionally(e);
            }
        });
        while (true) {
            try {
                return reply.get(LOOK_MILLIS, TimeUnit.MILLISECONDS);
            } catch (TimeoutException e) {
                if (!candidacy.lasts(group)) {
                    throw new IOException("the election in " + group + " is over", e);
                }
            } catch (ExecutionException e) {
                throw e.getCause() == null ? e : e.getCause();
            } catch (InterruptedException e) {
                throw (IOException) new InterruptedIOException("while votes were asked for").initCause(e);
            }
        }
    }
}
