package io.tatami.base;

/**
 * Bytes that were sent with a request to flush them. A wait for the flush needs no lock of the stream, so that others
 * can write on meanwhile. Safe for use by any thread.
 */
@FunctionalInterface
public interface PendingFlush {
    /** Of what still has to be flushed in the usual way. */
    PendingFlush NOT_SENT = () -> false;

    /**
     * Waits until the bytes are flushed.
     *
     * @return false where something is left to do, or they may not be flushed: the caller then flushes in the usual
     *     way, which mends the stream or tells why it cannot. So it does, too, where the thread was interrupted
     */
    boolean await();
}
