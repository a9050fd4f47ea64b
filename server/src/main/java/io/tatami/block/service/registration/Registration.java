package io.tatami.block.service.registration;

import io.tatami.base.BlockId;
import io.tatami.base.Causes;
import io.tatami.base.Clock;
import io.tatami.base.ErrorCode;
import io.tatami.base.GroupId;
import io.tatami.base.ServerId;
import io.tatami.base.TatamiException;
import io.tatami.block.service.context.BlockServerMetrics;
import io.tatami.block.service.context.BlockServerSettings;
import io.tatami.block.service.context.ServerContext;
import io.tatami.block.service.volumes.AccessFigures;
import io.tatami.block.service.volumes.VolumeSet;
import io.tatami.block.volume.VolumeStatistics;
import io.tatami.files.CrashPoint;
import io.tatami.protocol.wire.ClusterMap;
import io.tatami.protocol.wire.CreditsLowRequest;
import io.tatami.protocol.wire.DamagedCopiesRequest;
import io.tatami.protocol.wire.GiveCreditsReply;
import io.tatami.protocol.wire.GiveCreditsRequest;
import io.tatami.protocol.wire.HeartbeatReply;
import io.tatami.protocol.wire.HeartbeatRequest;
import io.tatami.protocol.wire.RegisterBlockServerReply;
import io.tatami.protocol.wire.RegisterBlockServerRequest;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The server's place in its cluster: registers, keeps the id that it was given, sends heartbeats, and gives the shards
 * credits. All state is owned by the housekeeping thread, on which {@link #tick} is called and replies are heard.
 */
public final class Registration {
    private static final Logger LOG = LoggerFactory.getLogger(Registration.class);

    /** Between attempts to register, where heartbeats are rarer. */
    private static final long REGISTER_PAUSE_MILLIS_MAX = 500;

    private final MetadataLink link;
    private final VolumeSet volumes;
    private final IdentityFile identityFile;
    private final RegisterBlockServerRequest registration;
    private final BlockServerSettings settings;
    private final BlockServerMetrics metrics;
    private final Clock clock;
    private final Executor housekeeping;
    private final Consumer<HeartbeatReply> cluster;
    private final Consumer<TatamiException> ended;
    private final DamageNotices damage;
    private final CopyReports copies;

    private final CompletableFuture<ServerId> joined = new CompletableFuture<>();
    private final CreditPool credits;
    private IdentityFile.Identity identity;
    private ClusterMap map = ClusterMap.getDefaultInstance();
    private volatile boolean registered;

    /** How often the server's volumes changed: now, and when the last registration was sent. */
    private final AtomicInteger changes = new AtomicInteger();

    private volatile int changesSent;
    private boolean asking;
    private boolean leaving;
    private boolean superseded;
    private volatile @Nullable Throwable refusal;
    private long nextTalkMillis;

    /**
     * @param registration all but the identity of the server and its volumes
     * @param cluster hears each answer to a heartbeat that does not have this server register again
     * @param ended hears, once, that another process is this block server now, or the namespace takes it for a copy of
     *     a former one, or for another server
     * @param damage what shards are to be told
     * @param copies what shards are to be told of them
     */
    public Registration(
            MetadataLink link,
            ServerContext context,
            IdentityFile identityFile,
            IdentityFile.Identity identity,
            RegisterBlockServerRequest registration,
            Executor housekeeping,
            Consumer<HeartbeatReply> cluster,
            Consumer<TatamiException> ended,
            DamageNotices damage,
            CopyReports copies) {
        this.link = link;
        this.volumes = context.volumes();
        this.identityFile = identityFile;
        this.identity = identity;
        this.registration = registration;
        this.settings = context.settings();
        this.credits = new CreditPool(identity.starts(), settings.creditBytes());
        this.metrics = context.metrics();
        this.clock = context.clock();
        this.housekeeping = housekeeping;
        this.cluster = cluster;
        this.ended = ended;
        this.damage = damage;
        this.copies = copies;
    }

    /**
     * Completes with the server's id when the cluster has taken this process's first heartbeat, and so sends it blocks.
     */
    public CompletableFuture<ServerId> joined() {
        return joined;
    }

    /** Does what is due; to be called every {@link CreditLine#ASK_MILLIS_MIN} or so. */
    public void tick() {
        long now = nowMillis();
        if (superseded) {
            return;
        }
        if (!asking && now >= nextTalkMillis) {
            asking = true;
            if (registered) {
                CrashPoint.hit("service.heartbeat.before-send");
                hear(link.heartbeat(heartbeat()), this::heartbeatAnswered);
            } else {
                CrashPoint.hit("service.register.before-send");
                changesSent = changes.get();
                hear(link.register(request()), this::registrationAnswered);
            }
        }
        if (registered) {
            giveCredits(now);
            tellOfDamage(now);
            tellOfCopies(now);
        }
    }

    private RegisterBlockServerRequest request() {
        RegisterBlockServerRequest.Builder complete = registration.toBuilder().clearVolumeId();
        volumes.ids().forEach(id -> complete.addVolumeId(id.toString()));
        return complete.setServerId(identity.server().value())
                .setIncarnation(identity.incarnation())
                .setPreviousIncarnation(identity.confirmed())
                .addAllFormerIncarnation(identity.former())
                .build();
    }

    /** Has the cluster know which volumes are this server's now; on any thread. */
    public void registerAgain() {
        changes.incrementAndGet();
        housekeeping.execute(() -> {
            registered = false;
            nextTalkMillis = nowMillis();
        });
    }

    private void registrationAnswered(@Nullable RegisterBlockServerReply reply, @Nullable Throwable failure) {
        talked();
        if (reply == null) {
            refused(failure);
            return;
        }
        ServerId given = new ServerId(reply.getServerId());
        if (!given.equals(identity.server()) && !identity.server().equals(ServerId.NONE) && mayHaveBlocks()) {
            end(otherServer(given));
            return;
        }
        if (!given.equals(identity.server()) || identity.confirmed() != identity.incarnation()) {
            CrashPoint.hit("service.register.before-identity");
            IdentityFile.Identity now = identity.confirmedAs(given);
            try {
                identityFile.write(now);
            } catch (TatamiException e) {
                LOG.error("cannot keep the id {} that this server was given; it does not serve without", given, e);
                return;
            }
            identity = now;
        }
        CrashPoint.hit("service.register.after-identity");
        learn(reply.getMap());
        // A request that was under way when the volumes changed has not told of that.
        registered = changesSent == changes.get();
        nextTalkMillis = nowMillis();
    }

    /** Shards know its blocks under its id alone: under another one their copies here would be lost, and deleted. */
    private TatamiException otherServer(ServerId given) {
        return new TatamiException(
                ErrorCode.FENCED,
                "this block server has blocks as " + identity.server() + ", and the namespace takes it for " + given
                        + ", as it knows none of the volumes under the former id. Start it with the volumes that "
                        + identity.server() + " had; or, if its blocks are not needed, format its volumes and use a new"
                        + " directory, so that it joins as a new server, and remove " + given
                        + " with 'tatami admin block forget'");
    }

    private boolean mayHaveBlocks() {
        return !volumes.failed().isEmpty()
                || volumes.volumes().stream()
                        .anyMatch(served -> served.volume().statistics().blocks() > 0);
    }

    /** Whether the cluster knows the server by its present volumes. May be called by any thread. */
    public boolean isKnown() {
        return registered && changesSent == changes.get();
    }

    /** A server that is superseded, or has a former disk of one, never is registered; any other is later. */
    private void refused(@Nullable Throwable failure) {
        if (failure != null && Causes.of(failure).code() == ErrorCode.FENCED) {
            end(Causes.of(failure));
            return;
        }
        LOG.warn("the namespace did not register this block server; trying again", failure);
        refusal = failure;
        nextTalkMillis = Math.min(nextTalkMillis, nowMillis() + REGISTER_PAUSE_MILLIS_MAX);
    }

    private void end(TatamiException reason) {
        LOG.error("this block server ends, as the namespace does not take it for the one that it knows", reason);
        superseded = true;
        registered = false;
        joined.completeExceptionally(reason);
        ended.accept(reason);
    }

    /** Why the namespace did not register this server when it was asked last; null where it did, or did not answer. */
    public @Nullable Throwable refusal() {
        return refusal;
    }

    private void heartbeatAnswered(@Nullable HeartbeatReply reply, @Nullable Throwable failure) {
        talked();
        if (reply == null) {
            LOG.warn("a heartbeat was not answered", failure);
            return;
        }
        CrashPoint.hit("service.heartbeat.answered");
        if (reply.hasMap()) {
            learn(reply.getMap());
        }
        if (reply.getRegisterAgain()) {
            registered = false;
            nextTalkMillis = nowMillis();
            return;
        }
        cluster.accept(reply);
        if (joined.complete(identity.server())) {
            LOG.info("joined the cluster as block server {}", identity.server());
        }
    }

    private void learn(ClusterMap newer) {
        map = newer;
        link.use(newer);
        credits.divideAmong(newer.getShards());
    }

    private void giveCredits(long now) {
        if (!credits.isAnyDue(now)) {
            return;
        }
        credits.divide(volumes.room().freeBytes());
        for (int shard = 0; shard < credits.shards(); shard++) {
            if (credits.isDue(shard, now)) {
                giveCredits(GroupId.ofShard(shard));
            }
        }
    }

    private void giveCredits(GroupId shard) {
        CrashPoint.hit("service.credits.before-send");
        // What was opened comes first: a stream that opens meanwhile counts twice rather than not at all.
        GiveCreditsRequest gift = credits.request(identity.server(), shard.shard()).toBuilder()
                .setWritersOpened(metrics.writeStreamsOpenedLately(shard, clock.monotonicNanos()))
                .setWritersOpenedAll(metrics.writeStreamsOpenedLately(clock.monotonicNanos()))
                .setWriters(metrics.busyWriteStreams())
                .build();
        hear(link.giveCredits(shard, gift), (reply, failure) -> {
            learnNewest(shard, gift, reply);
            creditsAnswered(shard.shard(), reply, failure);
        });
    }

    /** Only a gift is logged, and so answered by a leader that still leads and knows every block of the shard. */
    private void learnNewest(GroupId shard, GiveCreditsRequest gift, @Nullable GiveCreditsReply reply) {
        if (reply != null && reply.hasNewestBlockId() && gift.getBlocks() > 0) {
            volumes.learnNewest(shard, new BlockId(reply.getNewestBlockId()));
        }
    }

    private void creditsAnswered(int shard, @Nullable GiveCreditsReply reply, @Nullable Throwable failure) {
        if (reply == null) {
            LOG.debug("a shard did not take credits", failure);
            credits.failed(shard, nowMillis());
            return;
        }
        CrashPoint.hit("service.credits.answered");
        metrics.gaveCredits(credits.answered(shard, reply.getLeft(), nowMillis()));
        if (credits.isDue(shard, nowMillis())) {
            giveCredits(nowMillis());
        }
    }

    private void tellOfDamage(long now) {
        for (GroupId shard : damage.due(now)) {
            CrashPoint.hit("service.damage.before-send");
            DamagedCopiesRequest request = damage.request(shard, identity.server());
            hear(link.damagedCopies(shard, request), (reply, failure) -> {
                if (reply == null) {
                    LOG.info("{} did not take note of damaged blocks", shard, failure);
                    damage.failed(shard, nowMillis());
                } else {
                    damage.answered(shard);
                }
            });
        }
    }

    private void tellOfCopies(long now) {
        for (GroupId shard : copies.due(now)) {
            CrashPoint.hit("service.copies-made.before-send");
            hear(
                    link.copiesMade(shard, copies.request(shard, identity.server(), identity.incarnation())),
                    (reply, failure) -> {
                        if (reply == null) {
                            LOG.info("{} did not take note of copies", shard, failure);
                            copies.failed(shard, nowMillis());
                        } else {
                            copies.answered(shard);
                        }
                    });
        }
    }

    /** A shard has few credits left; on any thread. */
    public void creditsAreLow(CreditsLowRequest request) {
        housekeeping.execute(() -> {
            credits.ranLow(request, nowMillis());
            if (registered) {
                giveCredits(nowMillis());
            }
        });
    }

    private HeartbeatRequest heartbeat() {
        VolumeSet.Room room = volumes.room();
        HeartbeatRequest.Builder request = HeartbeatRequest.newBuilder()
                .setIncarnation(identity.incarnation())
                .setLeaving(leaving)
                .setServerId(identity.server().value())
                .setCapacityBytes(room.capacityBytes())
                .setUsedBytes(room.usedBytes())
                .setFreeBytes(room.freeBytes())
                .setQueueDepth(metrics.readStreams() + metrics.writeStreams())
                .setVolumes(volumes.digest())
                .setMapEpoch(map.getEpoch());
        for (VolumeSet.ServedVolume served : volumes.volumes()) {
            VolumeStatistics statistics = served.volume().statistics();
            if (!statistics.failure().isEmpty()) {
                request.addFailedVolume(served.volume().id().toString());
            } else {
                request.addVolume(AccessFigures.of(served.volume().accessTimes().typicalNanos()));
            }
        }
        for (VolumeSet.FailedVolume missing : volumes.failed()) {
            request.addFailedVolume(missing.id() == null ? missing.path() : String.valueOf(missing.id()));
        }
        return request.build();
    }

    /** Tells the namespace that this process ends in good order, once; completes when that is answered, or was not. */
    public CompletableFuture<Void> leave() {
        if (!joined.isDone()) {
            return CompletableFuture.completedFuture(null);
        }
        return CompletableFuture.supplyAsync(
                        () -> {
                            leaving = true;
                            return heartbeat();
                        },
                        housekeeping)
                .thenCompose(link::heartbeat)
                .handle((reply, failure) -> {
                    if (failure != null) {
                        LOG.info("the namespace did not hear that this block server ends", failure);
                    }
                    return null;
                });
    }

    private void talked() {
        asking = false;
        nextTalkMillis = nowMillis() + settings.heartbeatMillis();
    }

    private long nowMillis() {
        return TimeUnit.NANOSECONDS.toMillis(clock.monotonicNanos());
    }

    /** Hears one of the two on the housekeeping thread. */
    private interface Answer<R> {
        void heard(@Nullable R reply, @Nullable Throwable failure);
    }

    private <R> void hear(CompletableFuture<R> future, Answer<R> answer) {
        CompletableFuture<R> unused = future.whenCompleteAsync(
                (reply, failure) -> {
                    try {
                        answer.heard(reply, failure);
                    } catch (RuntimeException e) {
                        LOG.error("an answer of the metadata servers could not be used", e);
                    }
                },
                housekeeping);
    }
}
