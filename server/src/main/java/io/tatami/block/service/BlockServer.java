package io.tatami.block.service;

import io.tatami.base.Clock;
import io.tatami.base.ErrorCode;
import io.tatami.base.ServerId;
import io.tatami.base.TatamiException;
import io.tatami.block.cache.CacheTier;
import io.tatami.block.service.command.BlockCommands;
import io.tatami.block.service.command.PlanCommands;
import io.tatami.block.service.context.BlockServerMetrics;
import io.tatami.block.service.context.BlockServerSettings;
import io.tatami.block.service.context.CopyRate;
import io.tatami.block.service.context.ServerContext;
import io.tatami.block.service.context.ServerThreads;
import io.tatami.block.service.copy.BlockPulls;
import io.tatami.block.service.copy.RemoteCopies;
import io.tatami.block.service.memory.MemoryShares;
import io.tatami.block.service.memory.SharedDirectory;
import io.tatami.block.service.moves.VolumeMoves;
import io.tatami.block.service.read.ReadStreams;
import io.tatami.block.service.read.StatisticsCommand;
import io.tatami.block.service.registration.CopyReports;
import io.tatami.block.service.registration.CreditLine;
import io.tatami.block.service.registration.DamageNotices;
import io.tatami.block.service.registration.IdentityFile;
import io.tatami.block.service.registration.MetadataCredential;
import io.tatami.block.service.registration.MetadataLink;
import io.tatami.block.service.registration.Registration;
import io.tatami.block.service.report.DamageReports;
import io.tatami.block.service.report.VolumeReports;
import io.tatami.block.service.volumes.OrderlyEnd;
import io.tatami.block.service.volumes.VolumePlaces;
import io.tatami.block.service.volumes.VolumeSet;
import io.tatami.block.service.write.WriteStreams;
import io.tatami.block.volume.UnitCopies;
import io.tatami.client.block.BlockClient;
import io.tatami.client.block.BlockClientSettings;
import io.tatami.protocol.BlockMethods;
import io.tatami.protocol.wire.BlockServerStatusReply;
import io.tatami.protocol.wire.ChangeVolumeReply;
import io.tatami.protocol.wire.CreditsLowRequest;
import io.tatami.protocol.wire.DiagnosticsReply;
import io.tatami.protocol.wire.DiagnosticsRequest;
import io.tatami.protocol.wire.Empty;
import io.tatami.protocol.wire.HeartbeatReply;
import io.tatami.protocol.wire.RegisterBlockServerRequest;
import io.tatami.rpc.Connector;
import io.tatami.rpc.Handler;
import io.tatami.rpc.HandlerTable;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A block server: its volumes behind a data port, and its place in a cluster. It takes what is for servers only from
 * metadata servers of that cluster alone, and so from nobody before it has joined. It knows nothing of sockets: whoever
 * wires it up puts {@link #handlers} behind a port, and gives it connections outwards.
 *
 * <p>Order at the start: construct, listen with {@link #handlers}, {@link #join}. At the end: close this, what listens,
 * the connector, the volumes.
 */
public final class BlockServer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(BlockServer.class);
    private static final long PREWRITE_LOOK_MILLIS = 60_000;
    private static final long STANDSTILL_CHECK_MILLIS = 1_000;
    private static final long MEMORY_SWEEP_MILLIS = 500;
    private static final long LEAVE_MILLIS_MAX = 1_000;
    private static final long SLOWNESS_CHECK_MILLIS = 10_000;

    private final VolumeSet volumes;
    private final IdentityFile identityFile;
    private final IdentityFile.Identity identity;
    private final ServerThreads threads;
    private final ServerContext context;
    private final DataPort port;
    private final MemoryShares memory;
    private final VolumeReports reports;
    private final DamageNotices damage = new DamageNotices();
    private final CopyReports copyReports = new CopyReports();
    private final CopyRate copyRate;
    private final BlockPulls pulls;
    private final VolumeMoves moves;

    /** Volumes that were taken out, until all has ended that was begun on them. */
    private final Set<VolumeSet.ServedVolume> ending = ConcurrentHashMap.newKeySet();

    private final MetadataCredential credential = new MetadataCredential();
    private final HandlerTable handlers = new HandlerTable(credential);
    private volatile ServerId serverId;
    private volatile @Nullable Registration registration;
    private volatile Handler<DiagnosticsRequest, DiagnosticsReply> diagnostics = (caller, request, responder) ->
            responder.failure(new TatamiException(ErrorCode.UNSUPPORTED, "this process tells no diagnostics"));
    private final CompletableFuture<String> superseded = new CompletableFuture<>();

    /**
     * Counts this start durably, and serves the data port from now on.
     *
     * @param tier the caller's to close, after this; null for none
     * @param connector for chains; the caller's to close
     * @throws TatamiException as {@link IdentityFile#start}
     */
    public BlockServer(
            BlockServerSettings settings,
            VolumeSet volumes,
            @Nullable CacheTier tier,
            IdentityFile identityFile,
            Connector connector,
            Clock clock)
            throws TatamiException {
        this(settings, volumes, tier, identityFile, connector, clock, null);
    }

    /** @param places of volumes that are added while the server runs; null where none can be */
    public BlockServer(
            BlockServerSettings settings,
            VolumeSet volumes,
            @Nullable CacheTier tier,
            IdentityFile identityFile,
            Connector connector,
            Clock clock,
            @Nullable VolumePlaces places)
            throws TatamiException {
        this.volumes = volumes;
        this.identityFile = identityFile;
        this.identity = identityFile.start();
        this.serverId = identity.server();
        this.threads = new ServerThreads(
                settings,
                volumes.volumes().stream().map(VolumeSet.ServedVolume::volume).toList());
        // The server before this one hears nothing meanwhile, and must not lose its patience first.
        BlockClient chainClient = new BlockClient(
                connector,
                BlockClientSettings.DEFAULT.withTimeoutMillis(Math.max(1, settings.chainSilenceMillis() / 3)));
        this.memory = new MemoryShares(
                threads, new SharedDirectory(settings.sharedMemoryDirectory()), settings.sharedMemoryBytesMax());
        memory.serveOn(handlers);
        this.context = new ServerContext(
                settings, volumes, clock, new BlockServerMetrics(), () -> serverId, identity.incarnation());
        WriteStreams writes = new WriteStreams(context, chainClient, memory, threads.writers());
        this.copyRate = new CopyRate(clock, settings.copyBytesPerSecond());
        UnitCopies copies = tier == null ? UnitCopies.NONE : tier;
        ReadStreams reads = new ReadStreams(context, copies, memory, copyRate, threads::readers);
        this.port = new DataPort(writes, reads);
        port.serveOn(handlers);
        BlockCommands commands = new BlockCommands(context, writes, threads, block -> {
            if (tier != null) {
                tier.forget(block);
            }
        });
        commands.serveOn(handlers);
        this.pulls = new BlockPulls(
                context,
                new RemoteCopies(chainClient),
                copyRate,
                writes.tombstones()::requireNone,
                threads.writers(),
                copyReports::add);
        commands.serve(handlers, BlockMethods.PULL_BLOCKS, pulls::pull);
        threads.every(CopyRate.TICK_MILLIS, copyRate::tick);
        PlanCommands plans = new PlanCommands(tier, context.metrics());
        plans.serveOn(handlers, commands);
        this.reports = new VolumeReports(context, plans::cacheStatus);
        commands.serve(handlers, BlockMethods.BLOCK_SERVER_STATUS, request -> status());
        commands.serve(handlers, BlockMethods.SCRUB, reports::scrub);
        new StatisticsCommand(reads.statistics(), plans::announced, credential, threads).serveOn(handlers);
        commands.serve(handlers, BlockMethods.CREDITS_LOW, this::creditsAreLow);
        handlers.on(
                BlockMethods.DIAGNOSTICS,
                (caller, request, responder) -> diagnostics.handle(caller, request, responder));
        volumes.volumes().forEach(served -> served.volume().onDamagedCopy(damage::found));
        this.moves = new VolumeMoves(volumes, clock, copyRate, settings.balancePercent());
        threads.every(VolumeMoves.LOOK_MILLIS, () -> moves.look(threads.writers()));
        VolumeChanges changes = new VolumeChanges(volumes, places, new Parts());
        commands.serve(handlers, BlockMethods.CHANGE_VOLUME, request -> {
            changes.change(request);
            return ChangeVolumeReply.newBuilder().setStatus(status()).build();
        });
        DamageReports damageReports = new DamageReports(context, threads);
        damageReports.serveOn(handlers);
        threads.every(DamageReports.CHECK_MILLIS, damageReports::check);
        long checkMillis = Math.max(1, Math.min(STANDSTILL_CHECK_MILLIS, settings.chainSilenceMillis() / 8));
        threads.every(checkMillis, port::checkStandstill);
        threads.every(ReadStreams.TELL_QUEUED_MILLIS, reads::tellQueued);
        threads.every(MEMORY_SWEEP_MILLIS, memory::sweep);
        threads.every(SLOWNESS_CHECK_MILLIS, reports::lookForSlowVolumes);
        threads.every(settings.compactMillis(), reports::compact);
        threads.every(PREWRITE_LOOK_MILLIS, reports::prewrite);
    }

    /** What to serve; complete. */
    public HandlerTable handlers() {
        return handlers;
    }

    /** What the process tells of itself, for metadata servers that ask; nothing before this is called. */
    public void diagnosedBy(Handler<DiagnosticsRequest, DiagnosticsReply> process) {
        diagnostics = process;
    }

    public BlockServerMetrics metrics() {
        return context.metrics();
    }

    /** What the server knows of how its volumes are, and looks after. */
    public VolumeReports reports() {
        return reports;
    }

    /** By which metadata servers are known; learned when this joins a cluster. */
    MetadataCredential credential() {
        return credential;
    }

    /** What readers and writers on this host are lent. */
    public MemoryShares memory() {
        return memory;
    }

    /**
     * Becomes a member of the cluster, and stays one until this is closed: registers, sends heartbeats and gives
     * credits, trying again for ever. Once.
     *
     * @param description all but the server's id and the ids of the volumes
     * @return completes with this server's id when the cluster knows it and the room it has
     */
    public CompletableFuture<ServerId> join(MetadataLink link, RegisterBlockServerRequest description) {
        Registration joining = new Registration(
                link,
                context,
                identityFile,
                identity,
                description,
                threads.housekeeping(),
                this::hear,
                this::supersede,
                damage,
                copyReports);
        registration = joining;
        threads.every(CreditLine.ASK_MILLIS_MIN, joining::tick);
        return joining.joined().whenComplete((id, failure) -> {
            if (id != null) {
                serverId = id;
            }
        });
    }

    /** Why the namespace does not register this server, as it said last; null where it does, or has said nothing. */
    public @Nullable Throwable refusal() {
        Registration joining = registration;
        return joining == null ? null : joining.refusal();
    }

    /** Completes with the reason when another process is this block server now; nothing is served here from then on. */
    public CompletableFuture<String> superseded() {
        return superseded;
    }

    /** Writers must not take anything that is acknowledged here for written any more. */
    private void supersede(TatamiException reason) {
        credential.supersede();
        pulls.close();
        port.close();
        superseded.complete(String.valueOf(reason.getMessage()));
    }

    /** So that readers and writers go elsewhere at once; a namespace that does not answer is not waited for long. */
    private void leave() {
        Registration joined = registration;
        if (joined == null || superseded.isDone()) {
            return;
        }
        try {
            joined.leave().get(LEAVE_MILLIS_MAX, TimeUnit.MILLISECONDS);
        } catch (TimeoutException | ExecutionException e) {
            LOG.info("the namespace did not answer that it knows of this server's end", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void hear(HeartbeatReply reply) {
        reports.compareWith(reply.getTypical());
        copyRate.set(reply.getCopyBytesPerSecond());
        credential.learn(reply.getCredential());
    }

    /** How the server and its volumes are now. */
    public BlockServerStatusReply status() {
        BlockServerStatusReply.Builder reply = reports.status().toBuilder();
        moves.addTo(reply);
        return reply.setCopyBytesPerSecond(copyRate.bytesPerSecond())
                .setPullsRunning(pulls.running())
                .setPullsQueued(pulls.queued())
                .setCopiesMade(metrics().copiesMade())
                .setBytesPulled(metrics().pulledBytes())
                .build();
    }

    /** All that looks after each volume by itself. */
    private final class Parts implements VolumeChanges.Parts {
        @Override
        public void add(VolumeSet.ServedVolume served) {
            threads.add(served.volume());
            port.add(served);
            pulls.add(served.volume());
            reports.add(served);
            served.volume().onDamagedCopy(damage::found);
            moves.added();
        }

        @Override
        public void changed() {
            Registration joined = registration;
            if (joined != null) {
                joined.registerAgain();
            }
        }

        @Override
        public boolean areKnown() {
            Registration joined = registration;
            return joined == null || joined.isKnown();
        }

        @Override
        public void end(VolumeSet.ServedVolume served, VolumeChanges.Closing closing) {
            pulls.endOn(served.volume());
            port.endOn(served.volume());
            reports.end(served);
            ending.add(served);
            threads.writers().execute(() -> close(served, closing));
        }

        private void close(VolumeSet.ServedVolume served, VolumeChanges.Closing closing) {
            List<VolumeSet.ServedVolume> left = awaitEnd(List.of(served));
            threads.remove(served.volume());
            reports.remove(served);
            moves.remove(served.volume());
            port.remove(served.volume());
            if (left.isEmpty()) {
                ending.remove(served);
            } else {
                LOG.warn("volume {} does not end what was begun on it, and is closed all the same", served.path());
            }
            try {
                closing.run();
                LOG.info(
                        "volume {} ({}) is closed",
                        served.path(),
                        served.volume().id());
            } catch (TatamiException e) {
                LOG.warn("volume {} cannot be closed", served.path(), e);
            }
        }
    }

    private Empty creditsAreLow(CreditsLowRequest request) {
        Registration joined = registration;
        if (joined != null) {
            joined.creditsAreLow(request);
        }
        return Empty.getDefaultInstance();
    }

    /**
     * Tells the namespace, ends the open streams, refuses new ones with UNAVAILABLE, and waits for what was begun. What
     * waits for a volume that hangs is left to the end of the process, or until the volume goes on.
     */
    @Override
    public void close() {
        leave();
        moves.close();
        pulls.close();
        port.close();
        reports.end();
        threads.end();
        List<VolumeSet.ServedVolume> begun = new ArrayList<>(volumes.volumes());
        begun.addAll(ending);
        List<VolumeSet.ServedVolume> left = awaitEnd(begun);
        left.forEach(served -> LOG.warn(
                "what was begun on volume {}, which {}, is left to the end of this process",
                served.path(),
                served.volume().accessTimes().isHanging() ? "hangs" : "does not end it"));
        threads.close(!left.isEmpty() || !ending.isEmpty());
        memory.close();
        LOG.info("block server {} has stopped", serverId);
    }

    /** Waits for what was told to end; the volumes on which it has not. */
    private List<VolumeSet.ServedVolume> awaitEnd(List<VolumeSet.ServedVolume> served) {
        return OrderlyEnd.await(
                served,
                List.of(moves::awaitEnd, pulls::awaitEnd, port::awaitEnd, reports::awaitEnd, threads::awaitEnd));
    }
}
