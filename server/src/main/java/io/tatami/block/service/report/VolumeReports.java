package io.tatami.block.service.report;

import io.tatami.base.Clock;
import io.tatami.base.ServerId;
import io.tatami.block.service.context.BlockServerMetrics;
import io.tatami.block.service.context.ServerContext;
import io.tatami.block.service.volumes.AccessFigures;
import io.tatami.block.service.volumes.OrderlyEnd;
import io.tatami.block.service.volumes.VolumeSet;
import io.tatami.block.volume.Volume;
import io.tatami.block.volume.VolumeStatistics;
import io.tatami.block.volume.maintain.Compactor;
import io.tatami.block.volume.maintain.Prewriter;
import io.tatami.block.volume.maintain.Scrubber;
import io.tatami.protocol.Release;
import io.tatami.protocol.wire.AccessMedians;
import io.tatami.protocol.wire.BlockServerStatusReply;
import io.tatami.protocol.wire.CacheStatus;
import io.tatami.protocol.wire.ScrubRequest;
import io.tatami.protocol.wire.VolumeStatus;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Scrubs the volumes on demand, compacts them and writes their files ahead by itself, looks whether one is slow, and
 * reports how they are. Safe for use by many threads.
 */
public final class VolumeReports {
    private static final Logger LOG = LoggerFactory.getLogger(VolumeReports.class);

    private final List<Kept> volumes = new CopyOnWriteArrayList<>();
    private final ServerContext context;
    private final VolumeWatch watch;
    private final BlockServerMetrics metrics;
    private final Supplier<Optional<CacheStatus>> cache;
    private final Supplier<ServerId> serverId;
    private boolean closed;

    private record Kept(VolumeSet.ServedVolume served, Scrubber scrubber, Compactor compactor, Prewriter prewriter) {}

    /** @param cache how the cache tier is; empty where there is none */
    public VolumeReports(ServerContext context, Supplier<Optional<CacheStatus>> cache) {
        this.metrics = context.metrics();
        this.context = context;
        this.watch = new VolumeWatch(context.volumes()::volumes, metrics);
        this.cache = cache;
        this.serverId = context.serverId();
        context.volumes().volumes().forEach(this::add);
    }

    /** Looks after one more volume. */
    public void add(VolumeSet.ServedVolume served) {
        Clock clock = context.clock();
        Scrubber scrubber =
                new Scrubber(served.volume(), clock, context.settings().scrubBytesPerSecondMax());
        Compactor compactor =
                new Compactor(served.volume(), clock, context.settings().compactBytesPerSecondMax());
        Prewriter prewriter =
                new Prewriter(served.volume(), clock, context.settings().prewriteBytes());
        volumes.add(new Kept(served, scrubber, compactor, prewriter));
    }

    /** Has the passes over a volume that is no longer served end soon; none begins after that. */
    public synchronized void end(VolumeSet.ServedVolume served) {
        kept(served.volume()).ifPresent(VolumeReports::end);
    }

    /** Forgets a volume that is no longer served. */
    public void remove(VolumeSet.ServedVolume served) {
        volumes.removeIf(kept -> kept.served().equals(served));
    }

    /** Those that are served. */
    private List<Kept> served() {
        List<VolumeSet.ServedVolume> served = context.volumes().volumes();
        return volumes.stream().filter(kept -> served.contains(kept.served())).toList();
    }

    /** Moves short blocks together on each volume that serves, where that gives long free runs. */
    public void compact() {
        startOnEach(volume -> volume.compactor().start());
    }

    /** Writes each volume file that serves ahead of its blocks. */
    public void prewrite() {
        startOnEach(volume -> volume.prewriter().start());
    }

    private synchronized void startOnEach(Consumer<Kept> pass) {
        if (!closed) {
            served().stream()
                    .filter(volume ->
                            volume.served().volume().statistics().failure().isEmpty())
                    .forEach(pass);
        }
    }

    /** What the volumes of the cluster take, to compare with from now on. */
    public void compareWith(AccessMedians typical) {
        watch.compareWith(AccessFigures.nanos(typical));
    }

    /** To be called every ten seconds or so, by one thread. */
    public void lookForSlowVolumes() {
        watch.look();
    }

    /** Begins a pass over every volume that is not in one, or ends the passes; answers with the status after that. */
    public BlockServerStatusReply scrub(ScrubRequest request) {
        switch (request.getAction()) {
            case START -> startScrubs();
            case STOP -> endScrubs();
            case STATUS, UNRECOGNIZED -> {}
        }
        return status();
    }

    private synchronized void startScrubs() {
        if (!closed) {
            served().forEach(volume -> volume.scrubber().start());
        }
    }

    /** Waits for the passes, but not for those that a volume holds up which hangs. */
    private void endScrubs() {
        List<Kept> scrubbed = served();
        scrubbed.forEach(volume -> volume.scrubber().end());
        List<VolumeSet.ServedVolume> served =
                scrubbed.stream().map(Kept::served).toList();
        List<VolumeSet.ServedVolume> left = OrderlyEnd.await(served, List.of((volume, limitMillis) -> {
            Optional<Kept> kept = kept(volume);
            return kept.isEmpty() || kept.get().scrubber().awaitEnd(limitMillis);
        }));
        left.forEach(volume -> LOG.warn("the scrub of volume {} ends when its device goes on", volume.path()));
    }

    public BlockServerStatusReply status() {
        BlockServerStatusReply.Builder reply = BlockServerStatusReply.newBuilder()
                .setServerId(serverId.get().value())
                .setVersion(Release.name())
                .setBytesRead(metrics.readBytes())
                .setBytesWritten(metrics.writtenBytes())
                .setCreditGifts(metrics.creditGifts())
                .setCreditsGiven(metrics.creditsGiven());
        for (Kept volume : served()) {
            reply.addVolume(status(volume, watch.slowness(volume.served())));
        }
        for (VolumeSet.FailedVolume volume : context.volumes().failed()) {
            reply.addVolume(VolumeStatus.newBuilder()
                    .setVolumeId(volume.id() == null ? "" : String.valueOf(volume.id()))
                    .setPath(volume.path())
                    .setFailure(volume.reason()));
        }
        cache.get().ifPresent(reply::setCache);
        return reply.build();
    }

    private static VolumeStatus status(Kept volume, String slowness) {
        VolumeStatistics statistics = volume.served().volume().statistics();
        Scrubber.Progress scrub = volume.scrubber().progress();
        AccessMedians typical =
                AccessFigures.of(volume.served().volume().accessTimes().typicalNanos());
        Compactor.Progress compaction = volume.compactor().progress();
        return VolumeStatus.newBuilder()
                .setVolumeId(volume.served().volume().id().toString())
                .setPath(volume.served().path())
                .setCapacityBytes(statistics.capacityBytes())
                .setUsedBytes(statistics.usedBytes())
                .setFreeBytes(statistics.freeBytes())
                .setLargestFreeExtentBytes(statistics.largestFreeExtentBytes())
                .setBlocks(statistics.blocks())
                .setReadBytes(statistics.readBytes())
                .setWrittenBytes(statistics.writtenBytes())
                .setFailure(statistics.failure())
                .setScrubbedBytes(scrub.scrubbedBytes())
                .setScrubbing(volume.scrubber().isRunning())
                .setDamagedChunks(statistics.damagedChunks())
                .setCompacting(volume.compactor().isRunning())
                .setMovedBytes(compaction.movedBytes())
                .setEmptiedRegions(compaction.emptiedRegions())
                .setDeadBytes(compaction.deadBytes())
                .setDraining(volume.served().volume().isClosedToNew())
                .setStructureDamage(scrub.structureDamage())
                .setSlowness(slowness)
                .setSmallReadMicros(typical.getSmallReadMicros())
                .setLargeReadMicros(typical.getLargeReadMicros())
                .setSmallWriteMicros(typical.getSmallWriteMicros())
                .setLargeWriteMicros(typical.getLargeWriteMicros())
                .build();
    }

    /** Has the passes under way end soon; none begins after that. */
    public synchronized void end() {
        closed = true;
        volumes.forEach(VolumeReports::end);
    }

    private static void end(Kept volume) {
        volume.scrubber().end();
        volume.compactor().end();
        volume.prewriter().end();
    }

    /** Whether the passes over a volume, which are to end, have ended, within {@code limitMillis}. */
    public boolean awaitEnd(Volume volume, long limitMillis) throws InterruptedException {
        Optional<Kept> kept = kept(volume);
        return kept.isEmpty() || awaitEnd(kept.get(), limitMillis);
    }

    private static boolean awaitEnd(Kept kept, long limitMillis) throws InterruptedException {
        return kept.scrubber().awaitEnd(limitMillis)
                && kept.compactor().awaitEnd(limitMillis)
                && kept.prewriter().awaitEnd(limitMillis);
    }

    /** Empty where the volume was taken out of the server. */
    private Optional<Kept> kept(Volume volume) {
        return volumes.stream().filter(kept -> kept.served().volume() == volume).findFirst();
    }
}
