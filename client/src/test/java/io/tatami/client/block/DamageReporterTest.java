package io.tatami.client.block;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.google.protobuf.Message;
import io.tatami.base.BlockId;
import io.tatami.base.ChunkChecksum;
import io.tatami.base.Generation;
import io.tatami.base.ManualClock;
import io.tatami.base.ServerId;
import io.tatami.protocol.Method;
import io.tatami.protocol.wire.ReportDamageRequest;
import io.tatami.rpc.CallOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** What servers hear of damage, and how often. */
final class DamageReporterTest {
    private static final ServerId SERVER = new ServerId(3);
    private static final BlockId BLOCK = BlockId.of(1, 0, 1);

    private final ManualClock clock = new ManualClock();
    private final DamageReporter reporter = new DamageReporter(clock);
    private final Silent connection = new Silent();

    @Test
    void aChunkOfACopyIsReportedOnce() {
        for (int i = 0; i < 3; i++) {
            report(SERVER, 5);
            report(new ServerId(4), 5);
            reporter.report(connection, SERVER, BLOCK, Generation.of(7), 5L * ChunkChecksum.CHUNK_BYTES + 1 + i);
        }
        assertEquals(2, connection.requests.size());
        assertEquals(
                ReportDamageRequest.newBuilder()
                        .setBlockId(BLOCK.value())
                        .setGeneration(7)
                        .setOffset(5L * ChunkChecksum.CHUNK_BYTES)
                        .build(),
                connection.requests.get(0));
    }

    @Test
    void aReportThatWasNotTakenIsMadeAgainWhenTheChunkIsMetAgain() {
        report(SERVER, 5);
        connection.replies.get(0).completeExceptionally(new IllegalStateException("the connection is lost"));
        report(SERVER, 5);
        assertEquals(2, connection.requests.size());
    }

    @Test
    void ofManyReportsABurstIsSentAndThenOneASecond() {
        int chunk = 0;
        for (int i = 0; i < 10_000; i++) {
            report(SERVER, chunk++);
        }
        assertEquals(DamageReporter.BURST, connection.requests.size());
        for (int second = 1; second <= 5; second++) {
            clock.advance(Duration.ofSeconds(1));
            for (int i = 0; i < 100; i++) {
                report(SERVER, chunk++);
            }
            assertEquals(DamageReporter.BURST + second, connection.requests.size());
        }
        clock.advance(Duration.ofDays(1));
        for (int i = 0; i < 100; i++) {
            report(SERVER, chunk++);
        }
        assertEquals(2 * DamageReporter.BURST + 5, connection.requests.size());
    }

    @Test
    void theOldestReportsAreForgotten() {
        for (int chunk = 0; chunk <= DamageReporter.REMEMBERED_MAX; chunk++) {
            report(SERVER, chunk);
            clock.advance(Duration.ofSeconds(1));
        }
        report(SERVER, DamageReporter.REMEMBERED_MAX);
        assertEquals(DamageReporter.REMEMBERED_MAX + 1, connection.requests.size());
        report(SERVER, 0);
        assertEquals(DamageReporter.REMEMBERED_MAX + 2, connection.requests.size());
    }

    private void report(ServerId server, int chunk) {
        reporter.report(connection, server, BLOCK, Generation.of(7), (long) chunk * ChunkChecksum.CHUNK_BYTES);
    }

    /** A connection to a server that answers when the test says so. */
    private static final class Silent extends UnusedConnection {
        final List<Message> requests = new ArrayList<>();
        final List<CompletableFuture<?>> replies = new ArrayList<>();

        @Override
        public <Q extends Message, R extends Message> CompletableFuture<R> call(
                Method<Q, R> method, CallOptions options, Q body) {
            CompletableFuture<R> reply = new CompletableFuture<>();
            requests.add(body);
            replies.add(reply);
            return reply;
        }
    }
}
