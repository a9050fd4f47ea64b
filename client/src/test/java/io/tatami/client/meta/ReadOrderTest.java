package io.tatami.client.meta;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import io.tatami.base.BlockId;
import io.tatami.base.ErrorCode;
import io.tatami.base.ManualClock;
import io.tatami.base.ServerId;
import io.tatami.base.TatamiException;
import io.tatami.client.block.UnusedConnection;
import io.tatami.protocol.Method;
import io.tatami.protocol.wire.BlockServerInfo;
import io.tatami.protocol.wire.BlockServerInfo.State;
import io.tatami.protocol.wire.ClusterMap;
import io.tatami.protocol.wire.Endpoint;
import io.tatami.protocol.wire.GetClusterMapReply;
import io.tatami.protocol.wire.ReadBlockRequest.Reason;
import io.tatami.rpc.CallOptions;
import io.tatami.rpc.Connection;
import io.tatami.rpc.Connector;
import io.tatami.rpc.Lane;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Which copy is read first, by a map that the test gives. */
final class ReadOrderTest {
    private static final BlockId BLOCK = new BlockId(77);
    private static final int CLIENTS = 3_000;

    private final ManualClock clock = new ManualClock();
    private final ClusterMap.Builder map = ClusterMap.newBuilder().setEpoch(1);
    private final SuspectServers suspects = new SuspectServers(clock, server -> new CompletableFuture<>());

    @Test
    void theNearestCopyComesFirst() throws Exception {
        server(1, "a", "/far", State.ACTIVE);
        server(2, "b", "/near", State.ACTIVE);
        server(3, "here", "/near", State.ACTIVE);
        for (long salt = 0; salt < 20; salt++) {
            assertEquals(servers(3, 2, 1), order("here", "", salt).of(BLOCK, servers(1, 2, 3)));
        }
    }

    @Test
    void theRackMayBeSaid() throws Exception {
        server(1, "a", "/far", State.ACTIVE);
        server(2, "b", "/near", State.ACTIVE);
        for (long salt = 0; salt < 20; salt++) {
            assertEquals(servers(2, 1), order("elsewhere", "/near", salt).of(BLOCK, servers(1, 2)));
        }
    }

    @Test
    void serversInDoubtComeLastHoweverNearTheyAre() throws Exception {
        server(1, "here", "/near", State.DEAD);
        server(2, "here", "/near", State.STALE);
        server(3, "here", "/near", State.ACTIVE);
        server(4, "here", "/near", State.DRAINING);
        server(5, "far", "/far", State.JOINING);
        suspects.suspect(new ServerId(3));
        for (long salt = 0; salt < 20; salt++) {
            assertEquals(servers(5, 4, 3, 2, 1), order("here", "", salt).of(BLOCK, servers(1, 2, 3, 4, 5)));
            assertEquals(servers(3, 2, 1, 9), order("here", "", salt).of(BLOCK, servers(9, 3, 2, 1)));
        }
    }

    @Test
    void clientsSpreadOverEqualCopiesAndEachStaysWithItsOwn() throws Exception {
        server(1, "a", "/rack", State.ACTIVE);
        server(2, "b", "/rack", State.ACTIVE);
        server(3, "c", "/rack", State.ACTIVE);
        Map<Integer, Integer> firsts = new TreeMap<>();
        for (long salt = 0; salt < CLIENTS; salt++) {
            ReadOrder order = order("elsewhere", "", salt);
            List<ServerId> copies = order.of(BLOCK, servers(1, 2, 3));
            assertEquals(copies, order.of(BLOCK, servers(3, 1, 2)));
            firsts.merge(copies.get(0).value(), 1, Integer::sum);
        }
        firsts.forEach((server, count) -> assertTrue(count > CLIENTS / 4, firsts::toString));
    }

    @Test
    void ofEquallyNearServersTheLeastLoadedComeFirst() throws Exception {
        loaded(1, "a", "/far", 0);
        loaded(2, "b", "/near", 33);
        loaded(3, "c", "/near", 128);
        loaded(4, "d", "/near", 31);
        loaded(5, "e", "/near", 3_000);
        loaded(6, "f", "/near", 600);
        for (long salt = 0; salt < 20; salt++) {
            assertEquals(
                    servers(4, 2, 3, 6, 5, 1), order("elsewhere", "/near", salt).of(BLOCK, servers(1, 2, 3, 4, 5, 6)));
        }
    }

    @Test
    void littleDifferencesOfLoadChangeNothing() throws Exception {
        loaded(1, "a", "/rack", 0);
        loaded(2, "b", "/rack", 31);
        loaded(3, "c", "/rack", 40);
        loaded(4, "d", "/rack", 120);
        int second = 0;
        int fourth = 0;
        for (long salt = 0; salt < CLIENTS; salt++) {
            List<ServerId> order = order("elsewhere", "", salt).of(BLOCK, servers(1, 2, 3, 4));
            second += order.get(0).value() == 2 ? 1 : 0;
            fourth += order.get(2).value() == 4 ? 1 : 0;
        }
        assertTrue(second > CLIENTS / 3 && fourth > CLIENTS / 3, second + " and " + fourth);
    }

    private void loaded(int id, String host, String rack, int streams) {
        server(id, host, rack, State.ACTIVE, info -> info.setStreams(streams));
    }

    @Test
    void readersOfStagedBytesGoWhereThePlanSays() throws Exception {
        UnaryOperator<BlockServerInfo.Builder> cache = info -> info.setHasCache(true);
        server(1, "a", "/rack", State.ACTIVE, info -> info.setHasCache(true).setStreams(5_000));
        server(2, "b", "/rack", State.ACTIVE, cache);
        server(3, "c", "/rack", State.ACTIVE, cache);
        for (long salt = 0; salt < 20; salt++) {
            BlockId block = new BlockId(salt + 1);
            ReadOrder order = order("elsewhere", "", salt);
            assertEquals(
                    order.stagers(block, servers(1, 2, 3)).get(0),
                    order.of(block, servers(1, 2, 3)).get(0));
        }
    }

    @Test
    void onlySoundServersWithATierStage() throws Exception {
        UnaryOperator<BlockServerInfo.Builder> cache = info -> info.setHasCache(true);
        server(1, "a", "/rack", State.ACTIVE, cache);
        server(2, "b", "/rack", State.ACTIVE);
        server(3, "c", "/rack", State.STALE, cache);
        server(4, "d", "/rack", State.ACTIVE, cache);
        ReadOrder order = order("elsewhere", "", 1);
        assertEquals(Set.of(new ServerId(1), new ServerId(4)), Set.copyOf(order.stagers(BLOCK, servers(1, 2, 3, 4))));
        assertEquals(servers(3), order.stagers(BLOCK, servers(2, 3)));
        assertEquals(servers(2), order.stagers(BLOCK, servers(2)));
    }

    @Test
    void aReaderOnAServersHostHasNoChoiceAmongTiers() throws Exception {
        UnaryOperator<BlockServerInfo.Builder> cache = info -> info.setHasCache(true);
        server(1, "a", "/rack", State.ACTIVE, cache);
        server(2, "b", "/rack", State.ACTIVE, cache);
        server(3, "c", "/rack", State.ACTIVE);
        ReadOrder here = order("a", "/rack", 1);
        ReadOrder elsewhere = order("elsewhere", "/rack", 1);
        assertEquals(List.of(), here.equallyGoodCaches(here.of(BLOCK, servers(1, 2, 3))));
        assertEquals(
                Set.of(new ServerId(1), new ServerId(2)),
                Set.copyOf(elsewhere.equallyGoodCaches(elsewhere.of(BLOCK, servers(1, 2, 3)))));
        assertEquals(List.of(), elsewhere.equallyGoodCaches(elsewhere.of(BLOCK, servers(1))));
    }

    private static List<ServerId> servers(Integer... ids) {
        return ServerId.listOf(List.of(ids));
    }

    private @Nullable Reason whyNotLocal(Integer... holders) throws Exception {
        return order("here", "", 1).choose(BLOCK, servers(holders)).whyNotLocal();
    }

    @Test
    void aSoundCopyOnTheReadersHostNeedsNoReason() throws Exception {
        server(1, "here", "/near", State.ACTIVE);
        server(2, "b", "/near", State.ACTIVE);
        assertNull(whyNotLocal(1));
        assertNull(whyNotLocal(2, 1));
    }

    @Test
    void whereNoCopyIsOnTheReadersHostTheMapTellsWhetherAServerIs() throws Exception {
        server(2, "b", "/near", State.ACTIVE);
        server(3, "c", "/near", State.ACTIVE);
        assertEquals(Reason.NO_SERVER_ON_HOST, whyNotLocal(2));
        assertEquals(Reason.NO_SERVER_ON_HOST, whyNotLocal(2, 3));
        server(1, "here", "/near", State.ACTIVE);
        assertEquals(Reason.NO_LOCAL_COPY, whyNotLocal(2));
        assertEquals(Reason.NO_LOCAL_COPY, whyNotLocal(2, 3));
    }

    @Test
    void theHealthThatPutsTheLocalCopyLastIsTheReason() throws Exception {
        server(2, "b", "/near", State.ACTIVE);
        for (Map.Entry<State, Reason> each : Map.of(
                        State.DEAD, Reason.LOCAL_DEAD,
                        State.GONE, Reason.LOCAL_DEAD,
                        State.STALE, Reason.LOCAL_DEAD,
                        State.DRAINING, Reason.LOCAL_LEAVING)
                .entrySet()) {
            map.clearBlockServer();
            server(1, "here", "/near", each.getKey());
            server(2, "b", "/near", State.ACTIVE);
            assertEquals(each.getValue(), whyNotLocal(1, 2), each::toString);
        }
    }

    @Test
    void whatTheSuspectOnTheReadersHostDidIsTheReason() throws Exception {
        server(1, "here", "/near", State.ACTIVE);
        server(2, "b", "/near", State.ACTIVE);
        suspects.suspect(new ServerId(1));
        assertEquals(Reason.LOCAL_SLOW, whyNotLocal(1, 2));
        clock.advance(Duration.ofSeconds(1));
        suspects.failed(new ServerId(1), new TatamiException(ErrorCode.UNAVAILABLE, "refused"));
        assertEquals(Reason.LOCAL_DEAD, whyNotLocal(1, 2));
        clock.advance(Duration.ofMinutes(1));
        suspects.failed(new ServerId(1), new TatamiException(ErrorCode.IO_ERROR, "broken"));
        assertEquals(Reason.LOCAL_FAILED, whyNotLocal(1, 2));
    }

    private ReadOrder order(String host, String rack, long salt) throws Exception {
        InetSocketAddress seed = InetSocketAddress.createUnresolved("metadata", 1);
        MetadataRouter router = new MetadataRouter(new MapOnly(map.build()), List.of(seed));
        router.refresh(Deadline.after(clock, Duration.ofMinutes(1)));
        return new ReadOrder(new BlockServers(router, new LocalHost(host, rack, null)), suspects, salt);
    }

    private void server(int id, String host, String rack, State state) {
        server(id, host, rack, state, UnaryOperator.identity());
    }

    /** Addresses are of nobody, so that the name alone tells who is local. */
    private void server(int id, String host, String rack, State state, UnaryOperator<BlockServerInfo.Builder> more) {
        map.addBlockServer(more.apply(BlockServerInfo.newBuilder()
                .setServerId(id)
                .setHost(host)
                .setRack(rack)
                .setState(state)
                .setData(Endpoint.newBuilder().setHost("198.51.100." + id).setPort(1))));
    }

    /** A metadata server that knows one map. */
    private record MapOnly(ClusterMap map) implements Connector {
        @Override
        public CompletableFuture<Connection> connect(SocketAddress address, Lane lane) {
            return CompletableFuture.completedFuture(new UnusedConnection() {
                @Override
                public <Q extends Message, R extends Message> CompletableFuture<R> call(
                        Method<Q, R> method, CallOptions options, Q body) {
                    return CompletableFuture.completedFuture(reply(method));
                }
            });
        }

        private <R extends Message> R reply(Method<?, R> method) {
            try {
                return method.replyParser()
                        .parseFrom(GetClusterMapReply.newBuilder()
                                .setMap(map)
                                .build()
                                .toByteString());
            } catch (InvalidProtocolBufferException e) {
                throw new IllegalStateException(e);
            }
        }

        @Override
        public void close() {}
    }
}
