package io.tatami.block.service.report;

import io.tatami.base.BlockId;
import io.tatami.base.ChunkChecksum;
import io.tatami.base.ErrorCode;
import io.tatami.base.Generation;
import io.tatami.base.TatamiException;
import io.tatami.block.service.context.BlockServerMetrics;
import io.tatami.block.service.context.ServerContext;
import io.tatami.block.service.context.ServerThreads;
import io.tatami.block.service.volumes.VolumeSet;
import io.tatami.block.volume.BlockReader;
import io.tatami.block.volume.ReadUnit;
import io.tatami.block.volume.Volume;
import io.tatami.files.CrashPoint;
import io.tatami.protocol.BlockMethods;
import io.tatami.protocol.wire.Empty;
import io.tatami.protocol.wire.ReportDamageRequest;
import io.tatami.rpc.HandlerTable;
import java.net.SocketAddress;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What readers say of chunks that failed their checksums. Their word alone condemns nothing: the chunk is read again,
 * behind all other users of the volume, and the volume finds the damage where there is some. Few reports wait for each
 * volume, fewer of one connection, and one at a time is looked into, after a pause: a flood of them costs a volume ten
 * chunks a second. Safe for use by many threads.
 */
public final class DamageReports {
    private static final Logger LOG = LoggerFactory.getLogger(DamageReports.class);

    /** How often {@link #check} is to be called: as often a volume reads a chunk for reports. */
    public static final long CHECK_MILLIS = 100;

    /** For one volume. */
    static final int WAITING_MAX = 64;

    /** For one volume, from one connection. */
    public static final int WAITING_OF_CONNECTION_MAX = 8;

    private static final long LOG_PAUSE_NANOS = TimeUnit.MINUTES.toNanos(10);

    private final VolumeSet volumes;
    private final BlockServerMetrics metrics;
    private final ServerThreads threads;
    private final ServerContext context;
    private final Map<Volume, Waiting> ofVolumes = new ConcurrentHashMap<>();
    private long soundSinceLog;
    private long nextLogNanos;

    /** @param chunk of the block, counted from 0 */
    private record Report(BlockId block, Generation generation, long chunk) {}

    /** Guarded by this object's monitor. */
    private static final class Waiting {
        /** Each with the connection that it came by, the oldest first. */
        public final Map<Report, SocketAddress> reports = new LinkedHashMap<>();

        boolean busy;
    }

    public DamageReports(ServerContext context, ServerThreads threads) {
        this.context = context;
        this.volumes = context.volumes();
        this.metrics = context.metrics();
        this.threads = threads;
        this.nextLogNanos = context.clock().monotonicNanos();
    }

    public void serveOn(HandlerTable table) {
        table.on(BlockMethods.REPORT_DAMAGE, (caller, request, responder) -> {
            try {
                take(request, caller.peer().address());
                responder.success(Empty.getDefaultInstance());
            } catch (TatamiException e) {
                context.failed(e);
                responder.failure(e);
            }
        });
    }

    private void take(ReportDamageRequest request, SocketAddress from) throws TatamiException {
        BlockId block = ServerContext.blockId(request.getBlockId());
        if (request.getOffset() < 0) {
            throw new TatamiException(
                    ErrorCode.MALFORMED, "a report of damage at the invalid offset " + request.getOffset());
        }
        Report report = new Report(
                block,
                ServerContext.generation(request.getGeneration()),
                request.getOffset() / ChunkChecksum.CHUNK_BYTES);
        Optional<VolumeSet.Found> found = find(report);
        if (found.isEmpty() || found.get().stored().damaged()) {
            return;
        }
        synchronized (this) {
            Waiting waiting = waiting(found.get().volume());
            if (waiting.reports.containsKey(report)) {
                return;
            }
            long ofConnection =
                    waiting.reports.values().stream().filter(from::equals).count();
            if (waiting.reports.size() >= WAITING_MAX || ofConnection >= WAITING_OF_CONNECTION_MAX) {
                throw new TatamiException(ErrorCode.BUSY, "too many reports of damage are queued; this one is dropped");
            }
            waiting.reports.put(report, from);
        }
    }

    /** Has each volume look into one report; to be called every {@link #CHECK_MILLIS}, by one thread. */
    public void check() {
        List<Volume> served =
                volumes.volumes().stream().map(VolumeSet.ServedVolume::volume).toList();
        served.forEach(this::checkNext);
        ofVolumes.keySet().retainAll(served);
        synchronized (this) {
            if (soundSinceLog > 0 && context.clock().monotonicNanos() - nextLogNanos >= 0) {
                LOG.info("{} chunks that readers said were damaged are sound", soundSinceLog);
                soundSinceLog = 0;
                nextLogNanos = context.clock().monotonicNanos() + LOG_PAUSE_NANOS;
            }
        }
    }

    private void checkNext(Volume volume) {
        Report next;
        synchronized (this) {
            Waiting waiting = waiting(volume);
            if (waiting.busy || waiting.reports.isEmpty()) {
                return;
            }
            next = waiting.reports.keySet().iterator().next();
            waiting.reports.remove(next);
            waiting.busy = true;
        }
        try {
            threads.command(volume, () -> {
                try {
                    readAgain(next);
                } finally {
                    end(volume);
                }
            });
        } catch (TatamiException e) {
            LOG.debug("a report of damage is dropped", e);
            end(volume);
        }
    }

    private synchronized void end(Volume volume) {
        waiting(volume).busy = false;
    }

    /** May wait for the volume. */
    private void readAgain(Report report) {
        CrashPoint.hit("service.damage.before-read");
        Optional<VolumeSet.Found> found = find(report);
        if (found.isEmpty()) {
            return;
        }
        long start = report.chunk() * ChunkChecksum.CHUNK_BYTES;
        long length = Math.min(ChunkChecksum.CHUNK_BYTES, found.get().stored().visibleBytes() - start);
        if (length <= 0) {
            return;
        }
        metrics.damageChecked();
        Volume volume = found.get().volume();
        try (BlockReader reader = volume.readInBackground(report.block(), report.generation(), start, length);
                ReadUnit unit = reader.next()) {
            if (unit != null) {
                synchronized (this) {
                    soundSinceLog++;
                }
            }
        } catch (TatamiException e) {
            if (e.code() == ErrorCode.CORRUPT || e.code() == ErrorCode.IO_ERROR) {
                LOG.warn("what a reader said of {} is true", report.block(), e);
            } else {
                LOG.debug("a report of damage of {} is ignored", report.block(), e);
            }
        }
    }

    /** Of the generation that the reader read, and no other. */
    private Optional<VolumeSet.Found> find(Report report) {
        return volumes.find(report.block())
                .filter(found -> found.stored().generation().equals(report.generation()));
    }

    private Waiting waiting(Volume volume) {
        return ofVolumes.computeIfAbsent(volume, added -> new Waiting());
    }
}
