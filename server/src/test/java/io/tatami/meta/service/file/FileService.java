package io.tatami.meta.service.file;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import com.google.protobuf.Parser;
import io.tatami.base.Clock;
import io.tatami.base.ErrorCode;
import io.tatami.base.GroupId;
import io.tatami.base.TatamiException;
import io.tatami.conf.Settings;
import io.tatami.meta.op.Operation;
import io.tatami.meta.op.UnsettledException;
import io.tatami.meta.op.UnsettledException.Question;
import io.tatami.meta.op.file.FileShard;
import io.tatami.meta.service.BackgroundTask;
import io.tatami.meta.service.Flow;
import io.tatami.meta.service.Group;
import io.tatami.meta.service.GroupPeers;
import io.tatami.meta.service.GroupTable;
import io.tatami.meta.service.PartContext;
import io.tatami.meta.service.RequestOrigin;
import io.tatami.meta.service.Settler;
import io.tatami.meta.state.RequestContext;
import io.tatami.meta.state.ShardState;
import io.tatami.protocol.Method;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/**
 * One leader of a {@link FileShard}: the real handlers over batches of one request each, all on the caller's thread. A
 * second one over the same shard is the next leader.
 */
final class FileService implements Group<ShardState>, GroupTable<ShardState> {
    private static final Settings SETTINGS = Settings.of(Map.of("tatami.block.size.min", "1"));

    private final FileShard shard;
    private final Map<Integer, Served<?, ?>> served = new HashMap<>();
    private @Nullable BackgroundTask leases;

    /** Whether nothing that is submitted becomes durable. */
    boolean cannotWrite;

    /** As its requests say. */
    boolean mayWriteBesideReads = true;

    FileService(FileShard shard, GroupPeers peers, Clock clock) throws TatamiException {
        this.shard = shard;
        new FileHandlers()
                .register(this, new PartContext<>(this, shard.state().group(), peers, shard.signer, clock, SETTINGS));
    }

    /** A method with who serves it; requests and replies go through their bytes. */
    private record Served<Q extends Message, R extends Message>(Method<Q, R> method, Flow<Q, R> flow) {
        CompletableFuture<ByteString> run(RequestOrigin origin, ByteString request) {
            return flow.run(origin, parsed(method.requestParser(), request)).thenApply(Message::toByteString);
        }
    }

    /** What a client of the shard's present session is answered. */
    <Q extends Message, R extends Message> R call(Method<Q, R> method, Q request) throws TatamiException {
        return joined(begin(method, request));
    }

    /** {@link #call}, whose answer may come later. */
    <Q extends Message, R extends Message> CompletableFuture<R> begin(Method<Q, R> method, Q request) {
        RequestOrigin origin = new RequestOrigin(
                shard.caller, shard.session, 0, 0, RequestOrigin.NO_DEADLINE, mayWriteBesideReads, false);
        Served<?, ?> server = Objects.requireNonNull(served.get(method.number()));
        return server.run(origin, request.toByteString()).thenApply(reply -> parsed(method.replyParser(), reply));
    }

    private static <T> T parsed(Parser<T> parser, ByteString bytes) {
        try {
            return parser.parseFrom(bytes);
        } catch (InvalidProtocolBufferException e) {
            throw new IllegalStateException("a message cannot be parsed", e);
        }
    }

    /** One whole sweep over the leases. */
    void sweep() throws TatamiException {
        BackgroundTask task = Objects.requireNonNull(leases);
        while (joined(task.run()).equals(Duration.ZERO)) {
            continue;
        }
    }

    @Override
    public GroupId id() {
        return shard.id();
    }

    @Override
    public <Q extends Message, R extends Message> CompletableFuture<R> submit(
            Operation<ShardState, Q, R> operation, RequestOrigin origin, Q request) {
        return cannotWrite
                ? CompletableFuture.failedFuture(new TatamiException(ErrorCode.NO_SPACE, "the disk is full"))
                : decided(operation, origin, request);
    }

    private <Q extends Message, R extends Message> CompletableFuture<R> decided(
            Operation<ShardState, Q, R> operation, RequestOrigin origin, Q request) {
        RequestContext asked = shard.context();
        RequestContext context = new RequestContext(
                origin.caller(), origin.session(), asked.nowMillis(), asked.settled(), asked.cluster());
        try {
            return CompletableFuture.completedFuture(shard.run(operation, request, context));
        } catch (TatamiException e) {
            return CompletableFuture.failedFuture(e);
        } catch (UnsettledException e) {
            throw new IllegalStateException("nothing is unsettled in these tests", e);
        }
    }

    @Override
    public <Q extends Message, R extends Message> CompletableFuture<R> submitOnce(
            Method<?, R> method, Operation<ShardState, Q, R> operation, RequestOrigin origin, Q request) {
        return submit(operation, origin, request);
    }

    @Override
    public <Q extends Message, R extends Message> CompletableFuture<R> read(
            Operation<ShardState, Q, R> operation, RequestOrigin origin, Q request) {
        return decided(operation, origin, request);
    }

    @Override
    public <Q extends Message, R extends Message> GroupTable<ShardState> write(
            Method<Q, R> method, Operation<ShardState, Q, R> operation) {
        return flow(method, (origin, request) -> submit(operation, origin, request));
    }

    @Override
    public <Q extends Message, R extends Message> GroupTable<ShardState> read(
            Method<Q, R> method, Operation<ShardState, Q, R> operation) {
        return flow(method, (origin, request) -> submit(operation, origin, request));
    }

    @Override
    public <Q extends Message, R extends Message> GroupTable<ShardState> flow(Method<Q, R> method, Flow<Q, R> flow) {
        served.put(method.number(), new Served<>(method, flow));
        return this;
    }

    @Override
    public GroupTable<ShardState> background(String name, String wakingKinds, BackgroundTask task) {
        leases = task;
        return this;
    }

    @Override
    public <T extends Question> GroupTable<ShardState> settle(Class<T> kind, Settler<T> settler) {
        return this;
    }

    private static <T> T joined(CompletableFuture<T> future) throws TatamiException {
        try {
            return future.join();
        } catch (CompletionException e) {
            if (e.getCause() instanceof TatamiException failure) {
                throw failure;
            }
            throw e;
        }
    }
}
