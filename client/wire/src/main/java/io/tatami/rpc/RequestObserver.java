package io.tatami.rpc;

import io.tatami.base.ErrorCode;
import org.jspecify.annotations.Nullable;

/**
 * Is told of each request that a server has answered, for its metrics. Called on the event loops of the connections, by
 * many threads at a time: it must not block, and costs every request what it costs.
 */
public interface RequestObserver {
    /** The name of the method where a request names none that is served here. */
    String NO_METHOD = "";

    /** Of a server that nobody watches. */
    RequestObserver NONE = new RequestObserver() {
        @Override
        public void answered(String method, long tookNanos, @Nullable ErrorCode failure) {}

        @Override
        public void ended(String method, long tookNanos, @Nullable ErrorCode failure) {}
    };

    /**
     * A call was answered.
     *
     * @param method its name; {@link #NO_METHOD} where the request was refused before its method was looked at
     * @param tookNanos from the arrival of the request until its answer is given to the connection
     * @param failure null where it is done
     */
    void answered(String method, long tookNanos, @Nullable ErrorCode failure);

    /**
     * A stream has ended: it was answered, or its client does not want it any more.
     *
     * @param tookNanos since the request that opened it arrived
     * @param failure null where the stream came to its end; CANCELLED where its client left
     */
    void ended(String method, long tookNanos, @Nullable ErrorCode failure);
}
