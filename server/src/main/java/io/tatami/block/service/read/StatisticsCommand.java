package io.tatami.block.service.read;

import io.tatami.base.TatamiException;
import io.tatami.block.service.context.ServerThreads;
import io.tatami.protocol.Audience;
import io.tatami.protocol.BlockMethods;
import io.tatami.protocol.wire.AnnouncedPlan;
import io.tatami.protocol.wire.ReadStatisticsReply;
import io.tatami.protocol.wire.ReadStatisticsRequest;
import io.tatami.rpc.CallContext;
import io.tatami.rpc.CallerCheck;
import io.tatami.rpc.HandlerTable;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Answers with the reads of this server's blocks, or with the plans of reads that are announced here. Those of a user
 * are for that user and the superuser alone.
 */
public final class StatisticsCommand {
    private final ReadCounts statistics;
    private final Announced plans;
    private final CallerCheck callers;
    private final ServerThreads threads;

    /** Access plans of this server. */
    @FunctionalInterface
    public interface Announced {
        /** The newest plans that a user has announced, or all users where that is null. */
        List<AnnouncedPlan> plans(@Nullable String user);
    }

    /** @param callers knows the metadata servers, which ask for the superuser */
    public StatisticsCommand(ReadCounts statistics, Announced plans, CallerCheck callers, ServerThreads threads) {
        this.statistics = statistics;
        this.plans = plans;
        this.callers = callers;
        this.threads = threads;
    }

    public void serveOn(HandlerTable table) {
        table.on(BlockMethods.READ_STATISTICS, (caller, request, responder) -> {
            try {
                String user = onlyOf(caller);
                threads.command(() -> responder.success(answer(request, user)));
            } catch (TatamiException e) {
                responder.failure(e);
            }
        });
    }

    private ReadStatisticsReply answer(ReadStatisticsRequest request, @Nullable String user) {
        return request.getOnlyPlans()
                ? ReadStatisticsReply.newBuilder().addAllPlan(plans.plans(user)).build()
                : statistics.answer(request, user);
    }

    /** The user whose reads the caller may know; null for all users'. */
    private @Nullable String onlyOf(CallContext caller) throws TatamiException {
        if (caller.credential().isEmpty()) {
            return caller.user().user();
        }
        callers.require(BlockMethods.READ_STATISTICS.name(), Audience.SERVERS, caller);
        return null;
    }
}
