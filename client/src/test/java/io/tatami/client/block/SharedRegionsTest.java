package io.tatami.client.block;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.tatami.protocol.wire.ShareMemoryReply;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** When memory is asked for, of a server that does as the test says. */
final class SharedRegionsTest {
    private static final long LONG_STREAM_BYTES = 64L << 20;

    private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 5);
    private final SharedRegions regions = new SharedRegions(1, true, nanos::get);
    private final ScriptedServer server = new ScriptedServer();

    @Test
    void afterARefusalMemoryIsAskedForAgainLater(@TempDir Path directory) throws Exception {
        server.finishNext(ShareMemoryReply.getDefaultInstance());
        assertNull(regions.lease(server, LONG_STREAM_BYTES).region());
        assertEquals(1, server.requests.size());

        nanos.addAndGet(TimeUnit.SECONDS.toNanos(30) - 1);
        assertNull(regions.lease(server, LONG_STREAM_BYTES).region());
        assertEquals(1, server.requests.size(), "it is not asked for with each stream");

        nanos.addAndGet(1);
        try (SharedFile file = SharedFile.create(directory.resolve("memory"), 1)) {
            server.lend(file.path());
            RegionLease lease = regions.lease(server, LONG_STREAM_BYTES);
            assertNotNull(lease.region());
            lease.giveUp();
        }
    }
}
