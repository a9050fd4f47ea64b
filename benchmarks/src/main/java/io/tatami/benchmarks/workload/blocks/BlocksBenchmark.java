package io.tatami.benchmarks.workload.blocks;

import com.sun.management.OperatingSystemMXBean;
import io.tatami.base.BlockId;
import io.tatami.base.Clock;
import io.tatami.base.Generation;
import io.tatami.base.ServerId;
import io.tatami.base.TatamiException;
import io.tatami.benchmarks.harness.host.ProcessMemory;
import io.tatami.benchmarks.harness.report.Results;
import io.tatami.benchmarks.harness.report.RoundTurns;
import io.tatami.benchmarks.harness.report.RunPlace;
import io.tatami.block.device.VolumeFile;
import io.tatami.block.service.BlockServer;
import io.tatami.block.service.context.BlockServerSettings;
import io.tatami.block.service.registration.IdentityFile;
import io.tatami.block.service.volumes.VolumeSet;
import io.tatami.block.volume.Volume;
import io.tatami.block.volume.VolumeOpener;
import io.tatami.block.volume.VolumeResources;
import io.tatami.block.volume.format.VolumeFormatter;
import io.tatami.client.block.BlockClient;
import io.tatami.client.block.BlockClientSettings;
import io.tatami.client.block.BlockReadStream;
import io.tatami.client.block.BlockTarget;
import io.tatami.conf.Settings;
import io.tatami.protocol.BlockMethods;
import io.tatami.protocol.RequestLimits;
import io.tatami.protocol.UserIdentity;
import io.tatami.protocol.wire.AuditReply;
import io.tatami.protocol.wire.AuditRequest;
import io.tatami.protocol.wire.RegisterBlockServerRequest;
import io.tatami.rpc.CallOptions;
import io.tatami.rpc.Connection;
import io.tatami.rpc.netty.client.RpcClient;
import io.tatami.rpc.netty.server.RpcServer;
import io.tatami.rpc.netty.shared.ClientIdentity;
import io.tatami.rpc.netty.shared.EventLoops;
import io.tatami.rpc.netty.shared.RpcSettings;
import io.tatami.rpc.netty.shared.ServerIdentity;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.fs.FileUtil;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * {@code tatami bench blocks}: fills a volume with very many small blocks, starts a block server on it, and audits them
 * all, once as blocks that are known and once as blocks that nobody knows.
 */
@Command(
        name = "blocks",
        mixinStandardHelpOptions = true,
        description = "How soon a block server with very many blocks serves, and what an audit of them costs.")
public final class BlocksBenchmark implements Callable<Integer> {
    private static final UUID CLUSTER = new UUID(4, 1);
    private static final int BUFFERS = 24;
    private static final double MIB = 1 << 20;

    @Option(names = "--blocks", description = "In all (default: ${DEFAULT-VALUE}).")
    private long blocks = 1_000_000;

    @Option(names = "--block-bytes", description = "Of each (default: ${DEFAULT-VALUE}).")
    private int blockBytes = 4_096;

    @Option(names = "--starts", description = "How often the server is started (default: ${DEFAULT-VALUE}).")
    private int starts = 3;

    @Mixin
    private RunPlace place = new RunPlace();

    /** What an audit took: as the asker sees it, and of this process, which is the server and the asker. */
    private record AuditCost(long unknown, double seconds, double cpuSeconds, double longestMillis) {}

    @Override
    public Integer call() throws Exception {
        Path directory = place.work().resolve("blocks");
        FileUtil.fullyDelete(directory.toFile());
        Files.createDirectories(directory);
        List<String> columns = List.of(
                "start",
                "open_s",
                "open_cpu_s",
                "first_read_s",
                "known_s",
                "known_cpu_s",
                "known_page_max_ms",
                "unknown_s");
        try (Results results = new Results(place.results(), "blocks", columns)) {
            fill(directory, results);
            RoundTurns turns = results.turns(1, starts);
            for (int start = 1; start <= starts; start++) {
                turns.next();
                serve(start, directory, results);
            }
            results.remark(String.format(
                    "the process, server and asker, held %.0f MiB at most",
                    ProcessMemory.of(ProcessHandle.current().pid()).residentPeakBytes() / MIB));
            results.remark("raw figures: " + results.file());
        } finally {
            FileUtil.fullyDelete(directory.toFile());
        }
        return 0;
    }

    private static Path volumeFile(Path directory) {
        return directory.resolve("volume");
    }

    private static Volume open(Path directory) throws TatamiException {
        return new VolumeOpener(CLUSTER, VolumeResources.withBuffers(BUFFERS, BUFFERS))
                .open(volumeFile(directory), directory.resolve("index"));
    }

    private void fill(Path directory, Results results) throws Exception {
        long bytes = blocks * blockBytes * 5 / 4 + (1L << 30);
        VolumeFile.Allocation unused = VolumeFile.create(volumeFile(directory), bytes);
        new VolumeFormatter(CLUSTER, new SplittableRandom(1))
                .format(volumeFile(directory), directory.resolve("index"), false);
        new IdentityFile(directory, CLUSTER).write(IdentityFile.Identity.notStarted(new ServerId(1)));
        long begin = System.nanoTime();
        try (Volume volume = open(directory)) {
            new BlockMaker(volume, blocks, blockBytes).run();
        }
        results.remark(String.format("%d blocks of %d bytes were made in %.1f s", blocks, blockBytes, seconds(begin)));
    }

    private static long cpuNanos() {
        return ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class).getProcessCpuTime();
    }

    private static double seconds(long beginNanos) {
        return (System.nanoTime() - beginNanos) / 1e9;
    }

    private void serve(int start, Path directory, Results results) throws Exception {
        Settings settings = Settings.of(Map.of());
        RpcSettings rpc = RpcSettings.from(settings);
        long begin = System.nanoTime();
        long cpuBefore = cpuNanos();
        try (Volume volume = open(directory);
                EventLoops loops = new EventLoops("blocks", rpc);
                RpcClient connector = new RpcClient(
                        loops, rpc, Clock.SYSTEM, ClientIdentity.simple("bench", UserIdentity.of("bench")));
                BlockServer server = new BlockServer(
                        BlockServerSettings.from(settings),
                        new VolumeSet(List.of(new VolumeSet.ServedVolume(volume, "volume")), List.of(), Set.of()),
                        null,
                        new IdentityFile(directory, CLUSTER),
                        connector,
                        Clock.SYSTEM);
                RpcServer listener = new RpcServer(
                        loops, rpc, Clock.SYSTEM, ServerIdentity.simple("blocks", CLUSTER), server.handlers())) {
            double opened = seconds(begin);
            double openedCpu = (cpuNanos() - cpuBefore) / 1e9;
            InetSocketAddress address =
                    (InetSocketAddress) listener.start(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            ServerId id = server.join(new AcceptingNamespace(), RegisterBlockServerRequest.getDefaultInstance())
                    .get(1, TimeUnit.MINUTES);
            BlockTarget target = new BlockTarget(id, address.getHostString(), address.getPort());
            read(new BlockClient(connector, BlockClientSettings.DEFAULT), target);
            double served = seconds(begin);
            Connection connection = connector.connect(address).get(1, TimeUnit.MINUTES);
            AuditCost known = audit(connection, true);
            AuditCost unknown = audit(connection, false);
            requireUnknown(known, 0);
            requireUnknown(unknown, blocks);
            results.row(
                    start,
                    text(opened),
                    text(openedCpu),
                    text(served),
                    text(known.seconds()),
                    text(known.cpuSeconds()),
                    text(known.longestMillis()),
                    text(unknown.seconds()));
        }
    }

    private static String text(double figure) {
        return String.format("%.2f", figure);
    }

    private void read(BlockClient client, BlockTarget target) throws TatamiException {
        BlockId last = BlockMaker.block(blocks);
        try (BlockReadStream stream = client.openReader(target, last, Generation.FIRST, 0, blockBytes)) {
            byte[] bytes = new byte[blockBytes];
            int count = 0;
            for (int part = 0; part >= 0 && count < blockBytes; count += Math.max(0, part)) {
                part = stream.read(bytes, count, blockBytes - count);
            }
            if (count != blockBytes) {
                throw new IllegalStateException(last + " has " + count + " bytes");
            }
        }
    }

    private void requireUnknown(AuditCost cost, long expected) throws IOException {
        if (cost.unknown() != expected) {
            throw new IOException(cost.unknown() + " blocks were called unknown; expected " + expected);
        }
    }

    /** As a shard does, which knows all blocks or none. */
    private AuditCost audit(Connection connection, boolean known) throws TatamiException {
        CallOptions asMetadata = CallOptions.DEFAULT.withCredential(AcceptingNamespace.CREDENTIAL);
        long cpuBefore = cpuNanos();
        long begin = System.nanoTime();
        long longest = 0;
        long unknown = 0;
        long after = 0;
        while (after < blocks) {
            AuditRequest request = page(after, known);
            long asked = System.nanoTime();
            AuditReply answer = connection.callAndWait(BlockMethods.AUDIT, asMetadata, request);
            longest = Math.max(longest, System.nanoTime() - asked);
            if (answer.getMissingBlockIdCount() + answer.getDamagedBlockIdCount() > 0) {
                throw new IllegalStateException("blocks are called missing or damaged: " + answer);
            }
            unknown += answer.getUnknownBlockIdCount();
            long upTo = answer.getUpToBlockId() == 0 ? request.getUpToBlockId() : answer.getUpToBlockId();
            after = upTo - BlockMaker.beforeFirst();
        }
        return new AuditCost(unknown, seconds(begin), (cpuNanos() - cpuBefore) / 1e9, longest / 1e6);
    }

    private AuditRequest page(long after, boolean known) {
        long upTo = known ? Math.min(blocks, after + RequestLimits.AUDITED_BLOCKS) : blocks;
        AuditRequest.Builder page = AuditRequest.newBuilder()
                .setGroup(BlockMaker.block(1).home().value())
                .setAfterBlockId(BlockMaker.beforeFirst() + after)
                .setUpToBlockId(BlockMaker.block(upTo).value());
        for (long number = after + 1; known && number <= upTo; number++) {
            page.addItem(AuditRequest.Item.newBuilder()
                    .setBlockId(BlockMaker.block(number).value())
                    .setGeneration(Generation.FIRST.value())
                    .setLength(blockBytes));
        }
        return page.build();
    }
}
