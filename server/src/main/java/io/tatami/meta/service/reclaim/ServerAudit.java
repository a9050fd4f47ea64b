package io.tatami.meta.service.reclaim;

import io.tatami.base.BlockId;
import io.tatami.base.Clock;
import io.tatami.base.ErrorCode;
import io.tatami.base.ServerId;
import io.tatami.base.TatamiException;
import io.tatami.meta.op.reclaim.AuditPage;
import io.tatami.meta.op.reclaim.BeginAudit;
import io.tatami.meta.op.reclaim.CompareAudit;
import io.tatami.meta.op.reclaim.Disown;
import io.tatami.meta.op.reclaim.RecordAudit;
import io.tatami.meta.service.Group;
import io.tatami.meta.service.GroupPeers;
import io.tatami.meta.service.PartContext;
import io.tatami.meta.service.RequestOrigin;
import io.tatami.meta.state.ShardState;
import io.tatami.meta.state.wire.AuditFinding;
import io.tatami.meta.state.wire.AuditPageRequest;
import io.tatami.meta.state.wire.BeginAuditReply;
import io.tatami.meta.state.wire.CompareAuditRequest;
import io.tatami.meta.state.wire.DisownRequest;
import io.tatami.meta.state.wire.RecordAuditRequest;
import io.tatami.protocol.BlockMethods;
import io.tatami.protocol.RequestLimits;
import io.tatami.protocol.wire.AuditReply;
import io.tatami.protocol.wire.AuditRequest;
import io.tatami.protocol.wire.AuditedVolume;
import io.tatami.protocol.wire.BlockServerInfo;
import io.tatami.protocol.wire.Empty;
import io.tatami.protocol.wire.UnknownCopy;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks each block server, when it appears, every few hours, when its volumes are others than before or serve no longer,
 * and when it is to be drained, whether it has what this shard believes it to have, and what else of this shard's it
 * has. What a server misses is written down. What nobody knows of is disowned, and then deleted, only where two whole
 * rounds say the same of a block older than the first of them, where that is at most 1 % of what the shard has on the
 * server, and in a shard that was never restored from a backup: it may not know of blocks that are in use. Any error
 * voids the round in which it happens. A server with volumes that do not serve answers for the others, and is asked
 * again soon.
 *
 * <p>The fields belong to the runs of one background task, which never overlap; a run audits at most one server.
 */
final class ServerAudit {
    private static final Logger LOG = LoggerFactory.getLogger(ServerAudit.class);

    static final Duration PERIOD = Duration.ofHours(3);

    /** How long after a round that found something, or volumes that do not serve, the next one follows. */
    static final Duration CONFIRMATION = Duration.ofMinutes(5);

    /** The least between two rounds of a server whose volumes change, or that starts, again and again. */
    static final Duration SOON = Duration.ofSeconds(5);

    /** Between two looks at the cluster map, which tells of a server that has appeared. */
    private static final Duration REST = Duration.ofSeconds(1);

    private static final int UNKNOWN_PERCENT_MAX = 1;

    /** Of a round; where there are more, the next rounds find them. */
    static final int UNKNOWN_KEPT_MAX = 10_000;

    private final Group<ShardState> group;
    private final GroupPeers peers;
    private final Clock clock;
    private final int restoreEpoch;
    private final DrainWatch drains;
    private final BeginAudit begin = new BeginAudit();
    private final AuditPage page = new AuditPage();
    private final CompareAudit compare = new CompareAudit();
    private final RecordAudit record = new RecordAudit();
    private final Disown disown = new Disown();

    private final Map<ServerId, Standing> servers = new HashMap<>();

    /** Of each server the volumes that did not serve in the last round, each with the reason. */
    private final Map<ServerId, Set<String>> unavailable = new HashMap<>();

    /**
     * Which process of a server answers, and with which volumes, as the cluster map tells it.
     *
     * @param volumes as in {@link BlockServerInfo}; 0 where they are not known
     */
    private record Answering(long incarnation, long volumes) {
        static Answering of(BlockServerInfo info) {
            return new Answering(info.getIncarnation(), info.getVolumes());
        }

        /** Whether what it has may not be what {@code before} had. */
        boolean isOtherThan(Answering before) {
            return incarnation != before.incarnation || hasOtherVolumesThan(before);
        }

        boolean hasOtherVolumesThan(Answering before) {
            return volumes != 0 && volumes != before.volumes;
        }
    }

    /**
     * The last round of a server.
     *
     * @param rest until the next one, if the server stays as it is
     * @param suspects what the round found that nobody knows of
     * @param answering who was asked
     * @param voidRounds how many in a row were void, this one the last
     */
    private record Standing(
            long endedNanos, Duration rest, Set<UnknownCopy> suspects, Answering answering, int voidRounds) {
        boolean isDue(long nowNanos, Answering now) {
            boolean isSoon = now.isOtherThan(answering) && rest.compareTo(SOON) > 0;
            return nowNanos - endedNanos >= (isSoon ? SOON : rest).toNanos();
        }
    }

    /** A server of which a round is due. */
    private record Due(ServerId server, Answering answering) {}

    ServerAudit(PartContext<ShardState> parts, DrainWatch drains) {
        this.drains = drains;
        this.group = parts.group();
        this.peers = parts.peers();
        this.clock = parts.clock();
        this.restoreEpoch = parts.record().getRestoreEpoch();
    }

    /** The background task. */
    CompletableFuture<Duration> run() {
        Due due = nextDue();
        if (due == null) {
            return CompletableFuture.completedFuture(REST);
        }
        return audit(due).thenApply(done -> Duration.ZERO).exceptionally(failure -> {
            LOG.info("The audit of block server {} by {} is void", due.server(), group.id(), failure);
            Standing before = servers.get(due.server());
            int voidRounds = before == null ? 1 : before.voidRounds() + 1;
            servers.put(
                    due.server(),
                    new Standing(
                            clock.monotonicNanos(), restAfterVoid(voidRounds), Set.of(), due.answering(), voidRounds));
            return REST;
        });
    }

    /** A server that has just appeared may not take a shard's requests yet. */
    private static Duration restAfterVoid(int rounds) {
        Duration rest = SOON.multipliedBy(1L << Math.min(rounds - 1, 10));
        return rest.compareTo(CONFIRMATION) < 0 ? rest : CONFIRMATION;
    }

    /**
     * Of those that are due the one whose last round is the longest ago, so that none waits for ever behind others that
     * are due again and again. A server that is not serving is forgotten, and so is due at once when it comes back.
     */
    private @Nullable Due nextDue() {
        Set<ServerId> serving = new HashSet<>();
        Due due = null;
        for (BlockServerInfo info : peers.map().getBlockServerList()) {
            if (isServing(info.getState())) {
                ServerId server = new ServerId(info.getServerId());
                serving.add(server);
                Standing standing = servers.get(server);
                Answering answering = Answering.of(info);
                boolean isDue = standing == null
                        || standing.isDue(clock.monotonicNanos(), answering)
                        || drains.awaitsAudit(server);
                if (isDue && (due == null || waitsLonger(standing, servers.get(due.server())))) {
                    due = new Due(server, answering);
                }
            }
        }
        servers.keySet().retainAll(serving);
        unavailable.keySet().retainAll(serving);
        return due;
    }

    private static boolean waitsLonger(@Nullable Standing one, @Nullable Standing other) {
        return other != null && (one == null || one.endedNanos() - other.endedNanos() < 0);
    }

    private static boolean isServing(BlockServerInfo.State state) {
        return switch (state) {
            case ACTIVE, DRAINING, JOINING -> true;
            case STALE, MAINTENANCE, DEAD, GONE, UNRECOGNIZED -> false;
        };
    }

    private CompletableFuture<Void> audit(Due due) {
        return group.submit(begin, RequestOrigin.SERVICE, Empty.getDefaultInstance())
                .thenCompose(begun -> new Round(due, begun).run(beforeFirstBlock()));
    }

    /** Blocks of every epoch are asked for, the oldest first. */
    private long beforeFirstBlock() {
        return BlockId.of(group.id().shard(), 0, 1).value() - 1;
    }

    /**
     * @param unknown the first of those that are
     * @param unknownCopies how many are unknown
     */
    private CompletableFuture<Void> conclude(Due due, Set<UnknownCopy> unknown, long unknownCopies, long known) {
        ServerId server = due.server();
        Standing before = servers.get(server);
        Duration untilNext = untilNext(due, before);
        boolean tooMany = unknownCopies * 100 > (known + unknownCopies) * UNKNOWN_PERCENT_MAX;
        if (unknown.isEmpty() || tooMany || restoreEpoch != 0) {
            if (!unknown.isEmpty()) {
                LOG.warn(
                        "Block server {} holds {} blocks that {} does not know, beside {} that it does; none is reclaimed",
                        server,
                        unknownCopies,
                        group.id(),
                        known);
            }
            conclude(due, untilNext, Set.of());
            return CompletableFuture.completedFuture(null);
        }
        Set<UnknownCopy> agreed = new HashSet<>(before == null ? Set.of() : before.suspects());
        agreed.retainAll(unknown);
        conclude(due, CONFIRMATION, unknown);
        if (agreed.isEmpty()) {
            return CompletableFuture.completedFuture(null);
        }
        DisownRequest.Builder request =
                DisownRequest.newBuilder().setServerId(server.value()).setRestoreEpoch(restoreEpoch);
        agreed.stream()
                .sorted(Comparator.comparingLong(UnknownCopy::getBlockId).thenComparingInt(UnknownCopy::getCopyNumber))
                .forEach(copy -> request.addBlockId(copy.getBlockId()).addCopyNumber(copy.getCopyNumber()));
        return group.submit(disown, RequestOrigin.SERVICE, request.build()).thenAccept(reply -> {
            LOG.info("{} disowned {} blocks on block server {}", group.id(), reply.getDisowned(), server);
            conclude(due, untilNext, Set.of());
        });
    }

    private void conclude(Due due, Duration untilNext, Set<UnknownCopy> suspects) {
        servers.put(due.server(), new Standing(clock.monotonicNanos(), untilNext, suspects, due.answering(), 0));
    }

    /**
     * Volumes that do not serve now may soon: then it shows what is on them. Where volumes changed, a block of them
     * that was open in this round, and so was not judged, may be closed soon.
     */
    private Duration untilNext(Due due, @Nullable Standing before) {
        boolean hasChanged = before != null && due.answering().hasOtherVolumesThan(before.answering());
        boolean allServe = unavailable.getOrDefault(due.server(), Set.of()).isEmpty();
        return allServe && !hasChanged ? PERIOD : CONFIRMATION;
    }

    /** Remembers which volumes do not serve, and says so once. */
    private void tell(ServerId server, Set<String> volumes) {
        Set<String> before = unavailable.put(server, volumes);
        if (!volumes.isEmpty() && !volumes.equals(before)) {
            LOG.warn(
                    "Block server {} cannot tell {} of all its blocks, as these volumes do not serve: {}",
                    server,
                    group.id(),
                    String.join("; ", volumes));
        }
    }

    /** One pass over all blocks that this shard minted before the pass began. */
    private final class Round {
        private final Due due;
        private final ServerId server;
        private final BeginAuditReply begun;
        private final Set<UnknownCopy> unknown = new HashSet<>();
        private final Set<String> notServing = new TreeSet<>();
        private long known;

        /** Those that found no place among {@link #unknown} too. */
        private long unknownCopies;

        Round(Due due, BeginAuditReply begun) {
            this.due = due;
            this.server = due.server();
            this.begun = begun;
        }

        CompletableFuture<Void> run(long after) {
            if (after >= begun.getUpToBlockId()) {
                tell(server, notServing);
                return conclude(due, unknown, unknownCopies, known)
                        .thenCompose(done -> drains.audited(server, begun.getRound(), known));
            }
            AuditPageRequest next = AuditPageRequest.newBuilder()
                    .setServerId(server.value())
                    .setAfterBlockId(after)
                    .setUpToBlockId(begun.getUpToBlockId())
                    .setLimit(RequestLimits.AUDITED_BLOCKS)
                    .build();
            return group.read(page, RequestOrigin.SERVICE, next)
                    .thenApply(asked ->
                            asked.toBuilder().setRound(begun.getRound()).build())
                    .thenCompose(asked -> peers.callBlockServer(server, BlockMethods.AUDIT, asked)
                            .thenCompose(answer -> takeAnswered(asked, answer)));
        }

        /** An answer may end before what was asked does. */
        private CompletableFuture<Void> takeAnswered(AuditRequest asked, AuditReply answer) {
            long upTo = answer.getUpToBlockId();
            if (upTo == 0 || upTo >= asked.getUpToBlockId()) {
                return take(asked, answer).thenCompose(taken -> run(asked.getUpToBlockId()));
            }
            if (upTo <= asked.getAfterBlockId()) {
                return CompletableFuture.failedFuture(new TatamiException(
                        ErrorCode.MALFORMED,
                        "block server " + server + " answers for blocks up to " + upTo + ", which were not asked for"));
            }
            AuditRequest.Builder answered = asked.toBuilder().clearItem().setUpToBlockId(upTo);
            asked.getItemList().stream()
                    .filter(item -> item.getBlockId() <= upTo)
                    .forEach(answered::addItem);
            return take(answered.build(), answer).thenCompose(taken -> run(upTo));
        }

        private CompletableFuture<Void> take(AuditRequest asked, AuditReply answer) {
            known += asked.getItemCount();
            for (AuditedVolume volume : answer.getVolumeList()) {
                if (volume.getState() != AuditedVolume.State.SERVES) {
                    notServing.add(volume.getPath() + ": " + volume.getReason());
                }
            }
            CompareAuditRequest compared = CompareAuditRequest.newBuilder()
                    .setServerId(server.value())
                    .setAsked(asked)
                    .setAnswer(answer)
                    .build();
            return group.read(compare, RequestOrigin.SERVICE, compared).thenCompose(differs -> {
                known += answer.getUnknownBlockIdCount() - differs.getUnknownBlockIdCount();
                known += answer.getUnknownCopyCount() - differs.getUnknownCopyCount();
                differs.getUnknownBlockIdList()
                        .forEach(block -> addUnknown(
                                UnknownCopy.newBuilder().setBlockId(block).build()));
                differs.getUnknownCopyList().forEach(this::addUnknown);
                return write(differs.getFindingList());
            });
        }

        private void addUnknown(UnknownCopy copy) {
            unknownCopies++;
            if (unknown.size() < UNKNOWN_KEPT_MAX) {
                unknown.add(copy);
            }
        }

        /** What is as it was known to be costs no write. */
        private CompletableFuture<Void> write(List<AuditFinding> findings) {
            if (findings.isEmpty()) {
                return CompletableFuture.completedFuture(null);
            }
            RecordAuditRequest found = RecordAuditRequest.newBuilder()
                    .setServerId(server.value())
                    .setRound(begun.getRound())
                    .addAllFinding(findings)
                    .build();
            return group.submit(record, RequestOrigin.SERVICE, found).thenAccept(done -> {});
        }
    }
}
