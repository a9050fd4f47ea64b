package io.tatami.block.service;

import io.tatami.base.Clock;
import io.tatami.base.ServerId;
import io.tatami.block.service.command.BlockCommands;
import io.tatami.block.service.context.BlockServerMetrics;
import io.tatami.block.service.context.BlockServerSettings;
import io.tatami.block.service.context.CopyRate;
import io.tatami.block.service.context.ServerContext;
import io.tatami.block.service.context.ServerThreads;
import io.tatami.block.service.copy.BlockPulls;
import io.tatami.block.service.copy.RemoteCopies;
import io.tatami.block.service.memory.MemoryShares;
import io.tatami.block.service.memory.SharedDirectory;
import io.tatami.block.service.read.ReadStreams;
import io.tatami.block.service.report.DamageReports;
import io.tatami.block.service.volumes.VolumeSet;
import io.tatami.block.service.write.WriteStreams;
import io.tatami.block.volume.UnitCopies;
import io.tatami.block.volume.Volume;
import io.tatami.client.block.BlockClient;
import io.tatami.client.block.BlockClientSettings;
import io.tatami.protocol.BlockMethods;
import io.tatami.protocol.wire.CopiesMadeRequest;
import io.tatami.rpc.Connector;
import io.tatami.rpc.HandlerTable;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Consumer;

/**
 * What a {@link BlockServer} serves, wired as it wires it, on the threads and in the time of a simulation. It has no
 * identity of its own, joins no cluster, and shares no memory.
 */
public final class SimulatedServer {
    private static final long STANDSTILL_CHECK_MILLIS = 1_000;

    private final BlockServerMetrics metrics = new BlockServerMetrics();
    private final HandlerTable handlers = new HandlerTable();
    private final DataPort port;
    private final BlockPulls pulls;

    /**
     * @param executor where everything runs
     * @param connector for chains and pulls
     * @param reports told of each copy that was made, or could not be
     */
    public SimulatedServer(
            ServerId id,
            BlockServerSettings settings,
            VolumeSet volumes,
            ScheduledExecutorService executor,
            Connector connector,
            Clock clock,
            Consumer<CopiesMadeRequest.Item> reports) {
        List<Volume> all =
                volumes.volumes().stream().map(VolumeSet.ServedVolume::volume).toList();
        ServerThreads threads = new ServerThreads(executor, all);
        ServerContext context = new ServerContext(settings, volumes, clock, metrics, () -> id);
        MemoryShares memory = new MemoryShares(threads, new SharedDirectory(Path.of("unused")), 0);
        BlockClient chainClient = new BlockClient(
                connector,
                BlockClientSettings.DEFAULT
                        .withTimeoutMillis(Math.max(1, settings.chainSilenceMillis() / 3))
                        .withSharedMemory(false),
                clock);
        WriteStreams writes = new WriteStreams(context, chainClient, memory, threads.writers());
        this.port = new DataPort(
                writes, new ReadStreams(context, UnitCopies.NONE, memory, new CopyRate(clock, 0), threads::readers));
        port.serveOn(handlers);
        BlockCommands commands = new BlockCommands(context, writes, threads, block -> {});
        commands.serveOn(handlers);
        this.pulls = new BlockPulls(
                context,
                new RemoteCopies(chainClient),
                new CopyRate(clock, 0),
                writes.tombstones()::requireNone,
                threads.writers(),
                reports);
        commands.serve(handlers, BlockMethods.PULL_BLOCKS, pulls::pull);
        new DamageReports(context, threads).serveOn(handlers);
        threads.every(
                Math.max(1, Math.min(STANDSTILL_CHECK_MILLIS, settings.chainSilenceMillis() / 8)),
                port::checkStandstill);
    }

    public HandlerTable handlers() {
        return handlers;
    }

    /** Streams that are open. */
    public long streams() {
        return (long) metrics.writeStreams() + metrics.readStreams();
    }

    /** Ends the streams and the pulls. */
    public void close() {
        pulls.close();
        port.close();
    }
}
