package io.tatami.client.block;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.tatami.base.ErrorCode;
import io.tatami.base.ServerId;
import io.tatami.base.TatamiException;
import io.tatami.rpc.netty.Rig;
import java.net.InetAddress;
import java.net.ServerSocket;
import org.junit.jupiter.api.Test;

/** What a status tells of a block server that cannot be asked. */
final class UnreachableServerTest {
    private static int freePort() throws Exception {
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getByName("localhost"))) {
            return free.getLocalPort();
        }
    }

    @Test
    void aRefusedConnectionIsToldInASentenceThatNamesTheServer() throws Exception {
        int port = freePort();
        try (Rig rig = new Rig()) {
            BlockClient blocks = new BlockClient(rig.client, BlockClientSettings.DEFAULT);
            TatamiException failure = assertThrows(
                    TatamiException.class,
                    () -> blocks.status(new BlockTarget(new ServerId(3), "localhost", port), 10_000));
            assertEquals(ErrorCode.UNAVAILABLE, failure.code());
            assertEquals(
                    "block server 3: cannot connect to localhost:" + port
                            + ": the connection is refused, as no server listens there",
                    failure.getMessage());
        }
    }
}
