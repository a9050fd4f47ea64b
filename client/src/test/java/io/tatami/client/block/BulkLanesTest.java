package io.tatami.client.block;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.google.protobuf.Message;
import io.tatami.base.ErrorCode;
import io.tatami.base.ServerId;
import io.tatami.base.TatamiException;
import io.tatami.protocol.Method;
import io.tatami.rpc.CallOptions;
import io.tatami.rpc.Connection;
import io.tatami.rpc.Connector;
import io.tatami.rpc.Lane;
import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Which connection a stream is opened on, where some are crowded. */
final class BulkLanesTest {
    private static final BlockTarget TARGET = new BlockTarget(new ServerId(1), "script", 1);

    /** As they were given. */
    private final List<SocketAddress> asked = new ArrayList<>();

    private final List<Crowded> open = new ArrayList<>();
    private int connectionsMax = Integer.MAX_VALUE;

    private static final class Crowded extends UnusedConnection {
        @Override
        public boolean isCrowded() {
            return true;
        }

        @Override
        public <Q extends Message, R extends Message> CompletableFuture<R> call(
                Method<Q, R> method, CallOptions options, Q body) {
            throw new UnsupportedOperationException();
        }
    }

    /** Takes as many connections as it may, each of which is crowded at once. */
    private final class Server implements Connector {
        @Override
        public CompletableFuture<Connection> connect(SocketAddress address, Lane lane) {
            asked.add(address);
            if (open.size() == connectionsMax) {
                return CompletableFuture.failedFuture(
                        new TatamiException(ErrorCode.UNAVAILABLE, "the server has too many connections"));
            }
            Crowded connection = new Crowded();
            open.add(connection);
            return CompletableFuture.completedFuture(connection);
        }

        @Override
        public void close() {}
    }

    private Connection connection() throws TatamiException {
        return new BlockClient(new Server(), BlockClientSettings.DEFAULT).bulkConnection(TARGET);
    }

    @Test
    void whereTheServerTakesNoMoreConnectionsACrowdedOneIsUsed() throws Exception {
        connectionsMax = 1;
        assertSame(connection(), open.get(0));
        assertEquals(2, asked.size());
    }

    /** Who looks on may be an event loop, which must not wait for a name server. */
    @Test
    void theNameOfTheServerIsLookedUpOnceForAllLanes() throws Exception {
        Connection unused = connection();
        assertEquals(64, asked.size());
        asked.forEach(address -> assertSame(asked.get(0), address));
    }

    @Test
    void whereTheServerCannotBeReachedThatIsTold() {
        connectionsMax = 0;
        TatamiException failure = assertThrows(TatamiException.class, this::connection);
        assertEquals(ErrorCode.UNAVAILABLE, failure.code());
        assertEquals("block server 1: the server has too many connections", failure.getMessage());
    }
}
