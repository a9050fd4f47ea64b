package io.tatami.client.block;

import io.tatami.base.BlockId;
import io.tatami.base.ChunkChecksum;
import io.tatami.base.Clock;
import io.tatami.base.Generation;
import io.tatami.base.ServerId;
import io.tatami.protocol.BlockMethods;
import io.tatami.protocol.wire.Empty;
import io.tatami.protocol.wire.ReportDamageRequest;
import io.tatami.rpc.CallOptions;
import io.tatami.rpc.Connection;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells block servers of chunks that they sent and that failed their checksums here, each once, and no more than
 * {@link #BURST} at a time and one a second: what is not told is found by a scrub. Never waits, and no failure reaches
 * the reader. Safe for use by many threads.
 */
final class DamageReporter {
    private static final Logger LOG = LoggerFactory.getLogger(DamageReporter.class);

    /** Chunks that are not reported again. */
    static final int REMEMBERED_MAX = 1_024;

    static final int BURST = 16;
    private static final long INTERVAL_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long TIMEOUT_MILLIS = 10_000;

    private final Clock clock;
    private final Set<Reported> remembered = new LinkedHashSet<>();

    /** When all that was sent would have been sent at the steady rate. */
    private long paidNanos;

    /** A chunk of one copy, counted from 0. */
    private record Reported(ServerId server, BlockId block, Generation generation, long chunk) {}

    DamageReporter(Clock clock) {
        this.clock = clock;
        this.paidNanos = clock.monotonicNanos();
    }

    /**
     * @param connection on which the chunk came
     * @param server which sent it
     * @param generation as it was asked for
     * @param offsetBytes in the block, of a byte of the chunk
     */
    void report(Connection connection, ServerId server, BlockId block, Generation generation, long offsetBytes) {
        Reported chunk = new Reported(server, block, generation, offsetBytes / ChunkChecksum.CHUNK_BYTES);
        if (!admit(chunk)) {
            return;
        }
        ReportDamageRequest request = ReportDamageRequest.newBuilder()
                .setBlockId(block.value())
                .setGeneration(generation.value())
                .setOffset(offsetBytes)
                .build();
        CompletableFuture<Empty> unused = connection
                .call(BlockMethods.REPORT_DAMAGE, CallOptions.DEFAULT.withTimeoutMillis(TIMEOUT_MILLIS), request)
                .whenComplete((reply, failure) -> {
                    if (failure != null) {
                        LOG.debug("{} did not take a report of damage of {}", server, block, failure);
                        forget(chunk);
                    }
                });
    }

    private synchronized boolean admit(Reported chunk) {
        long now = clock.monotonicNanos();
        long paid = Math.max(paidNanos, now);
        if (remembered.contains(chunk) || paid - now > (BURST - 1) * INTERVAL_NANOS) {
            return false;
        }
        paidNanos = paid + INTERVAL_NANOS;
        remembered.add(chunk);
        if (remembered.size() > REMEMBERED_MAX) {
            Iterator<Reported> oldest = remembered.iterator();
            oldest.next();
            oldest.remove();
        }
        return true;
    }

    private synchronized void forget(Reported chunk) {
        remembered.remove(chunk);
    }
}
