package io.tatami.meta.service.host;

import io.tatami.base.DirectoryId;
import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.meta.op.Operation;
import io.tatami.meta.state.Draft;
import io.tatami.meta.state.Keys;
import io.tatami.meta.state.RequestContext;
import io.tatami.protocol.Audience;
import io.tatami.protocol.Effect;
import io.tatami.protocol.Method;
import io.tatami.protocol.wire.DirectorySlice;
import java.nio.ByteBuffer;

/**
 * An operation of tests: adds one to a counter and answers what it is then. A request whose bytes are below zero is
 * refused, and one whose files are below zero meets a bug, both after the counter was changed in the draft.
 */
public final class Increment implements Operation<Draft, DirectorySlice, DirectorySlice> {
    public static final Method<DirectorySlice, DirectorySlice> METHOD = Method.once(
            9_001, "test.increment", Audience.USERS, Effect.WRITES, DirectorySlice.parser(), DirectorySlice.parser());
    public static final Method<DirectorySlice, DirectorySlice> OTHER_METHOD = Method.once(
            9_002, "test.other", Audience.USERS, Effect.WRITES, DirectorySlice.parser(), DirectorySlice.parser());

    @Override
    public DirectorySlice decide(Draft state, RequestContext context, DirectorySlice request) throws TatamiException {
        byte[] key = Keys.entry(new DirectoryId(request.getDirectoryId()), "counter");
        byte[] stored = state.get(key);
        long next = stored == null ? 1 : ByteBuffer.wrap(stored).getLong() + 1;
        state.put(key, ByteBuffer.allocate(Long.BYTES).putLong(next).array());
        if (request.getBytes() < 0) {
            throw new TatamiException(ErrorCode.NOT_FOUND, "refused at " + next);
        }
        if (request.getFiles() < 0) {
            throw new IllegalStateException("a planted bug");
        }
        return DirectorySlice.newBuilder()
                .setDirectoryId(request.getDirectoryId())
                .setFiles(next)
                .build();
    }

    public static DirectorySlice of(long counter) {
        return DirectorySlice.newBuilder().setDirectoryId(counter).build();
    }
}
