package io.tatami.meta.service.tree;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.DirectoryId;
import io.tatami.base.GroupId;
import io.tatami.base.TatamiException;
import io.tatami.meta.state.MemoryView;
import io.tatami.meta.state.TreeState;
import io.tatami.protocol.Placement;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** In which shards new directories have their entries. */
final class DirectoryIdsTest {
    private static final int SHARDS = 8;
    private static final long PARENT = 3;

    private final DirectoryIds ids =
            new DirectoryIds(new MemoryGroup<>(GroupId.NAMESPACE, new MemoryView(), TreeState::new), SHARDS);

    private static int shardOf(long directory) {
        return Placement.firstShardOf(new DirectoryId(directory), SHARDS);
    }

    private static long[] perShard(List<Long> directories) {
        long[] counts = new long[SHARDS];
        directories.forEach(directory -> counts[shardOf(directory)]++);
        return counts;
    }

    @Test
    void directoryThatFollowsItsParentIsInTheParentsShardAndOthersGoRound() {
        for (long id : ids.take(PARENT, 10, 10).join()) {
            assertEquals(shardOf(PARENT), shardOf(id));
        }
        long[] counts = perShard(ids.take(PARENT, 10 * SHARDS, 0).join());
        for (int shard = 0; shard < SHARDS; shard++) {
            assertEquals(10, counts[shard]);
        }
        List<Long> mixed = ids.take(PARENT, 5, 3).join();
        assertEquals(shardOf(mixed.get(1)), shardOf(mixed.get(4)));
    }

    @Test
    void shardOfAParentTakesNoMoreThanItsShareAndNoIdIsGivenTwice() {
        List<Long> all = new ArrayList<>();
        for (int i = 0; i < 3 * 8_192; i++) {
            all.addAll(ids.take(PARENT, 1, 1).join());
        }
        assertEquals(all.size(), new HashSet<>(all).size());
        long[] counts = perShard(all);
        long most = IntStream.range(0, SHARDS).mapToLong(i -> counts[i]).max().orElse(0);
        long least = IntStream.range(0, SHARDS).mapToLong(i -> counts[i]).min().orElse(0);
        assertTrue(
                most - least < all.size() / SHARDS / 5,
                () -> List.of(most, least).toString());
    }

    @Test
    void whatAJobHasNotFinishedIsInTheShardOfItsOutput() throws TatamiException {
        TreeCluster cluster = new TreeCluster(Runnable::run);
        TreeClient root = TreeClient.root(cluster);
        for (int job = 0; job < 20; job++) {
            String output = "/data/job-" + job;
            root.mkdirs(output);
            String attempt = output + "/_temporary/0/_temporary/attempt/p=0";
            root.mkdirs(attempt);
            root.mkdirs(output + "/.staging/part");
            long id = directory(cluster, root, output);
            int shard = Placement.firstShardOf(new DirectoryId(id), TreeCluster.SHARDS);
            for (String below : List.of(attempt, output + "/_temporary", output + "/.staging/part")) {
                DirectoryId made = new DirectoryId(directory(cluster, root, below));
                assertEquals(shard, Placement.firstShardOf(made, TreeCluster.SHARDS), below);
            }
        }
    }

    private static long directory(TreeCluster cluster, TreeClient client, String path) throws TatamiException {
        return cluster.signer.open(client.resolve(path).getHandle()).getDirectoryId();
    }
}
