package io.tatami.client.block;

import io.tatami.base.Check;
import io.tatami.protocol.BlockPayload;
import io.tatami.rpc.CallOptions;
import io.tatami.rpc.Traceparent;

/**
 * Limits of a {@link BlockClient}.
 *
 * @param windowBytes how many bytes a writer sends ahead of their acknowledgement; kept in memory until then
 * @param readAheadBytes how many bytes a server may send ahead of a reader; kept in memory until read
 * @param timeoutMillis how long a stream waits for any sign of progress, and a call for its reply
 * @param lanes bulk connections to one server; streams take turns
 * @param sharesMemory whether long reads and writes go through memory shared with servers of this host
 * @param traced whether each stream of a block has a trace of its own
 */
public record BlockClientSettings(
        int windowBytes, int readAheadBytes, long timeoutMillis, int lanes, boolean sharesMemory, boolean traced) {
    public static final BlockClientSettings DEFAULT = new BlockClientSettings(12 << 20, 8 << 20, 60_000, 2, true, true);

    /**
     * Beside those read ahead: the one being read, and those that its device is given next, so that it is never idle.
     */
    private static final int UNITS_IN_HAND = 4;

    public BlockClientSettings {
        Check.check(
                windowBytes >= BlockPayload.BYTES_MAX && windowBytes <= BlockPayload.WINDOW_BYTES_MAX,
                "window of %d bytes",
                windowBytes);
        Check.check(readAheadBytes >= BlockPayload.BYTES_MAX, "read-ahead of %d bytes", readAheadBytes);
        Check.check(timeoutMillis > 0 && lanes > 0, "timeout %d ms, %d lanes", timeoutMillis, lanes);
    }

    public BlockClientSettings withWindowBytes(int bytes) {
        return new BlockClientSettings(bytes, readAheadBytes, timeoutMillis, lanes, sharesMemory, traced);
    }

    public BlockClientSettings withReadAheadBytes(int bytes) {
        return new BlockClientSettings(windowBytes, bytes, timeoutMillis, lanes, sharesMemory, traced);
    }

    public BlockClientSettings withTimeoutMillis(long millis) {
        return new BlockClientSettings(windowBytes, readAheadBytes, millis, lanes, sharesMemory, traced);
    }

    public BlockClientSettings withSharedMemory(boolean shares) {
        return new BlockClientSettings(windowBytes, readAheadBytes, timeoutMillis, lanes, shares, traced);
    }

    public BlockClientSettings withTraces(boolean has) {
        return new BlockClientSettings(windowBytes, readAheadBytes, timeoutMillis, lanes, sharesMemory, has);
    }

    /** Those of a new stream of a block. It has no deadline, as it is watched for progress. */
    CallOptions streamOptions() {
        CallOptions options = CallOptions.DEFAULT.withTimeoutMillis(0);
        return traced ? options.withTraceparent(Traceparent.next()) : options;
    }

    /** How many units of memory one writer shares with the server; 0 for none. */
    int writtenUnits() {
        // One more frame is being filled while the window is full.
        return sharesMemory ? units(windowBytes + BlockPayload.BYTES_MAX) : 0;
    }

    /** How many units of memory one reader shares with the server; 0 for none. */
    int readUnits() {
        return sharesMemory ? Math.min(SharedUnits.UNITS_MAX, units(readAheadBytes) + UNITS_IN_HAND) : 0;
    }

    private static int units(int bytes) {
        return (bytes + SharedUnits.UNIT_BYTES - 1) / SharedUnits.UNIT_BYTES;
    }
}
