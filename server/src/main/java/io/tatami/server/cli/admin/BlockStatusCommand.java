package io.tatami.server.cli.admin;

import io.tatami.base.ServerId;
import io.tatami.base.TatamiException;
import io.tatami.client.TatamiClient;
import io.tatami.client.model.Json;
import io.tatami.protocol.wire.BlockServerInfo;
import io.tatami.protocol.wire.ClusterMap;
import io.tatami.protocol.wire.CopiesStatusReply;
import io.tatami.protocol.wire.StuckBlock;
import io.tatami.server.cli.option.ClusterArgument;
import io.tatami.server.cli.option.ExitCode;
import io.tatami.server.status.BalanceText;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code tatami admin block status [URI] [SERVER]}. */
@Command(
        name = "status",
        description = "Lists the block servers with their states, racks, and room; or shows what keeps blocks on one.")
final class BlockStatusCommand implements Callable<Integer> {
    private static final int STUCK_MAX = 32;

    @Spec
    private CommandSpec spec;

    @Mixin
    private ClusterArgument cluster;

    @Parameters(index = "0", arity = "0..1", paramLabel = "SERVER", description = "Its id, or host:port.")
    private @Nullable String server;

    @Option(names = "--json", description = "One JSON array with an object for each server; sizes in bytes.")
    private boolean json;

    @Override
    public Integer call() throws TatamiException {
        PrintWriter out = spec.commandLine().getOut();
        try (TatamiClient client = cluster.connect()) {
            ClusterMap map = client.cluster().map();
            if (json) {
                out.println(json(
                        server == null ? map.getBlockServerList() : List.of(BlockServerArgument.find(map, server))));
            } else if (server == null) {
                print(map, out);
                new BalanceText(client.cluster().copiesOn(ServerId.NONE))
                        .lines()
                        .forEach(out::println);
            } else {
                BlockServerInfo info = BlockServerArgument.find(map, server);
                print(info, client.cluster().copiesOn(new ServerId(info.getServerId())), out);
            }
        }
        out.flush();
        return ExitCode.DONE;
    }

    static String json(List<BlockServerInfo> servers) {
        return Json.text(servers.stream().map(BlockStatusCommand::fields).toList());
    }

    private static Map<String, Object> fields(BlockServerInfo info) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("id", info.getServerId());
        fields.put("address", BlockServerArgument.address(info));
        fields.put("state", state(info));
        fields.put("rack", info.getRack());
        fields.put("capacity_bytes", info.getCapacityBytes());
        fields.put("used_bytes", info.getUsedBytes());
        fields.put("free_bytes", info.getFreeBytes());
        fields.put("to_be_emptied", info.getToBeEmptied());
        fields.put("silent", info.getSilent());
        return fields;
    }

    static void print(ClusterMap map, PrintWriter out) {
        out.printf("%6s %-28s %-12s %-24s %16s %16s%n", "id", "block server", "state", "rack", "used", "free");
        for (BlockServerInfo info : map.getBlockServerList()) {
            out.printf(
                    "%6d %-28s %-12s %-24s %16d %16d%n",
                    info.getServerId(),
                    BlockServerArgument.address(info),
                    state(info),
                    info.getRack(),
                    info.getUsedBytes(),
                    info.getFreeBytes());
        }
        out.flush();
    }

    /** A drain that has ended; one that was given up stays what it is. */
    static String state(BlockServerInfo info) {
        return info.getDrained() && info.getState() != BlockServerInfo.State.GONE
                ? "drained"
                : info.getState().name().toLowerCase(Locale.ROOT);
    }

    /** @param shards what each shard says of the server */
    static void print(BlockServerInfo info, List<CopiesStatusReply> shards, PrintWriter out) {
        out.printf(
                "block server %d (%s) is %s in rack %s%n",
                info.getServerId(), BlockServerArgument.address(info), state(info), info.getRack());
        long held = shards.stream().mapToLong(CopiesStatusReply::getHeldBlocks).sum();
        long open = shards.stream().mapToLong(CopiesStatusReply::getOpenBlocks).sum();
        out.printf("blocks there: %d, and %d that are being copied there or are spare%n", held, open);
        boolean drains = info.getToBeEmptied() || info.getState() == BlockServerInfo.State.DRAINING;
        if (drains && !info.getDrained()) {
            printDrain(shards, held + open, out);
        }
        shards.stream()
                .map(CopiesStatusReply::getBrake)
                .filter(brake -> !brake.isEmpty())
                .distinct()
                .forEach(brake -> out.printf("brake: %s%n", brake));
    }

    private static void printDrain(List<CopiesStatusReply> shards, long left, PrintWriter out) {
        long ended = shards.stream().filter(CopiesStatusReply::getDrained).count();
        long millis = shards.stream()
                .mapToLong(CopiesStatusReply::getDrainedInMillis)
                .max()
                .orElse(0);
        out.printf(
                "the drain has ended in %d of %d shards; %s%n",
                ended,
                shards.size(),
                left == 0 || millis == 0
                        ? "the time left is not known"
                        : "about " + Math.max(1, Duration.ofMillis(millis).toSeconds()) + " s are left at this rate");
        shards.stream()
                .map(CopiesStatusReply::getDrainWaitsFor)
                .filter(reason -> !reason.isEmpty())
                .distinct()
                .forEach(reason -> out.printf("it waits for: %s%n", reason));
        shards.stream()
                .flatMap(shard -> shard.getStuckList().stream())
                .limit(STUCK_MAX)
                .forEach(block -> print(block, out));
    }

    private static void print(StuckBlock block, PrintWriter out) {
        out.printf("block %d of file %d: %s%n", block.getBlockId(), block.getFileId(), block.getReason());
    }
}
