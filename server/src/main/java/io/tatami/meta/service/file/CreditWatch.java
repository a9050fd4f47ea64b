package io.tatami.meta.service.file;

import io.tatami.base.GroupId;
import io.tatami.base.ServerId;
import io.tatami.meta.op.UnsettledException.CreditsAwaited;
import io.tatami.meta.service.GroupPeers;
import io.tatami.meta.service.Settler;
import io.tatami.protocol.BlockMethods;
import io.tatami.protocol.wire.CreditsLowRequest;
import io.tatami.protocol.wire.Empty;
import io.tatami.protocol.wire.GiveCreditsReply;
import io.tatami.protocol.wire.GiveCreditsRequest;
import io.tatami.protocol.wire.Grant;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Counts, by what a leader answers, how many credits of each block server its shard has left, and tells a server when
 * half of what there was is used, so that more come before there are none. A request that finds none waits here until
 * some have come, half a second at most. The counts are no more than that, and begin anew with each leader: who exactly
 * may grant what is decided by the shard's records. Safe for use by many threads.
 */
final class CreditWatch implements Settler<CreditsAwaited> {
    private static final Logger LOG = LoggerFactory.getLogger(CreditWatch.class);
    private static final long WAIT_MILLIS_MAX = 500;

    private final GroupId shard;
    private final GroupPeers peers;
    private final Map<ServerId, Credits> byServer = new ConcurrentHashMap<>();

    CreditWatch(GroupId shard, GroupPeers peers) {
        this.shard = shard;
        this.peers = peers;
    }

    /** Blocks were granted; may be told twice of the same. */
    void granted(List<Grant> grants) {
        for (Grant grant : grants) {
            grant.getServerIdList().forEach(server -> of(new ServerId(server)).spent());
        }
    }

    /** A server gave credits, or asked how many are left. */
    void given(GiveCreditsRequest gift, GiveCreditsReply reply) {
        of(new ServerId(gift.getServerId())).has(gift.getSequence(), reply.getLeft());
    }

    @Override
    public CompletableFuture<Void> settle(CreditsAwaited question) {
        CompletableFuture<?>[] gifts = question.servers().stream()
                .map(server -> of(server).awaitGift())
                .toArray(CompletableFuture<?>[]::new);
        return CompletableFuture.anyOf(gifts).thenAccept(given -> {});
    }

    private Credits of(ServerId server) {
        return byServer.computeIfAbsent(server, Credits::new);
    }

    /** Of one server. Its fields are guarded by itself. */
    private final class Credits {
        private final ServerId server;
        private final Set<CompletableFuture<Void>> waiting = new HashSet<>();
        private int had;
        private int left;

        /** Of the newest message that was answered; 0 before the first. */
        private long sequence;

        /** The server was told, and nothing has come from it since. */
        private boolean told;

        Credits(ServerId server) {
            this.server = server;
        }

        void spent() {
            CreditsLowRequest news;
            synchronized (this) {
                left = Math.max(0, left - 1);
                if (told || left * 2 >= had) {
                    return;
                }
                news = news();
            }
            tell(news);
        }

        void has(long answered, int leftNow) {
            List<CompletableFuture<Void>> served;
            synchronized (this) {
                sequence = answered;
                had = leftNow;
                left = leftNow;
                told = false;
                if (leftNow == 0) {
                    return;
                }
                served = List.copyOf(waiting);
                waiting.clear();
            }
            served.forEach(gift -> gift.complete(null));
        }

        /** Completes once the shard has credits of this server, or when it has waited long enough. */
        CompletableFuture<Void> awaitGift() {
            CompletableFuture<Void> gift = new CompletableFuture<>();
            CreditsLowRequest news = null;
            synchronized (this) {
                waiting.add(gift);
                left = 0;
                if (!told) {
                    news = news();
                }
            }
            if (news != null) {
                tell(news);
            }
            return gift.completeOnTimeout(null, WAIT_MILLIS_MAX, TimeUnit.MILLISECONDS)
                    .whenComplete((given, failure) -> forget(gift));
        }

        private synchronized void forget(CompletableFuture<Void> gift) {
            waiting.remove(gift);
        }

        /** To be called with the lock held. */
        private CreditsLowRequest news() {
            told = true;
            return CreditsLowRequest.newBuilder()
                    .setShard(shard.shard())
                    .setSequence(sequence)
                    .setLeft(left)
                    .build();
        }

        private void tell(CreditsLowRequest news) {
            CompletableFuture<Empty> unused = peers.callBlockServer(server, BlockMethods.CREDITS_LOW, news)
                    .whenComplete((heard, failure) -> {
                        if (failure != null) {
                            LOG.debug("block server {} was not told that {} has few credits", server, shard, failure);
                            notTold();
                        }
                    });
        }

        private synchronized void notTold() {
            told = false;
        }
    }
}
