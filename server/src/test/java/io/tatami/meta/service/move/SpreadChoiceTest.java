package io.tatami.meta.service.move;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.tatami.base.DirectoryId;
import io.tatami.protocol.Placement;
import io.tatami.protocol.wire.ClusterMap;
import io.tatami.protocol.wire.Endpoint;
import io.tatami.protocol.wire.GroupLocation;
import org.junit.jupiter.api.Test;

class SpreadChoiceTest {
    /** Its entries begin in the first of the shards. */
    private static final int SHARDS = 8;

    @Test
    void dividingADirectoryOfOneServerIsOfNoUse() {
        assertReaches(false, 1, "aaaaaaaa");
        assertReaches(false, 4, "aaaaaaaa");
    }

    @Test
    void aDirectoryIsDividedUntilAllServersHaveAPart() {
        assertReaches(true, 1, "abababab");
        assertReaches(false, 2, "abababab");
        assertReaches(true, 2, "abcabcab");
        assertReaches(false, 4, "abcabcab");
    }

    @Test
    void aServerThatIsReachedByFurtherStepsCounts() {
        assertReaches(true, 1, "aaaabbbb");
        assertReaches(true, 4, "aaaabbbb");
        assertReaches(false, 8, "aaaabbbb");
    }

    @Test
    void aShardWithoutALeaderIsNowhere() {
        assertReaches(false, 1, "aaaa....");
        assertReaches(false, 1, "........");
    }

    /** @param leaders a letter for the server of each shard, from the directory's first one on */
    private static void assertReaches(boolean expected, int spread, String leaders) {
        DirectoryId directory = new DirectoryId(42);
        int first = Placement.firstShardOf(directory, SHARDS);
        ClusterMap.Builder map = ClusterMap.newBuilder();
        for (int step = 0; step < SHARDS; step++) {
            GroupLocation.Builder location = GroupLocation.newBuilder().setGroup((first + step) % SHARDS);
            if (leaders.charAt(step) != '.') {
                location.setLeader(Endpoint.newBuilder()
                        .setHost(leaders.substring(step, step + 1))
                        .setPort(1));
            }
            map.addGroup(location);
        }
        assertEquals(expected, new SpreadChoice(map.build(), SHARDS).reachesAnotherServer(directory, spread), leaders);
    }
}
