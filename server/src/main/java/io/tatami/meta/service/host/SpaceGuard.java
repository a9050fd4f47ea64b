package io.tatami.meta.service.host;

import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.conf.Setting;
import io.tatami.protocol.Effect;
import io.tatami.protocol.Method;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps room on the metadata server's own disk for what must go on when it is full: deleting, closing files,
 * reclaiming. A store that meets a full disk stops for good, so requests that let it grow are refused before. Looked at
 * every second; safe for use by many threads.
 */
final class SpaceGuard {
    /** Free bytes below which nothing new is made. */
    static final Setting<Long> RESERVE = Setting.size(
            "tatami.meta.reserve",
            "256m",
            "0",
            "1t",
            "Free space on the metadata server's disk below which nothing is written but what frees room, as deleting does; below"
                    + " twice as much others lead what they can.");

    /** So many times the reserve a server has free that leads groups others could lead, before anything is refused. */
    private static final int LEADS_FROM = 2;

    /** And so many times before it leads them again, lest they go to and fro. */
    private static final int LEADS_AGAIN_FROM = 3;

    private static final Duration REST = Duration.ofSeconds(1);
    private static final Logger LOG = LoggerFactory.getLogger(SpaceGuard.class);

    private final long reserveBytes;
    private final LongSupplier freeBytes;
    private volatile boolean refuses;
    private volatile boolean low;

    /** @param freeBytes what the server may still write */
    SpaceGuard(long reserveBytes, LongSupplier freeBytes) {
        this.reserveBytes = reserveBytes;
        this.freeBytes = freeBytes;
    }

    static SpaceGuard of(Path directory, long reserveBytes) {
        return new SpaceGuard(reserveBytes, () -> {
            try {
                return Files.getFileStore(directory).getUsableSpace();
            } catch (IOException e) {
                throw new UncheckedIOException("cannot read the free space of " + directory, e);
            }
        });
    }

    /** A {@link io.tatami.meta.service.BackgroundTask}: looks how much is free. */
    CompletableFuture<Duration> look() {
        long free = freeBytes.getAsLong();
        low = free < reserveBytes * (low ? LEADS_AGAIN_FROM : LEADS_FROM);
        boolean now = free < reserveBytes;
        if (now != refuses) {
            LOG.warn(
                    "{} bytes are free for metadata, {} are kept in reserve: {}",
                    free,
                    reserveBytes,
                    now ? "only what frees room is done until there are more" : "all requests are served again");
        }
        refuses = now;
        return CompletableFuture.completedFuture(REST);
    }

    /** Whether so little is free that others are to lead what they can, so that nobody is refused anything. */
    boolean isLow() {
        return low;
    }

    /** Whether nothing is refused. */
    boolean hasRoom() {
        return !refuses;
    }

    /** @throws TatamiException NO_SPACE for a method that {@linkplain Effect#WRITES writes} while room is short */
    void check(Method<?, ?> method) throws TatamiException {
        if (refuses && method.effect() == Effect.WRITES) {
            throw new TatamiException(
                    ErrorCode.NO_SPACE,
                    "the metadata server has less than " + (reserveBytes >> 20)
                            + " MiB free, a reserve for deletions: delete files, or free space on its disk");
        }
    }
}
