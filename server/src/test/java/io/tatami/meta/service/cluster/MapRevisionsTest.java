package io.tatami.meta.service.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.protocol.wire.BlockServerInfo;
import io.tatami.protocol.wire.BlockServerInfo.State;
import io.tatami.protocol.wire.ClusterMap;
import io.tatami.protocol.wire.Endpoint;
import io.tatami.protocol.wire.GetClusterMapReply;
import io.tatami.protocol.wire.GroupLocation;
import io.tatami.protocol.wire.KnownClusterMap;
import io.tatami.rpc.MapChanges;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MapRevisionsTest {
    private static final long GIB = 1L << 30;

    private final MapRevisions revisions = new MapRevisions(7);

    private static BlockServerInfo server(int id, long freeBytes) {
        return BlockServerInfo.newBuilder()
                .setServerId(id)
                .setHost("host-" + id)
                .setState(State.ACTIVE)
                .setCapacityBytes(1_000 * GIB)
                .setFreeBytes(freeBytes)
                .setUsedBytes(1_000 * GIB - freeBytes)
                .build();
    }

    private static ClusterMap map(long epoch, BlockServerInfo... servers) {
        return ClusterMap.newBuilder()
                .setEpoch(epoch)
                .addAllBlockServer(List.of(servers))
                .build();
    }

    private static KnownClusterMap known(long source, long revision) {
        return KnownClusterMap.newBuilder()
                .setSource(source)
                .setRevision(revision)
                .build();
    }

    @Test
    void onlyWhatChangedIsTold() {
        ClusterMap first = revisions.next(map(1, server(1, GIB), server(2, GIB)));
        ClusterMap second = revisions.next(map(2, server(1, GIB), server(2, GIB), server(3, GIB)));
        ClusterMap told =
                MapChanges.since(second, MapChanges.known(first)).orElseThrow().getChanged();
        assertEquals(1, told.getBlockServerCount());
        assertEquals(3, told.getBlockServer(0).getServerId());
    }

    @Test
    void aMapThatSaysTheSameIsTheSame() {
        ClusterMap first = revisions.next(map(1, server(1, GIB)));
        assertSame(first, revisions.next(map(1, server(1, GIB))));
        assertEquals(
                0,
                MapChanges.since(first, MapChanges.known(first))
                        .orElseThrow()
                        .getChanged()
                        .getBlockServerCount());
    }

    @Test
    void aMapThatWasBuiltOfOlderRecordsIsNotTold() {
        ClusterMap second = revisions.next(map(2, server(1, GIB)));
        assertSame(second, revisions.next(map(1)));
    }

    @Test
    void theWholeMapIsToldWhereTheKnownOneIsOfAnotherLeaderOrOfTheFutureOrOfNone() {
        ClusterMap map = revisions.next(map(1, server(1, GIB)));
        for (KnownClusterMap known :
                List.of(known(8, 1), known(7, 2), known(7, 0), known(0, 0), KnownClusterMap.getDefaultInstance())) {
            assertEquals(
                    GetClusterMapReply.newBuilder().setMap(map).build(),
                    MapChanges.answer(map, known),
                    known.toString());
        }
    }

    @Test
    void theWholeMapIsToldWhereServersThatHaveLeftSinceAreForgotten() {
        BlockServerInfo[] many = new BlockServerInfo[MapRevisions.LEFT_MAX + 1];
        for (int i = 0; i < many.length; i++) {
            many[i] = server(i + 1, GIB);
        }
        ClusterMap full = revisions.next(map(1, many));
        ClusterMap oneLeft =
                revisions.next(map(2, List.of(many).subList(1, many.length).toArray(BlockServerInfo[]::new)));
        ClusterMap empty = revisions.next(map(3));
        assertEquals(MapRevisions.LEFT_MAX, empty.getLeftCount());
        assertFalse(MapChanges.since(empty, MapChanges.known(full)).isPresent());
        assertTrue(MapChanges.since(empty, MapChanges.known(oneLeft)).isPresent());
    }

    @Test
    void changesOfAnotherMapAreRefused() {
        ClusterMap first = revisions.next(map(1, server(1, GIB)));
        ClusterMap second = revisions.next(map(2, server(2, GIB)));
        GetClusterMapReply reply = MapChanges.answer(second, MapChanges.known(first));
        for (ClusterMap other : List.of(second, ClusterMap.getDefaultInstance(), new MapRevisions(8).next(map(1)))) {
            assertEquals(
                    ErrorCode.UNAVAILABLE,
                    assertThrows(TatamiException.class, () -> MapChanges.read(other, reply))
                            .code());
        }
    }

    @Test
    void roomThatHardlyChangesIsToldOfSomeServersAtATimeAndOfEachInTurn() {
        int servers = 5 * MapRevisions.SMALL_CHANGES_MAX;
        revisions.next(all(servers, 500 * GIB));
        ClusterMap before = revisions.next(all(servers, 500 * GIB - 1));
        assertEquals(MapRevisions.SMALL_CHANGES_MAX, toldOf(before, 500 * GIB - 1));
        for (int i = 1; i < 5; i++) {
            before = revisions.next(all(servers, 500 * GIB - 1));
        }
        assertEquals(servers, toldOf(before, 500 * GIB - 1));
    }

    @Test
    void roomThatChangesByMuchIsToldOfAllServersAtOnce() {
        int servers = 5 * MapRevisions.SMALL_CHANGES_MAX;
        revisions.next(all(servers, 500 * GIB));
        assertEquals(servers, toldOf(revisions.next(all(servers, 480 * GIB)), 480 * GIB));
        revisions.next(all(servers, GIB));
        assertEquals(servers, toldOf(revisions.next(all(servers, GIB / 2)), GIB / 2));
    }

    private static ClusterMap all(int servers, long freeBytes) {
        ClusterMap.Builder map = ClusterMap.newBuilder().setEpoch(1);
        for (int id = 1; id <= servers; id++) {
            map.addBlockServer(server(id, freeBytes));
        }
        return map.build();
    }

    private static long toldOf(ClusterMap map, long freeBytes) {
        return map.getBlockServerList().stream()
                .filter(server -> server.getFreeBytes() == freeBytes)
                .count();
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void whoFollowsByChangesHasTheMapThatAFreshAskerGets(long seed) throws TatamiException {
        for (int run = 0; run < 50; run++) {
            new Followers(seed * 1_000 + run).run();
        }
    }

    /** A leader, a metadata server and a client that follow it, and a network that loses, repeats and reorders. */
    private static final class Followers {
        private final SplittableRandom random;
        private final Map<Integer, BlockServerInfo> servers = new TreeMap<>();
        private final Map<KnownClusterMap, ClusterMap> published = new HashMap<>();
        private final ClusterMapHolder leader = new ClusterMapHolder(ClusterMap.getDefaultInstance());
        private final ClusterMapHolder other = new ClusterMapHolder(ClusterMap.getDefaultInstance());
        private final ClusterMapHolder client = new ClusterMapHolder(ClusterMap.getDefaultInstance());
        private final List<Late> late = new ArrayList<>();
        private MapRevisions revisions = new MapRevisions(1);
        private long source = 1;
        private long epoch = 1;
        private int port = 1;

        private record Late(ClusterMapHolder to, ClusterMap known, GetClusterMapReply reply) {}

        Followers(long seed) {
            random = new SplittableRandom(seed);
        }

        void run() throws TatamiException {
            for (int step = 0; step < 200; step++) {
                change();
                publish();
                ClusterMapHolder asker = random.nextBoolean() ? other : client;
                ask(asker, asker == client && random.nextBoolean() ? other : leader);
                deliver();
                requirePublished(other.map());
                requirePublished(client.map());
            }
            ask(other, leader);
            read(late.get(late.size() - 1));
            ask(client, other);
            read(late.get(late.size() - 1));
            assertEquals(leader.map(), other.map());
            assertEquals(leader.map(), client.map());
        }

        private void change() {
            int id = 1 + random.nextInt(60);
            switch (random.nextInt(8)) {
                case 0, 1 -> {
                    servers.put(id, server(id, 500 * GIB));
                    epoch++;
                }
                case 2 -> {
                    servers.remove(id);
                    epoch++;
                }
                case 3 -> state(id, State.DEAD);
                case 4 -> state(id, State.DRAINING);
                case 5 ->
                    servers.replaceAll((number, info) -> server(number, info.getFreeBytes() - 1).toBuilder()
                            .setState(info.getState())
                            .build());
                case 6 -> servers.computeIfPresent(id, (number, info) -> server(number, info.getFreeBytes() / 2));
                default -> {
                    if (random.nextInt(4) == 0) {
                        revisions = new MapRevisions(++source);
                        epoch += random.nextInt(2);
                    } else {
                        port++;
                        epoch++;
                    }
                }
            }
        }

        private void state(int id, State state) {
            servers.computeIfPresent(
                    id, (number, info) -> info.toBuilder().setState(state).build());
        }

        private void publish() {
            ClusterMap map = revisions.next(ClusterMap.newBuilder()
                    .setEpoch(epoch)
                    .addGroup(GroupLocation.newBuilder()
                            .setGroup(-1)
                            .setLeader(Endpoint.newBuilder().setPort(1)))
                    .addGroup(GroupLocation.newBuilder()
                            .setLeader(Endpoint.newBuilder().setPort(port)))
                    .addAllBlockServer(servers.values())
                    .build());
            leader.offer(map);
            published.putIfAbsent(MapChanges.known(map), map);
        }

        private void ask(ClusterMapHolder asker, ClusterMapHolder asked) {
            ClusterMap known = asker.map();
            late.add(new Late(
                    asker,
                    known,
                    MapChanges.answer(asked.map(), MapChanges.question(known).getKnown())));
        }

        /** Some now, some twice, some after others; those that stay too long are lost. */
        private void deliver() throws TatamiException {
            for (int i = random.nextInt(3); i > 0 && !late.isEmpty(); i--) {
                Late next = late.get(random.nextInt(late.size()));
                read(next);
                if (random.nextInt(4) > 0) {
                    late.remove(next);
                }
            }
            if (late.size() > 6) {
                late.remove(0);
            }
        }

        private static void read(Late next) throws TatamiException {
            next.to().offer(MapChanges.read(next.known(), next.reply()));
        }

        private void requirePublished(ClusterMap map) {
            if (map.getSource() != 0) {
                assertEquals(published.get(MapChanges.known(map)), map);
            }
        }
    }
}
