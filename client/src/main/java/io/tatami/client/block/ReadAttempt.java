package io.tatami.client.block;

import io.tatami.base.Clock;
import io.tatami.base.TatamiException;
import io.tatami.rpc.Connection;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * A read stream that is being opened: its connection first, and the stream once there is one. Several attempts can be
 * waited for at once. Used by one thread.
 */
public final class ReadAttempt implements AutoCloseable {
    private final BlockTarget target;
    private final CompletableFuture<Connection> connecting;
    private final Clock clock;
    private final Opening opening;
    private @Nullable BlockReadStream stream;

    /** Called on any thread, and must not block. */
    private @Nullable Runnable listener;

    /** Makes the stream of a connection. */
    @FunctionalInterface
    interface Opening {
        /** @param mayWait whether it may wait for memory that the server shares */
        BlockReadStream on(Connection connection, boolean mayWait) throws TatamiException;
    }

    ReadAttempt(BlockTarget target, CompletableFuture<Connection> connecting, Clock clock, Opening opening) {
        this.target = target;
        this.connecting = connecting;
        this.clock = clock;
        this.opening = opening;
    }

    /** Of a stream that is open. */
    public static ReadAttempt of(BlockReadStream stream) {
        ReadAttempt attempt = new ReadAttempt(
                stream.target(), new CompletableFuture<>(), Clock.SYSTEM, (connection, mayWait) -> stream);
        attempt.stream = stream;
        return attempt;
    }

    /**
     * Opens the stream, once there is a connection.
     *
     * @param nanos how long to wait for the connection
     * @return null where there is no connection in that time; the attempt goes on
     * @throws TatamiException if the server cannot be reached
     */
    public @Nullable BlockReadStream await(long nanos) throws TatamiException {
        return open(nanos, true);
    }

    /**
     * The stream, if bytes of it have arrived; else null. Does not wait.
     *
     * @throws TatamiException if the server cannot be reached; the failure of the stream; NO_SUCH_BLOCK if it ended
     *     without a byte
     */
    public @Nullable BlockReadStream poll() throws TatamiException {
        BlockReadStream open = open(0, false);
        return open != null && open.hasArrived() ? open : null;
    }

    /** {@link BlockReadStream#isQueued} of the stream; false while there is none. */
    public boolean isQueued() {
        return stream != null && stream.isQueued();
    }

    /** Has {@code callback} called whenever {@link #poll} may have more to tell than before. */
    public void onProgress(Runnable callback) {
        listener = callback;
        if (stream != null) {
            stream.onProgress(callback);
        }
        CompletableFuture<Void> unused = connecting.handle((connection, failure) -> {
            callback.run();
            return null;
        });
    }

    /** Gives the stream up. The connection goes on being opened: others may wait for it. */
    @Override
    public void close() {
        if (stream != null) {
            stream.close();
        }
    }

    private @Nullable BlockReadStream open(long nanos, boolean mayWait) throws TatamiException {
        BlockReadStream open = stream;
        if (open == null && (nanos > 0 || connecting.isDone())) {
            Connection connection = connection(nanos);
            if (connection != null) {
                open = opening.on(connection, mayWait);
                stream = open;
                if (listener != null) {
                    open.onProgress(listener);
                }
            }
        }
        return open;
    }

    private @Nullable Connection connection(long nanos) throws TatamiException {
        try {
            return clock.get(connecting, nanos);
        } catch (ExecutionException e) {
            throw BlockClient.unreachable(target, e);
        } catch (TimeoutException e) {
            return null;
        } catch (InterruptedException e) {
            throw BlockClient.interrupted(target, e);
        }
    }
}
