package io.tatami.rpc;

import com.google.protobuf.Message;
import io.tatami.base.TatamiException;

/**
 * Takes the one answer to a request, from any thread and at any time. A second answer is a bug and throws
 * {@link IllegalStateException}. When nobody waits any more (cancelled, connection lost) the answer is dropped.
 */
public interface Responder<R extends Message> {
    void success(R reply);

    void failure(TatamiException failure);
}
