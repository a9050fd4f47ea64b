package io.tatami.client.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.GroupId;
import io.tatami.client.TatamiClient;
import io.tatami.client.model.ClusterStatus;
import io.tatami.client.model.ClusterStatus.GroupState;
import io.tatami.protocol.MetaMethods;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Servers that take connections and say nothing cost others their answers as little as possible. */
final class HangingServersTest {
    private MemoryCluster cluster;

    @BeforeEach
    void open() throws Exception {
        cluster = new MemoryCluster(1);
    }

    @AfterEach
    void close() {
        cluster.close();
    }

    @Test
    void groupsTellTheirStatesWhileOthersHang() throws Exception {
        cluster.hang(GroupId.NAMESPACE);
        cluster.hang(GroupId.ofShard(1));
        TatamiClient client = cluster.client(Map.of("tatami.client.operation.timeout", "3s"));

        List<GroupState> groups = client.cluster().status().groups();

        assertEquals(
                List.of(false, true, false, true, true),
                groups.stream().map(group -> group.status() != null).toList());
        assertEquals(GroupId.ofShard(1), groups.get(2).group());
        assertNull(groups.get(2).status());
        assertFalse(groups.get(2).failure().isEmpty());
        assertNotNull(groups.get(1).status());
        assertTrue(groups.get(1).failure().isEmpty());
        assertEquals(
                0, cluster.metadata.faults.arrivals(MetaMethods.OPEN_SESSION).size());
    }

    /** A map is read within the time that an operation has; each of them alone would hang as long. */
    @Test
    void theMapIsReadFromTheFirstServerThatAnswers() throws Exception {
        for (int group = 0; group < 3; group++) {
            cluster.hang(GroupId.ofShard(group));
        }
        cluster.hang(GroupId.NAMESPACE);
        TatamiClient client = cluster.client(Map.of("tatami.client.operation.timeout", "5s"));

        ClusterStatus status = client.cluster().status();

        assertNotNull(status.groups().get(4).status());
    }
}
