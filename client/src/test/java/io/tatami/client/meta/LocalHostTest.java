package io.tatami.client.meta;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.protocol.wire.BlockServerInfo;
import io.tatami.protocol.wire.Endpoint;
import org.junit.jupiter.api.Test;

final class LocalHostTest {
    private static BlockServerInfo server(String host, String address) {
        return BlockServerInfo.newBuilder()
                .setHost(host)
                .setData(Endpoint.newBuilder().setHost(address).setPort(1))
                .build();
    }

    @Test
    void everyLoopbackAddressIsLocalToAHostWithoutAName() {
        LocalHost host = new LocalHost("", "", null);
        assertTrue(host.isHostOf(server("localhost", "localhost")));
        assertTrue(host.isHostOf(server("node2", "127.0.0.12")));
        assertFalse(host.isHostOf(server("other", "192.0.2.7")));
    }

    @Test
    void hostsThatShareAMachineTakeOnlyTheirOwnAddressForLocal() {
        LocalHost host = new LocalHost("127.0.0.11", "", null);
        assertTrue(host.isHostOf(server("node1", "127.0.0.11")));
        assertFalse(host.isHostOf(server("node2", "127.0.0.12")));
        assertTrue(host.isHostOf(server("localhost", "127.0.0.1")), "no host of several is there");
    }

    @Test
    void aHostNamedLocalhostHasEveryLoopbackAddress() {
        LocalHost host = new LocalHost("localhost", "", null);
        assertTrue(host.isHostOf(server("node2", "127.0.0.12")));
    }

    @Test
    void theEnvironmentNamesAHostWithoutASetting() {
        assertEquals("127.0.0.12", new LocalHost("", "", "127.0.0.12").name());
        assertEquals("127.0.0.11", new LocalHost("127.0.0.11", "", "127.0.0.12").name());
    }

    @Test
    void aServerOfTheGivenNameIsLocalThoughTheNameHasNoAddress() {
        LocalHost host = new LocalHost("no..such.name", "", null);
        assertTrue(host.isHostOf(server("no..such.name", "192.0.2.7")));
        assertTrue(host.isHostOf(server("node2", "127.0.0.12")));
    }
}
