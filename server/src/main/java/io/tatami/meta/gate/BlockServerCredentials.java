package io.tatami.meta.gate;

import com.google.protobuf.ByteString;
import io.tatami.base.ServerId;
import java.nio.ByteBuffer;

/**
 * What a metadata server shows a block server, so that this knows a request that comes from its cluster. Each block
 * server has a credential of its own: it can compare what it is shown with what the namespace group told it, and can
 * use neither at another block server nor at a metadata server. Safe for use by many threads.
 */
public final class BlockServerCredentials {
    private final KeyedHash hash;

    BlockServerCredentials(KeyedHash hash) {
        this.hash = hash;
    }

    public ByteString of(ServerId server) {
        return ByteString.copyFrom(hash.of(
                ByteBuffer.allocate(Integer.BYTES).putInt(server.value()).array()));
    }
}
