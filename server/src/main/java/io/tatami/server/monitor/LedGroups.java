package io.tatami.server.monitor;

import io.tatami.base.GroupId;
import io.tatami.meta.service.host.MetadataServer;
import io.tatami.meta.service.replicate.ReplicaState;
import io.tatami.protocol.MetaMethods;
import io.tatami.protocol.wire.ClusterMap;
import io.tatami.protocol.wire.CopiesStatusReply;
import io.tatami.protocol.wire.CopiesStatusRequest;
import io.tatami.protocol.wire.GroupStatusReply;
import io.tatami.protocol.wire.GroupStatusRequest;
import io.tatami.server.metrics.ClusterMetrics;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the groups that lead on a metadata server tell, as far as they answer in two seconds. Nothing is asked again
 * while an answer is awaited, so a group that is slow gets no more to do. Used by one thread at a time.
 */
final class LedGroups {
    private static final Logger LOG = LoggerFactory.getLogger(LedGroups.class);
    private static final long LIMIT_MILLIS = 2_000;

    private final MetadataServer server;
    private CompletableFuture<Void> asked = CompletableFuture.completedFuture(null);

    LedGroups(MetadataServer server) {
        this.server = server;
    }

    ClusterMetrics.Known ask() {
        boolean leadsNamespace = server.replicas().stream()
                .filter(ReplicaState::leads)
                .map(ReplicaState::group)
                .anyMatch(GroupId::isNamespace);
        Optional<ClusterMap> map = leadsNamespace ? Optional.of(server.map()) : Optional.empty();
        if (!asked.isDone()) {
            return new ClusterMetrics.Known(map, Optional.empty(), Optional.empty());
        }
        List<CompletableFuture<GroupStatusReply>> groups =
                server.askLed(MetaMethods.GROUP_STATUS, GroupStatusRequest.getDefaultInstance());
        List<CompletableFuture<CopiesStatusReply>> shards =
                server.askLed(MetaMethods.COPIES_STATUS, CopiesStatusRequest.getDefaultInstance());
        asked = CompletableFuture.allOf(all(groups), all(shards));
        try {
            asked.get(LIMIT_MILLIS, TimeUnit.MILLISECONDS);
        } catch (ExecutionException | TimeoutException e) {
            LOG.debug("some groups do not answer", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return new ClusterMetrics.Known(map, answers(groups), answers(shards));
    }

    private static CompletableFuture<Void> all(List<? extends CompletableFuture<?>> asked) {
        return CompletableFuture.allOf(asked.toArray(CompletableFuture<?>[]::new));
    }

    /** Empty where one is lacking: a sum without it would look like good news. */
    private static <R> Optional<List<R>> answers(List<CompletableFuture<R>> asked) {
        List<R> answers = new ArrayList<>();
        for (CompletableFuture<R> answer : asked) {
            if (!answer.isDone() || answer.isCompletedExceptionally()) {
                return Optional.empty();
            }
            answers.add(answer.join());
        }
        return Optional.of(answers);
    }
}
