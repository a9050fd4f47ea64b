package io.tatami.client.file;

import java.util.concurrent.atomic.LongAdder;

/** What a reader did. Safe for use by many threads; each number only rises. */
public final class ReadStatistics {
    private final LongAdder localBytes = new LongAdder();
    private final LongAdder remoteBytes = new LongAdder();
    private final LongAdder cachedBytes = new LongAdder();
    private final LongAdder lateBytes = new LongAdder();
    private final LongAdder sharedBytes = new LongAdder();
    private final LongAdder inlineBytes = new LongAdder();
    private final LongAdder skippedBytes = new LongAdder();
    private final LongAdder streamsOpened = new LongAdder();
    private final LongAdder openings = new LongAdder();
    private final LongAdder checksumFailures = new LongAdder();
    private final LongAdder copyFailures = new LongAdder();
    private final LongAdder hedges = new LongAdder();
    private final LongAdder hedgeWins = new LongAdder();

    void addBlockBytes(boolean local, long bytes) {
        (local ? localBytes : remoteBytes).add(bytes);
    }

    void addStagedBytes(long bytes) {
        cachedBytes.add(bytes);
    }

    void addLateBytes(long bytes) {
        lateBytes.add(bytes);
    }

    void addSharedBytes(long bytes) {
        sharedBytes.add(bytes);
    }

    void addInlineBytes(long bytes) {
        inlineBytes.add(bytes);
    }

    void addSkippedBytes(long bytes) {
        skippedBytes.add(bytes);
    }

    /** @param vectored whether it serves a call of many ranges, which is counted by {@link #countOpening} */
    void countStream(boolean vectored) {
        streamsOpened.increment();
        if (!vectored) {
            openings.increment();
        }
    }

    /** A call of many ranges, over however many streams. */
    void countOpening() {
        openings.increment();
    }

    void countChecksumFailure() {
        checksumFailures.increment();
    }

    /** A stream beside another one: reading does not begin anew by it. */
    void countHedge() {
        streamsOpened.increment();
        hedges.increment();
    }

    void countHedgeWin() {
        hedgeWins.increment();
    }

    void countCopyFailure() {
        copyFailures.increment();
    }

    /** Given out from block servers on this host. */
    public long localBytes() {
        return localBytes.sum();
    }

    /** Given out from block servers on other hosts. */
    public long remoteBytes() {
        return remoteBytes.sum();
    }

    /** Given out from a cache tier; counted as local or remote as well. */
    public long cachedBytes() {
        return cachedBytes.sum();
    }

    /** Planned, but not in the cache tier in time; counted as local or remote as well. */
    public long lateBytes() {
        return lateBytes.sum();
    }

    /** Given out from memory that a block server of this host shares; counted as local as well. */
    public long sharedBytes() {
        return sharedBytes.sum();
    }

    /** Given out from the file's entry, without a block server. */
    public long inlineBytes() {
        return inlineBytes.sum();
    }

    /** Received and thrown away because of short seeks and gaps between merged ranges. */
    public long skippedBytes() {
        return skippedBytes.sum();
    }

    public long streamsOpened() {
        return streamsOpened.sum();
    }

    /** How often reading began anew at some place: streams, of which those of a call of many ranges count as one. */
    public long openings() {
        return openings.sum();
    }

    /** Copies given up because a chunk failed its checksum. */
    public long checksumFailures() {
        return checksumFailures.sum();
    }

    /** Copies given up for any other reason. */
    public long copyFailures() {
        return copyFailures.sum();
    }

    /** Streams that were opened beside another one, because that one was silent. */
    public long hedges() {
        return hedges.sum();
    }

    /** Those of the {@link #hedges} that delivered first. */
    public long hedgeWins() {
        return hedgeWins.sum();
    }
}
