package io.tatami.benchmarks.harness.peer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.client.TatamiClient;
import io.tatami.client.model.ClusterStatus;
import io.tatami.conf.Settings;
import io.tatami.protocol.UserIdentity;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;
import org.apache.hadoop.fs.FileSystem;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MetadataClusterTest {
    @TempDir
    private Path directory = Path.of("");

    @Test
    void theNamespaceGroupAndEachPartOfTheShardsHaveAProcessAndFilesAreMadeInAllShardsOfADirectory() throws Exception {
        Path place = directory.resolve("cluster");
        List<Integer> started = new CopyOnWriteArrayList<>();
        List<ProcessHandle> processes;
        MetadataCluster.Shape shape = new MetadataCluster.Shape(2, 4, 4);
        try (MetadataCluster cluster = MetadataCluster.start(place, shape, (number, process) -> started.add(number))) {
            processes = cluster.servers();
            assertEquals(List.of(0, 1, 2), started);
            try (FileSystem fs = FileSystem.newInstance(
                    FileSystem.getDefaultUri(cluster.configuration()), cluster.configuration())) {
                for (int i = 0; i < 40; i++) {
                    fs.create(new org.apache.hadoop.fs.Path("/wide/f" + i), false)
                            .close();
                }
            }
            String authority =
                    URI.create(cluster.configuration().get("fs.defaultFS", "")).getAuthority();
            UserIdentity user = UserIdentity.of(System.getProperty("user.name"));
            try (TatamiClient client = TatamiClient.connect(authority, user, Settings.of(Map.of()))) {
                List<ClusterStatus.GroupState> groups =
                        client.cluster().status().groups();
                Map<String, List<Integer>> shardsByServer = groups.stream()
                        .filter(group -> !group.group().isNamespace())
                        .collect(Collectors.groupingBy(
                                ClusterStatus.GroupState::address,
                                Collectors.mapping(group -> group.group().shard(), Collectors.toList())));
                assertEquals(
                        List.of(List.of(0, 2), List.of(1, 3)),
                        shardsByServer.values().stream()
                                .sorted(Comparator.comparing(shards -> shards.get(0)))
                                .toList());
                assertFalse(shardsByServer.containsKey(groups.get(0).address()));
                assertTrue(groups.stream()
                        .skip(1)
                        .allMatch(group ->
                                group.status() != null && group.status().getFiles() > 0));
            }
        }
        assertTrue(processes.stream().noneMatch(ProcessHandle::isAlive));
        assertFalse(Files.exists(place));
    }

    @Test
    void moreServersThanShardsAreRefused() {
        assertThrows(IllegalArgumentException.class, () -> new MetadataCluster.Shape(3, 2, 1));
    }
}
