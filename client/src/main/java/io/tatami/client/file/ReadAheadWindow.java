package io.tatami.client.file;

/**
 * How much a sequential read requests at once. The adaptive policy treats a reader as sequential until it seeks. Then
 * it requests little, and doubles the amount each time it was read to its end. Used by one thread.
 */
final class ReadAheadWindow {
    private static final long SHORT_WINDOW_BYTES = 256 << 10;
    private static final long RANDOM_WINDOW_BYTES = 64 << 10;
    private static final long WHOLE_BLOCK = Long.MAX_VALUE / 4;

    private final long bufferBytes;
    private final ReadPolicy policy;
    private long windowBytes = WHOLE_BLOCK;

    /** @param bufferBytes how far servers send ahead: a seek within it costs less than a new stream */
    ReadAheadWindow(long bufferBytes, ReadPolicy policy) {
        this.bufferBytes = bufferBytes;
        this.policy = policy;
    }

    boolean isWorthSkipping(long gapBytes) {
        return gapBytes <= bufferBytes;
    }

    /**
     * How much the next stream is to ask for.
     *
     * @param continues it begins where the one before was read to its end
     * @param first it is the first, from the start of the file
     */
    long nextWindowBytes(boolean continues, boolean first, int wantedBytes) {
        windowBytes = switch (policy) {
            case SEQUENTIAL -> WHOLE_BLOCK;
            case RANDOM -> RANDOM_WINDOW_BYTES;
            case ADAPTIVE -> adapted(continues, first);
        };
        return Math.max(windowBytes, wantedBytes);
    }

    private long adapted(boolean continues, boolean first) {
        if (first || (continues && windowBytes >= bufferBytes)) {
            return WHOLE_BLOCK;
        }
        return continues ? windowBytes * 2 : SHORT_WINDOW_BYTES;
    }
}
