package io.tatami.block.service;

import io.tatami.base.Clock;
import io.tatami.block.volume.Scrubber;
import io.tatami.block.volume.VolumeStatistics;
import io.tatami.protocol.wire.BlockServerStatusReply;
import io.tatami.protocol.wire.CacheStatus;
import io.tatami.protocol.wire.ScrubRequest;
import io.tatami.protocol.wire.VolumeStatus;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntSupplier;

/** Scrubs the volumes on demand, and reports how they are. Safe for use by many threads. */
final class VolumeReports implements AutoCloseable {
    private final List<Scrubbed> volumes = new ArrayList<>();
    private final BlockServerMetrics metrics;
    private final PlanCommands plans;
    private final IntSupplier serverId;

    private record Scrubbed(VolumeSet.ServedVolume served, Scrubber scrubber) {}

    VolumeReports(DataPort port, PlanCommands plans, Clock clock, IntSupplier serverId) {
        this.metrics = port.metrics();
        this.plans = plans;
        this.serverId = serverId;
        for (VolumeSet.ServedVolume served : port.volumes().volumes()) {
            Scrubber scrubber =
                    new Scrubber(served.volume(), clock, port.settings().scrubBytesPerSecondMax());
            volumes.add(new Scrubbed(served, scrubber));
        }
    }

    /** Begins a pass over every volume that is not in one, or ends the passes; answers with the status after that. */
    BlockServerStatusReply scrub(ScrubRequest request) {
        for (Scrubbed volume : volumes) {
            switch (request.getAction()) {
                case START -> volume.scrubber().start();
                case STOP -> volume.scrubber().close();
                case STATUS, UNRECOGNIZED -> {}
            }
        }
        return status();
    }

    BlockServerStatusReply status() {
        BlockServerStatusReply.Builder reply = BlockServerStatusReply.newBuilder()
                .setServerId(serverId.getAsInt())
                .setBytesRead(metrics.readBytes())
                .setBytesWritten(metrics.writtenBytes());
        volumes.forEach(volume -> reply.addVolume(status(volume)));
        CacheStatus cache = plans.cacheStatus();
        if (cache != null) {
            reply.setCache(cache);
        }
        return reply.build();
    }

    private static VolumeStatus status(Scrubbed volume) {
        VolumeStatistics statistics = volume.served().volume().statistics();
        return VolumeStatus.newBuilder()
                .setVolumeId(volume.served().volume().id().toString())
                .setPath(volume.served().path())
                .setCapacityBytes(statistics.capacityBytes())
                .setUsedBytes(statistics.usedBytes())
                .setFreeBytes(statistics.freeBytes())
                .setLargestFreeExtentBytes(statistics.largestFreeExtentBytes())
                .setBlocks(statistics.blocks())
                .setFailure(statistics.failure())
                .setScrubbedBytes(volume.scrubber().progress().scrubbedBytes())
                .setScrubbing(volume.scrubber().isRunning())
                .setDamagedChunks(statistics.damagedChunks())
                .build();
    }

    /** Ends the passes under way. */
    @Override
    public void close() {
        volumes.forEach(volume -> volume.scrubber().close());
    }
}
