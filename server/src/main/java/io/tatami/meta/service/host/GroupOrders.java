package io.tatami.meta.service.host;

import io.tatami.base.GroupId;
import io.tatami.base.TatamiException;
import io.tatami.protocol.wire.ReportMetadataServerReply;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Does what the namespace's leader says of this server's groups. What fails is said again with the next report's answer, as
 * is what a crash came in between of.
 */
final class GroupOrders implements ClusterMember.Orders {
    private static final Logger LOG = LoggerFactory.getLogger(GroupOrders.class);

    private final HostedGroups groups;
    private final Executor executor;

    /** One order for one group. */
    @FunctionalInterface
    private interface Order {
        void carryOut(GroupId group) throws TatamiException;
    }

    /** @param executor may be held up for as long as the opening of a store takes */
    GroupOrders(HostedGroups groups, Executor executor) {
        this.groups = groups;
        this.executor = executor;
    }

    @Override
    public CompletableFuture<Boolean> follow(ReportMetadataServerReply reply) {
        if (reply.getReplicateGroupCount() + reply.getOpenGroupCount() == 0) {
            return CompletableFuture.completedFuture(false);
        }
        try {
            return CompletableFuture.supplyAsync(
                    () -> {
                        boolean replicated = carryOut(reply.getReplicateGroupList(), groups::replicate);
                        boolean opened = carryOut(reply.getOpenGroupList(), groups::receive);
                        return replicated || opened;
                    },
                    executor);
        } catch (RejectedExecutionException e) {
            LOG.debug("the server is closed", e);
            return CompletableFuture.completedFuture(false);
        }
    }

    /** Whether some of it was done. */
    private static boolean carryOut(List<Integer> numbers, Order order) {
        boolean done = false;
        for (int number : numbers) {
            GroupId group = new GroupId(number);
            try {
                order.carryOut(group);
                done = true;
            } catch (TatamiException | RuntimeException e) {
                LOG.error("{} cannot be held by a replicated log here yet; it is tried again", group, e);
            }
        }
        return done;
    }
}
