package io.tatami.meta.service.lead;

import io.tatami.base.Clock;
import io.tatami.meta.log.CommitLog;
import java.io.IOException;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a group's log takes on the disk. Its files are looked at when somebody asks, at most every {@value #AGE_SECONDS}
 * seconds however many ask, and on the threads of reads, because those that ask must not wait for the disk. Safe for
 * use by many threads.
 */
final class LogSize {
    static final int AGE_SECONDS = 10;

    private static final long WAIT_MILLIS = 500;
    private static final Logger LOG = LoggerFactory.getLogger(LogSize.class);

    private final CommitLog log;
    private final Clock clock;
    private final Executor readers;

    /** The newest look at the files, under way or over. Guarded by this. */
    private CompletableFuture<Long> look = CompletableFuture.completedFuture(0L);

    /** Guarded by this. */
    private long nextLookNanos;

    /** In bytes; 0 before the first look is over. */
    private volatile long known;

    LogSize(CommitLog log, Clock clock, Executor readers) {
        this.log = log;
        this.clock = clock;
        this.readers = readers;
        this.nextLookNanos = clock.monotonicNanos();
    }

    /**
     * In bytes, as of at most {@value #AGE_SECONDS} s ago. Where the disk does not answer within {@value #WAIT_MILLIS}
     * ms, completes with what was known before, 0 for nothing.
     */
    CompletableFuture<Long> bytes() {
        CompletableFuture<Long> newest = newestLook();
        return newest.isDone() ? newest : newest.copy().completeOnTimeout(known, WAIT_MILLIS, TimeUnit.MILLISECONDS);
    }

    /** In bytes, as of the last question; empty where nobody has asked before. */
    OptionalLong knownBytes() {
        CompletableFuture<Long> unused = newestLook();
        return known == 0 ? OptionalLong.empty() : OptionalLong.of(known);
    }

    private synchronized CompletableFuture<Long> newestLook() {
        long nowNanos = clock.monotonicNanos();
        if (look.isDone() && nowNanos - nextLookNanos >= 0) {
            nextLookNanos = nowNanos + TimeUnit.SECONDS.toNanos(AGE_SECONDS);
            look = begin();
        }
        return look;
    }

    private CompletableFuture<Long> begin() {
        try {
            return CompletableFuture.supplyAsync(this::measure, readers);
        } catch (RejectedExecutionException e) {
            LOG.debug("the readers have too much to do", e);
            return CompletableFuture.completedFuture(known);
        }
    }

    private long measure() {
        try {
            known = log.bytes();
        } catch (IOException e) {
            LOG.debug("the files of a log cannot be looked at", e);
        }
        return known;
    }
}
