package io.tatami.rpc;

import com.google.protobuf.ByteString;
import java.net.SocketAddress;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A request that is being served, as the threads that work for it know it: its trace goes into the lines that they log
 * and into the requests that they send, and they say where its time goes. Safe for use by many threads, but times that
 * two of them note at one moment may be counted once.
 */
public abstract class RequestScope {
    private static final ThreadLocal<@Nullable RequestScope> OF_THREAD = new ThreadLocal<>();

    /** Where the time of a request goes, in this order. */
    public enum Station {
        /** It waits for the group's thread, or for a reader. */
        QUEUE,
        /** It is decided, with the others of its batch. */
        DECIDE,
        /** Its batch is made durable. */
        LOG,
        /** Its batch is applied to the store. */
        APPLY
    }

    /** The trace context of the client, by W3C Trace Context; empty for none. */
    public abstract ByteString traceparent();

    /** For whom the client asks, as it says, in UTF-8; empty for none. */
    public abstract ByteString callerContext();

    /** So much of its time went there. */
    public abstract void spent(Station station, long nanos);

    /** Another server was asked for it, and has answered or was given up. */
    public abstract void called(String method, SocketAddress server, long tookNanos);

    /**
     * A future that others wait for too, or that another thread completes: what is done behind the one returned is done
     * for what the present thread works for now.
     */
    public static <T> CompletableFuture<T> carried(CompletableFuture<T> shared) {
        if (shared.isDone()) {
            return shared;
        }
        RequestScope scope = current();
        CompletableFuture<T> own = new CompletableFuture<>();
        CompletableFuture<T> unused = shared.whenComplete((value, failure) -> {
            RequestScope before = enter(scope);
            try {
                if (failure == null) {
                    own.complete(value);
                } else {
                    own.completeExceptionally(failure);
                }
            } finally {
                leave(before);
            }
        });
        return own;
    }

    /** What the present thread works for; null for nothing in particular. */
    public static @Nullable RequestScope current() {
        return OF_THREAD.get();
    }

    /**
     * The present thread works for {@code scope} from now on, or for nothing where that is null.
     *
     * @return what it worked for before, for {@link #leave}
     */
    public static @Nullable RequestScope enter(@Nullable RequestScope scope) {
        RequestScope before = OF_THREAD.get();
        if (before != scope) {
            OF_THREAD.set(scope);
        }
        return before;
    }

    /**
     * Undoes an {@link #enter} of the same thread.
     *
     * @param before what {@code enter} returned
     */
    public static void leave(@Nullable RequestScope before) {
        RequestScope unused = enter(before);
    }
}
