package io.tatami.benchmarks.harness.host;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

class LinkBytesTest {
    private static final List<String> LINES = List.of(
            "Inter-|   Receive                                                |  Transmit",
            " face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs",
            "    lo:     100       2    0    0    0     0          0         0      100       2    0",
            "  eth0: 7000 12 0 0 0 0 0 0 900 3 0 0 0 0 0 0");

    @Test
    void receivedAndSentBytesAreOfTheNamedInterface() throws Exception {
        assertEquals(new LinkBytes(7_000, 900), LinkBytes.parse(LINES, "eth0"));
        assertEquals(new LinkBytes(6_000, 100), LinkBytes.parse(LINES, "eth0").since(new LinkBytes(1_000, 800)));
    }

    @Test
    void anInterfaceThatIsNotThereIsAnError() {
        assertThrows(IOException.class, () -> LinkBytes.parse(LINES, "eth1"));
    }
}
