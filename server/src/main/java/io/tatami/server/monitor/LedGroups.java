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

/** What the groups that lead on a metadata server tell at a scrape, as far as they answer in two seconds together. */
final class LedGroups {
    private static final Logger LOG = LoggerFactory.getLogger(LedGroups.class);
    private static final long LIMIT_MILLIS = 2_000;

    private LedGroups() {}

    static ClusterMetrics.Known of(MetadataServer server) {
        boolean leadsNamespace = server.replicas().stream()
                .filter(ReplicaState::leads)
                .map(ReplicaState::group)
                .anyMatch(GroupId::isNamespace);
        Optional<ClusterMap> map = leadsNamespace ? Optional.of(server.map()) : Optional.empty();
        List<CompletableFuture<GroupStatusReply>> groups =
                server.askLed(MetaMethods.GROUP_STATUS, GroupStatusRequest.getDefaultInstance());
        List<CompletableFuture<CopiesStatusReply>> shards =
                server.askLed(MetaMethods.COPIES_STATUS, CopiesStatusRequest.getDefaultInstance());
        CompletableFuture<Void> all = CompletableFuture.allOf(
                CompletableFuture.allOf(groups.toArray(CompletableFuture[]::new)),
                CompletableFuture.allOf(shards.toArray(CompletableFuture[]::new)));
        try {
            all.get(LIMIT_MILLIS, TimeUnit.MILLISECONDS);
        } catch (ExecutionException | TimeoutException e) {
            LOG.debug("some groups are left out of this scrape", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return new ClusterMetrics.Known(map, answered(groups), answered(shards));
    }

    private static <R> List<R> answered(List<CompletableFuture<R>> asked) {
        List<R> answers = new ArrayList<>();
        for (CompletableFuture<R> answer : asked) {
            if (answer.isDone() && !answer.isCompletedExceptionally()) {
                answers.add(answer.join());
            }
        }
        return answers;
    }
}
