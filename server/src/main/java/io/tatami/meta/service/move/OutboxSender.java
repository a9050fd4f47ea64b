package io.tatami.meta.service.move;

import io.tatami.base.GroupId;
import io.tatami.meta.op.outbox.AckOutbox;
import io.tatami.meta.op.outbox.OutboxHead;
import io.tatami.meta.service.BackgroundTask;
import io.tatami.meta.service.Group;
import io.tatami.meta.service.GroupPeers;
import io.tatami.meta.service.PartContext;
import io.tatami.meta.service.RequestOrigin;
import io.tatami.meta.state.Keys;
import io.tatami.meta.state.ShardState;
import io.tatami.meta.state.wire.AckOutboxRequest;
import io.tatami.meta.state.wire.OutboxPage;
import io.tatami.meta.state.wire.OutboxPageRequest;
import io.tatami.protocol.MetaMethods;
import io.tatami.protocol.wire.Empty;
import io.tatami.protocol.wire.OutboxDelivery;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Sends this shard's messages to one other group: in order, up to {@value #WINDOW} at once, repeated until they are
 * applied. A message is dropped here only after the other group has said that it applied it.
 */
final class OutboxSender implements BackgroundTask {
    private static final int WINDOW = 64;

    /** A new message ends the rest. */
    private static final Duration REST = Duration.ofMinutes(1);

    /** Messages that come meanwhile go together; what waits for one waits so much longer at most. */
    private static final Duration BETWEEN_WINDOWS = Duration.ofMillis(20);

    private final Group<ShardState> group;
    private final GroupPeers peers;
    private final GroupId to;
    private final OutboxHead head = new OutboxHead();
    private final AckOutbox acknowledge = new AckOutbox();

    /**
     * Messages up to this one are dropped. Reads begin behind it, as a scan from the first message that ever was walks
     * over all that were deleted and are not compacted yet. Numbers are never given twice.
     */
    private volatile long dropped;

    /** Whether the last run found as many messages as it may send at once. */
    private volatile boolean isBehind;

    OutboxSender(PartContext<ShardState> parts, GroupId to) {
        this.group = parts.group();
        this.peers = parts.peers();
        this.to = to;
    }

    @Override
    public Duration leastRest() {
        return isBehind ? Duration.ZERO : BETWEEN_WINDOWS;
    }

    /** Messages to other groups have senders of their own. */
    @Override
    public boolean isWokenBy(byte[] key) {
        return Keys.isOutbox(key, to.value());
    }

    @Override
    public CompletableFuture<Duration> run() {
        OutboxPageRequest oldest = OutboxPageRequest.newBuilder()
                .setToGroup(to.value())
                .setLimit(WINDOW)
                .setAfter(dropped)
                .build();
        return group.read(head, RequestOrigin.SERVICE, oldest).thenCompose(this::send);
    }

    private CompletableFuture<Duration> send(OutboxPage page) {
        isBehind = page.getMessageCount() == WINDOW;
        if (page.getMessageCount() == 0) {
            return CompletableFuture.completedFuture(REST);
        }
        List<CompletableFuture<Empty>> sent = new ArrayList<>();
        for (OutboxDelivery message : page.getMessageList()) {
            sent.add(peers.call(to, MetaMethods.DELIVER, message));
        }
        CompletableFuture<Void> all = CompletableFuture.allOf(sent.toArray(CompletableFuture<?>[]::new));
        return all.thenCompose(applied -> acknowledge(page, sent))
                .thenApply(acknowledged -> Duration.ZERO)
                .exceptionallyCompose(failure -> acknowledge(page, sent)
                        .thenCompose(acknowledged -> CompletableFuture.<Duration>failedFuture(failure)));
    }

    private CompletableFuture<Empty> acknowledge(OutboxPage page, List<CompletableFuture<Empty>> sent) {
        long upTo = 0;
        for (int i = 0; i < sent.size() && !sent.get(i).isCompletedExceptionally(); i++) {
            upTo = page.getMessage(i).getNumber();
        }
        if (upTo == 0) {
            return CompletableFuture.completedFuture(Empty.getDefaultInstance());
        }
        AckOutboxRequest applied = AckOutboxRequest.newBuilder()
                .setToGroup(to.value())
                .setUpTo(upTo)
                .setAfter(dropped)
                .build();
        return group.submit(acknowledge, RequestOrigin.SERVICE, applied).thenApply(done -> {
            dropped = applied.getUpTo();
            return done;
        });
    }
}
