package io.tatami.block.service;

import io.tatami.block.service.read.ReadStreams;
import io.tatami.block.service.volumes.VolumeSet;
import io.tatami.block.service.write.WriteStreams;
import io.tatami.block.volume.Volume;
import io.tatami.protocol.BlockMethods;
import io.tatami.rpc.HandlerTable;

/**
 * The write and read streams of a block server, under one roof: start, standstill and stop. Safe for use by many
 * threads.
 */
final class DataPort {
    private final WriteStreams writes;
    private final ReadStreams reads;

    DataPort(WriteStreams writes, ReadStreams reads) {
        this.writes = writes;
        this.reads = reads;
    }

    void serveOn(HandlerTable table) {
        table.onStream(BlockMethods.WRITE_BLOCK, writes::open);
        table.onStream(BlockMethods.READ_BLOCK, reads::open);
        table.shortOfMemoryWhen(reads::isShortOfMemory);
    }

    void add(VolumeSet.ServedVolume served) {
        writes.add(served);
        reads.add(served);
    }

    /** Ends the streams of a volume that is no longer served. */
    void endOn(Volume volume) {
        writes.endOn(volume);
        reads.endOn(volume);
    }

    /** Forgets a volume whose streams have ended. */
    void remove(Volume volume) {
        writes.remove(volume);
        reads.remove(volume);
    }

    /** Parks or ends streams without progress; called periodically. */
    void checkStandstill() {
        writes.checkStandstill();
        reads.checkStandstill();
    }

    /** Opens no further stream, and ends open ones with UNAVAILABLE. */
    void close() {
        writes.close();
        reads.close();
    }

    /**
     * Waits for at most {@code limitMillis} until no stream of a volume is open, and returns whether that is so; to be
     * called after the close.
     */
    boolean awaitEnd(Volume volume, long limitMillis) throws InterruptedException {
        return writes.awaitEnd(volume, limitMillis) && reads.awaitEnd(volume, limitMillis);
    }
}
