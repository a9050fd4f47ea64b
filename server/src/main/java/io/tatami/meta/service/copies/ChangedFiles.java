package io.tatami.meta.service.copies;

import io.tatami.meta.op.copies.ExpandFileNeed;
import io.tatami.meta.service.Group;
import io.tatami.meta.service.PartContext;
import io.tatami.meta.service.RequestOrigin;
import io.tatami.meta.state.ShardState;
import io.tatami.meta.state.wire.ExpandFileNeedRequest;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** Queues the blocks of files that ask for another number of copies, some at a time. */
final class ChangedFiles {
    private static final int BLOCKS_PER_RUN = 256;

    /** A file that is queued ends the rest. */
    private static final Duration REST = Duration.ofMinutes(1);

    private static final Duration LOOK = Duration.ofSeconds(1);

    private final Group<ShardState> group;
    private final ExpandFileNeed expand = new ExpandFileNeed();

    ChangedFiles(PartContext<ShardState> parts) {
        this.group = parts.group();
    }

    /** The background task. */
    CompletableFuture<Duration> run() {
        ExpandFileNeedRequest request = ExpandFileNeedRequest.newBuilder()
                .setLimit(BLOCKS_PER_RUN)
                .setWaitingMax(DeadServers.WAITING_MAX)
                .build();
        return group.submit(expand, RequestOrigin.SERVICE, request).thenApply(reply -> {
            if (reply.getFull()) {
                return LOOK;
            }
            return reply.getDone() ? REST : Duration.ZERO;
        });
    }
}
