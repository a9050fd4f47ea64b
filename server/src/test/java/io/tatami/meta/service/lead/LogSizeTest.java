package io.tatami.meta.service.lead;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.ManualClock;
import io.tatami.meta.log.CommitLog;
import io.tatami.meta.log.LogEntry;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.Test;

/** How often the files of a log are looked at, and what is told meanwhile. */
class LogSizeTest {
    private final ManualClock clock = new ManualClock();
    private final Files log = new Files();

    /** A log whose files have a length, or cannot be looked at. */
    private static final class Files implements CommitLog {
        private long length = 100;
        private boolean failing;
        private int looks;

        @Override
        public long bytes() throws IOException {
            looks++;
            if (failing) {
                throw new IOException("the simulated disk failed");
            }
            return length;
        }

        @Override
        public void commit(LogEntry entry) {
            throw new UnsupportedOperationException();
        }

        @Override
        public CompletableFuture<Void> confirm() {
            return CompletableFuture.completedFuture(null);
        }

        @Override
        public void close() {}
    }

    @Test
    void filesAreLookedAtOnceInTenSecondsHoweverManyAsk() {
        LogSize size = new LogSize(log, clock, Runnable::run);
        assertEquals(100, size.bytes().join());
        log.length = 200;
        clock.advance(Duration.ofSeconds(LogSize.AGE_SECONDS).minusNanos(1));
        assertEquals(100, size.bytes().join());
        assertEquals(OptionalLong.of(100), size.knownBytes());
        assertEquals(1, log.looks);
        clock.advance(Duration.ofNanos(1));
        assertEquals(200, size.bytes().join());
        assertEquals(2, log.looks);
    }

    @Test
    void whoMustNotWaitHearsWhatTheQuestionBeforeFound() {
        List<Runnable> looks = new ArrayList<>();
        LogSize size = new LogSize(log, clock, looks::add);
        assertEquals(OptionalLong.empty(), size.knownBytes());
        assertEquals(OptionalLong.empty(), size.knownBytes());
        assertEquals(1, looks.size());
        looks.get(0).run();
        assertEquals(OptionalLong.of(100), size.knownBytes());
    }

    @Test
    void aDiskThatHangsKeepsNobodyAndIsAskedOnce() {
        List<Runnable> looks = new ArrayList<>();
        LogSize size = new LogSize(log, clock, looks::add);
        assertEquals(0, size.bytes().join());
        clock.advance(Duration.ofMinutes(1));
        assertEquals(0, size.bytes().join());
        assertEquals(1, looks.size(), "one look is under way");
        looks.get(0).run();
        assertEquals(100, size.bytes().join());
    }

    @Test
    void aLookThatFailsLeavesWhatWasKnown() {
        LogSize size = new LogSize(log, clock, Runnable::run);
        assertEquals(100, size.bytes().join());
        log.failing = true;
        clock.advance(Duration.ofMinutes(1));
        assertEquals(100, size.bytes().join());
        assertEquals(2, log.looks);
    }

    @Test
    void readersThatTakeNoMoreLeaveWhatWasKnown() {
        LogSize size = new LogSize(log, clock, look -> {
            throw new RejectedExecutionException("full");
        });
        assertEquals(0, size.bytes().join());
        assertTrue(size.knownBytes().isEmpty());
    }
}
