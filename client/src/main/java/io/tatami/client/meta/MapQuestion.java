package io.tatami.client.meta;

import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.protocol.MetaMethods;
import io.tatami.protocol.wire.ClusterMap;
import io.tatami.protocol.wire.GetClusterMapReply;
import io.tatami.rpc.CallOptions;
import io.tatami.rpc.Connector;
import io.tatami.rpc.MapChanges;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * One question for the cluster map, to several metadata servers. Each has a head start before those behind it, as in
 * RFC 8305: the next one is asked once it has failed, or has been silent for {@value #HEAD_START_MILLIS} ms. The first
 * answer counts. Used by one thread.
 */
final class MapQuestion {
    private static final long HEAD_START_MILLIS = 250;

    /** For all servers together. */
    private static final Duration TIMEOUT = Duration.ofSeconds(5);

    private final Connector connector;
    private final ClusterMap known;
    private final Queue<InetSocketAddress> waiting;
    private final Deadline deadline;

    /** What was asked and has not been looked at. */
    private final List<CompletableFuture<ClusterMap>> asked = new ArrayList<>();

    /**
     * @param known the map that there is, of which the answers tell the changes; an empty one for none
     * @param servers in the order in which they are to be asked; at least one
     */
    MapQuestion(Connector connector, ClusterMap known, Collection<InetSocketAddress> servers, Deadline deadline) {
        this.connector = connector;
        this.known = known;
        this.waiting = new ArrayDeque<>(servers);
        this.deadline = deadline.atMost(TIMEOUT);
    }

    /**
     * Asks until one answers.
     *
     * @throws TatamiException the last failure when none does; the first that is not to be retried
     */
    ClusterMap ask() throws TatamiException {
        TatamiException last = null;
        while (!waiting.isEmpty() || !asked.isEmpty()) {
            InetSocketAddress next = waiting.poll();
            if (next != null) {
                ask(next);
            }
            CompletableFuture<ClusterMap> answer = await();
            if (answer != null) {
                try {
                    return Replies.await(answer, deadline);
                } catch (TatamiException e) {
                    if (!e.code().isRetryable()) {
                        throw e;
                    }
                    last = e;
                }
            } else if (waiting.isEmpty() || deadline.isOver()) {
                break;
            }
        }
        throw last != null
                ? last
                : new TatamiException(
                        ErrorCode.DEADLINE_EXCEEDED, "the metadata server sent no cluster map within the time limit");
    }

    private void ask(InetSocketAddress server) {
        CallOptions options = CallOptions.DEFAULT.withTimeoutMillis(deadline.remainingMillis());
        asked.add(connector
                .connect(server)
                .thenCompose(
                        connection -> connection.call(MetaMethods.GET_CLUSTER_MAP, options, MapChanges.question(known)))
                .thenApply(this::read));
    }

    private ClusterMap read(GetClusterMapReply reply) {
        try {
            return MapChanges.read(known, reply);
        } catch (TatamiException e) {
            throw new CompletionException(e);
        }
    }

    private @Nullable CompletableFuture<ClusterMap> await() throws TatamiException {
        long left = deadline.remainingMillis();
        long limitMillis = waiting.isEmpty() ? left : Math.min(left, HEAD_START_MILLIS);
        CompletableFuture<Object> any = CompletableFuture.anyOf(asked.stream()
                .map(question -> question.handle((map, failure) -> true))
                .toArray(CompletableFuture[]::new));
        try {
            Object unused = deadline.clock().get(any, TimeUnit.MILLISECONDS.toNanos(limitMillis));
            CompletableFuture<ClusterMap> answered =
                    asked.stream().filter(CompletableFuture::isDone).findFirst().orElseThrow();
            asked.remove(answered);
            return answered;
        } catch (TimeoutException e) {
            return null;
        } catch (ExecutionException e) {
            throw new IllegalStateException("a failure was taken for an answer", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new TatamiException(ErrorCode.CANCELLED, "interrupted while waiting for a cluster map", e);
        }
    }
}
