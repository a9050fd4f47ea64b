package io.tatami.block.service.context;

import io.tatami.base.GroupId;
import io.tatami.block.volume.ReadUnit;
import io.tatami.cluster.RecentCount;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

/** What a block server counts, from its start on. Safe for use by many threads. */
public final class BlockServerMetrics {
    private final LongAdder readBytes = new LongAdder();
    private final LongAdder stagedReadBytes = new LongAdder();
    private final LongAdder lateReadBytes = new LongAdder();
    private final LongAdder writtenBytes = new LongAdder();
    private final LongAdder creditGifts = new LongAdder();
    private final LongAdder damageChecks = new LongAdder();
    private final LongAdder creditsGiven = new LongAdder();
    private final LongAdder copiesMade = new LongAdder();
    private final LongAdder pulledBytes = new LongAdder();
    private final AtomicInteger readStreams = new AtomicInteger();
    private final AtomicInteger writeStreams = new AtomicInteger();
    private final AtomicInteger restingWriteStreams = new AtomicInteger();
    private final AtomicInteger slowVolumes = new AtomicInteger();

    /** By the shard of their blocks, of the last seconds alone; guarded by itself. */
    private final Map<GroupId, RecentCount> openedWriteStreams = new HashMap<>();

    /** Payload sent to readers. */
    public long readBytes() {
        return readBytes.sum();
    }

    /** Of the payload sent to readers, what came from copies that were there in time. */
    public long stagedReadBytes() {
        return stagedReadBytes.sum();
    }

    /** Of the payload sent to readers, what was planned and not staged in time. */
    public long lateReadBytes() {
        return lateReadBytes.sum();
    }

    /** Payload taken from writers, each copy of a chain counted by its server. */
    public long writtenBytes() {
        return writtenBytes.sum();
    }

    /** How often a shard took credits. */
    public long creditGifts() {
        return creditGifts.sum();
    }

    /** For how many blocks shards took credits. */
    public long creditsGiven() {
        return creditsGiven.sum();
    }

    /** Chunks that were read again because a reader said that they are damaged. */
    public long damageChecks() {
        return damageChecks.sum();
    }

    /** Copies that were pulled from other servers. */
    public long copiesMade() {
        return copiesMade.sum();
    }

    /** Bytes that were pulled from other servers, those of copies that failed included. */
    public long pulledBytes() {
        return pulledBytes.sum();
    }

    /** Read streams that are open now. */
    public int readStreams() {
        return readStreams.get();
    }

    /** Write streams that are open now. */
    public int writeStreams() {
        return writeStreams.get();
    }

    /** Write streams that are open and were not found at rest; those that wait for a disk are among them. */
    public int busyWriteStreams() {
        return Math.max(0, writeStreams.get() - restingWriteStreams.get());
    }

    /**
     * Write streams of a shard's blocks that were opened in the last {@link RecentCount#SPAN_MILLIS}, open or not.
     *
     * @param nowNanos monotonic
     */
    public int writeStreamsOpenedLately(GroupId shard, long nowNanos) {
        synchronized (openedWriteStreams) {
            RecentCount opened = openedWriteStreams.get(shard);
            return opened == null ? 0 : opened.total(nowNanos);
        }
    }

    /** The same of all shards' blocks. */
    public int writeStreamsOpenedLately(long nowNanos) {
        synchronized (openedWriteStreams) {
            return openedWriteStreams.values().stream()
                    .mapToInt(opened -> opened.total(nowNanos))
                    .sum();
        }
    }

    /** Volumes that are much slower than their peers now, or hang. */
    public int slowVolumes() {
        return slowVolumes.get();
    }

    public void read(long bytes, ReadUnit.Origin origin) {
        readBytes.add(bytes);
        switch (origin) {
            case STAGED -> stagedReadBytes.add(bytes);
            case LATE -> lateReadBytes.add(bytes);
            case VOLUME -> {}
        }
    }

    public void slowVolumes(int count) {
        slowVolumes.set(count);
    }

    public void written(long bytes) {
        writtenBytes.add(bytes);
    }

    /** Counts a gift that a shard has taken, unless it was of nothing. */
    public void gaveCredits(int blocks) {
        if (blocks > 0) {
            creditGifts.increment();
            creditsGiven.add(blocks);
        }
    }

    public void madeCopy() {
        copiesMade.increment();
    }

    public void pulled(long bytes) {
        pulledBytes.add(bytes);
    }

    public void damageChecked() {
        damageChecks.increment();
    }

    public void openedReadStream() {
        readStreams.incrementAndGet();
    }

    public void closedReadStream() {
        readStreams.decrementAndGet();
    }

    /** Counts a write stream unless {@code limit} of them are open. */
    public boolean tryOpenWriteStream(int limit) {
        return writeStreams.getAndUpdate(now -> now < limit ? now + 1 : now) < limit;
    }

    /**
     * Notes that a write stream was opened.
     *
     * @param nowNanos monotonic
     */
    public void openedWriteStream(GroupId shard, long nowNanos) {
        synchronized (openedWriteStreams) {
            openedWriteStreams
                    .computeIfAbsent(shard, absent -> new RecentCount())
                    .add(nowNanos);
        }
    }

    /** So many write streams were at rest when they were looked at. */
    public void restingWriteStreams(int count) {
        restingWriteStreams.set(count);
    }

    public void closedWriteStream() {
        writeStreams.decrementAndGet();
    }
}
