package io.tatami.block.service;

import io.tatami.base.Check;

/**
 * Limits of a block server.
 *
 * @param writeStreamsMax write streams at once; one more is refused with BUSY. Each may use a thread
 * @param readStreamsMax read streams at once; one more is refused with BUSY
 * @param readThreads threads that wait for the disk on behalf of readers; as many long reads proceed side by side
 * @param readTurnBytes how much one reader is sent before the next one's turn
 * @param receivedBytesMax bytes of all writers that may wait in memory for the disk; beyond it sockets are not read
 * @param writerIdleMillis a writer that sent nothing for so long loses its stream; what it wrote stays
 * @param chainSilenceMillis how long the server behind may leave bytes unacknowledged
 * @param commandThreads threads for calls that may wait for the disk
 * @param commandsMax calls that may wait for one of them; one more is refused with BUSY
 * @param heartbeatMillis between heartbeats, and between attempts to register
 * @param blockSizeBytes the cluster's usual block size, by which room for credits is counted
 * @param scrubBytesPerSecondMax how fast each volume is scrubbed
 */
public record BlockServerSettings(
        int writeStreamsMax,
        int readStreamsMax,
        int readThreads,
        long readTurnBytes,
        long receivedBytesMax,
        long writerIdleMillis,
        long chainSilenceMillis,
        int commandThreads,
        int commandsMax,
        long heartbeatMillis,
        long blockSizeBytes,
        long scrubBytesPerSecondMax) {
    public static final BlockServerSettings DEFAULT = new BlockServerSettings(
            256, 1024, 4, 16L << 20, 256L << 20, 30 * 60_000L, 30_000, 4, 1024, 3_000, 256L << 20, 64L << 20);

    public BlockServerSettings {
        Check.check(writeStreamsMax > 0 && readStreamsMax > 0, "streams %d, %d", writeStreamsMax, readStreamsMax);
        Check.check(readThreads > 0 && commandThreads > 0, "threads %d, %d", readThreads, commandThreads);
        Check.check(readTurnBytes > 0 && receivedBytesMax > 0, "bytes %d, %d", readTurnBytes, receivedBytesMax);
        Check.check(blockSizeBytes > 0 && heartbeatMillis > 0, "block size %d", blockSizeBytes);
    }

    public BlockServerSettings withWriteStreamsMax(int streams) {
        return new BlockServerSettings(
                streams,
                readStreamsMax,
                readThreads,
                readTurnBytes,
                receivedBytesMax,
                writerIdleMillis,
                chainSilenceMillis,
                commandThreads,
                commandsMax,
                heartbeatMillis,
                blockSizeBytes,
                scrubBytesPerSecondMax);
    }

    public BlockServerSettings withWriterIdleMillis(long millis) {
        return new BlockServerSettings(
                writeStreamsMax,
                readStreamsMax,
                readThreads,
                readTurnBytes,
                receivedBytesMax,
                millis,
                chainSilenceMillis,
                commandThreads,
                commandsMax,
                heartbeatMillis,
                blockSizeBytes,
                scrubBytesPerSecondMax);
    }

    public BlockServerSettings withReceivedBytesMax(long bytes) {
        return new BlockServerSettings(
                writeStreamsMax,
                readStreamsMax,
                readThreads,
                readTurnBytes,
                bytes,
                writerIdleMillis,
                chainSilenceMillis,
                commandThreads,
                commandsMax,
                heartbeatMillis,
                blockSizeBytes,
                scrubBytesPerSecondMax);
    }
}
