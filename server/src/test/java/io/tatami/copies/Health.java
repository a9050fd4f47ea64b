package io.tatami.copies;

import io.tatami.base.BlockId;
import io.tatami.base.FileId;
import io.tatami.base.ServerId;
import io.tatami.block.volume.StoredBlock;
import io.tatami.block.volume.Volume;
import io.tatami.meta.state.BlockCopies;
import io.tatami.meta.state.BlockCopies.Copy;
import io.tatami.meta.state.Keys;
import io.tatami.meta.state.ShardState;
import io.tatami.meta.state.View;
import io.tatami.meta.state.wire.BlockRecord;
import io.tatami.meta.state.wire.HomeRecord;
import io.tatami.meta.state.wire.ReclaimRecord;
import io.tatami.meta.state.wire.ReplicaRecord;
import java.util.ArrayList;
import java.util.List;

/**
 * Whether all is as it is to be when nothing goes wrong any more: each block has the copies that its file asks for, on
 * servers that are to have some; nothing waits to be made, judged or reclaimed; and servers have no copy that the shard
 * does not know.
 */
final class Health {
    private final CopiesWorld world;

    Health(CopiesWorld world) {
        this.world = world;
    }

    /** Something that is not as it is to be; empty where all is. */
    String missing() {
        ShardState state = world.metadata().shard();
        String missing = world.hasRoom() ? ofFiles(state) : "";
        return missing.isEmpty() ? ofReclaims(state) : missing;
    }

    private String ofFiles(ShardState state) {
        for (FileModel file : world.judge().files()) {
            HomeRecord home = file.isBegun() ? state.home(file.file()) : null;
            if (home == null) {
                continue;
            }
            for (BlockRecord block : state.blocks(file.file(), home)) {
                String missing = ofBlock(state, home, block);
                if (!missing.isEmpty()) {
                    return file.path() + ": " + missing;
                }
            }
        }
        return state.needs().count() == 0 ? "" : state.needs().count() + " blocks wait";
    }

    private String ofBlock(ShardState state, HomeRecord home, BlockRecord block) {
        List<ServerId> serving = world.membership().serving();
        List<Copy> counted = BlockCopies.counted(block);
        int wanted = Math.min(Math.max(1, home.getReplication()), serving.size());
        boolean isWell = counted.size() == wanted
                && BlockCopies.all(block).size() == wanted
                && counted.stream().allMatch(copy -> serving.contains(copy.server()) && isSound(state, block, copy));
        return isWell ? "" : wanted + " copies are wanted on " + serving + ": " + block + places(state, block);
    }

    /** What the shard knows of a block on each server, and what is there. */
    private String places(ShardState state, BlockRecord block) {
        BlockId id = new BlockId(block.getBlockId());
        StringBuilder places = new StringBuilder("need " + state.needs().urgency(id) + "\n");
        for (SimServer server : world.servers()) {
            places.append(server.id())
                    .append(": known ")
                    .append(state.replica(server.id(), id))
                    .append(", stored ")
                    .append(server.volumes().stream()
                            .flatMap(volume -> volume.find(id).stream())
                            .toList())
                    .append('\n');
        }
        return places.toString();
    }

    private static boolean isSound(ShardState state, BlockRecord block, Copy copy) {
        ReplicaRecord replica = state.replica(copy.server(), new BlockId(block.getBlockId()));
        return replica != null && replica.getHeld() && replica.getProblem() == ReplicaRecord.Problem.NONE;
    }

    private String ofReclaims(ShardState state) {
        try (View.Cursor cursor = state.draft().scan(Keys.kind('q'), Keys.after(Keys.kind('q')))) {
            while (cursor.next()) {
                ReclaimRecord reclaim = state.reclaim(Keys.idOf(cursor.key()));
                if (reclaim != null) {
                    return "to be reclaimed: " + reclaim;
                }
            }
        }
        return "";
    }

    /** Copies on servers that nobody knows of. */
    List<String> leaked() {
        ShardState state = world.metadata().shard();
        List<String> leaked = new ArrayList<>();
        for (SimServer server : world.servers()) {
            for (Volume volume : server.volumes()) {
                for (StoredBlock stored : volume.blocks()) {
                    if (!isKnown(state, server, stored)) {
                        leaked.add(server.id() + " has a copy that nobody knows: " + stored + ", "
                                + known(state, server, stored));
                    }
                }
            }
        }
        return leaked;
    }

    /** What the shard knows of it in spite of that. */
    private static String known(ShardState state, SimServer server, StoredBlock stored) {
        FileId file = state.fileOf(stored.block());
        HomeRecord home = file == null ? null : state.home(file);
        List<BlockRecord> blocks = file == null || home == null ? List.of() : state.blocks(file, home);
        return "replica " + state.replica(server.id(), stored.block()) + ", file " + file + ", "
                + blocks.stream()
                        .filter(block -> block.getBlockId() == stored.block().value())
                        .toList();
    }

    private static boolean isKnown(ShardState state, SimServer server, StoredBlock stored) {
        FileId file = state.fileOf(stored.block());
        HomeRecord home = file == null ? null : state.home(file);
        if (file == null || home == null) {
            return false;
        }
        return state.blocks(file, home).stream()
                .filter(block -> block.getBlockId() == stored.block().value())
                .flatMap(block -> BlockCopies.all(block).stream())
                .anyMatch(copy -> copy.equals(new Copy(server.id(), stored.copyNumber())));
    }
}
