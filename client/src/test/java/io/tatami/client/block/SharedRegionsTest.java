package io.tatami.client.block;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.tatami.base.ManualClock;
import io.tatami.protocol.wire.ShareMemoryReply;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** When memory is asked for, of a server that does as the test says. */
final class SharedRegionsTest {
    private static final long LONG_STREAM_BYTES = 64L << 20;

    private final ManualClock clock = new ManualClock();
    private final SharedRegions regions = new SharedRegions(1, true, clock);
    private final ScriptedServer server = new ScriptedServer();

    /** Nanoseconds may begin anywhere, and pass the largest number. */
    @BeforeEach
    void beginBeforeTheLargestNumber() {
        clock.advance(Duration.ofNanos(Long.MAX_VALUE - 5));
    }

    @Test
    void afterARefusalMemoryIsAskedForAgainLater(@TempDir Path directory) throws Exception {
        server.finishNext(ShareMemoryReply.getDefaultInstance());
        assertNull(regions.lease(server, LONG_STREAM_BYTES).region());
        assertEquals(1, server.requests.size());

        clock.advance(Duration.ofSeconds(30).minusNanos(1));
        assertNull(regions.lease(server, LONG_STREAM_BYTES).region());
        assertEquals(1, server.requests.size(), "it is not asked for with each stream");

        clock.advance(Duration.ofNanos(1));
        try (SharedFile file = SharedFile.create(directory.resolve("memory"), 1)) {
            server.lend(file.path());
            RegionLease lease = regions.lease(server, LONG_STREAM_BYTES);
            assertNotNull(lease.region());
            lease.giveUp();
        }
    }
}
