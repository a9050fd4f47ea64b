package io.tatami.meta.service.move;

import com.google.protobuf.ByteString;
import com.google.protobuf.Message;
import io.tatami.base.ErrorCode;
import io.tatami.base.GroupId;
import io.tatami.base.ServerId;
import io.tatami.base.TatamiException;
import io.tatami.conf.Settings;
import io.tatami.meta.gate.HandleSigner;
import io.tatami.meta.op.Operation;
import io.tatami.meta.op.UnsettledException;
import io.tatami.meta.op.UnsettledException.Question;
import io.tatami.meta.service.BackgroundTask;
import io.tatami.meta.service.Flow;
import io.tatami.meta.service.Group;
import io.tatami.meta.service.GroupParts;
import io.tatami.meta.service.GroupTable;
import io.tatami.meta.service.Peers;
import io.tatami.meta.service.RequestOrigin;
import io.tatami.meta.service.Settler;
import io.tatami.meta.state.Draft;
import io.tatami.meta.state.Keys;
import io.tatami.meta.state.MemoryView;
import io.tatami.meta.state.RequestContext;
import io.tatami.meta.state.ShardState;
import io.tatami.meta.state.View;
import io.tatami.meta.state.wire.GroupRecord;
import io.tatami.meta.state.wire.ReplyRecord;
import io.tatami.protocol.Method;
import io.tatami.protocol.wire.ClusterMap;
import io.tatami.protocol.wire.Empty;
import io.tatami.protocol.wire.Endpoint;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * A shard that loses all but its committed batches in a crash: the real operations and flows over a store in memory. A
 * batch holds the requests that came while the one before it was being flushed.
 */
final class SimulatedShard {
    private final GroupRecord record;
    private final SimulatedWorld world;
    private final SimulatedNetwork network;
    private final HandleSigner signer;
    private final BiConsumer<GroupTable<ShardState>, GroupParts<ShardState>> parts;
    private final MemoryView store = new MemoryView();
    private @Nullable Life life;

    SimulatedShard(
            GroupRecord record,
            SimulatedWorld world,
            SimulatedNetwork network,
            HandleSigner signer,
            BiConsumer<GroupTable<ShardState>, GroupParts<ShardState>> parts) {
        this.record = record;
        this.world = world;
        this.network = network;
        this.signer = signer;
        this.parts = parts;
        Draft format = new Draft(store);
        format.put(Keys.singleton("group"), record.toByteArray());
        store.apply(format);
    }

    GroupId id() {
        return new GroupId(record.getGroup());
    }

    /** What is durable. */
    ShardState state() {
        return new ShardState(new Draft(store));
    }

    /** All entries that are durable, each as directory, slash and name. */
    List<String> entries() {
        List<String> entries = new ArrayList<>();
        byte[] prefix = Keys.kind('e');
        try (View.Cursor cursor = store.scan(prefix, Keys.after(prefix))) {
            while (cursor.next()) {
                entries.add(Keys.idOf(cursor.key()) + "/" + Keys.nameOf(cursor.key()));
            }
        }
        return entries;
    }

    void crash() {
        life = null;
    }

    void start() {
        if (life == null) {
            Life begun = new Life();
            life = begun;
            parts.accept(begun, new GroupParts<>(begun, record, begun, signer, world, Settings.defaults()));
            begun.startTasks();
        }
    }

    <Q extends Message, R extends Message> CompletableFuture<ByteString> serve(
            RequestOrigin origin, Method<Q, R> method, ByteString body) {
        Life current = life;
        return current == null ? new CompletableFuture<>() : current.serve(origin, method, body);
    }

    /** From a start to the next crash. */
    private final class Life implements Group<ShardState>, GroupTable<ShardState>, Peers {
        private final Map<Integer, Served<?, ?>> served = new HashMap<>();
        private final Map<Class<?>, Settler<Question>> settlers = new HashMap<>();
        private final List<BackgroundTask> tasks = new ArrayList<>();
        private final Map<List<Long>, CompletableFuture<ByteString>> inFlight = new HashMap<>();
        private List<Waiting<?, ?>> queue = new ArrayList<>();
        private boolean flushing;

        private boolean isAlive() {
            return life == this;
        }

        private void after(long delayMillis, Runnable action) {
            world.after(delayMillis, () -> {
                if (isAlive()) {
                    action.run();
                }
            });
        }

        void startTasks() {
            tasks.forEach(task -> after(world.below(100), () -> repeat(task)));
        }

        private void repeat(BackgroundTask task) {
            var unused = task.run().whenComplete((rest, failure) -> {
                if (failure != null) {
                    SimulatedNetwork.failureOf(failure);
                }
                after(rest != null && rest.isZero() ? 1 : 150, () -> repeat(task));
            });
        }

        // -------------------------------------------------------------------------------------- requests

        <Q extends Message, R extends Message> CompletableFuture<ByteString> serve(
                RequestOrigin origin, Method<Q, R> method, ByteString body) {
            Served<?, ?> serving = served.get(method.number());
            if (serving == null) {
                throw new IllegalStateException(method + " is not served");
            }
            if (method.idempotent()) {
                return serving.run(origin, body);
            }
            List<Long> key = List.of(origin.session().value(), origin.number());
            ReplyRecord before = remembered(store, origin);
            if (before != null) {
                return reply(before);
            }
            CompletableFuture<ByteString> running = inFlight.get(key);
            if (running != null) {
                return running;
            }
            CompletableFuture<ByteString> outcome = new CompletableFuture<>();
            inFlight.put(key, outcome);
            var unused = serving.run(origin, body).whenComplete((bytes, failure) -> {
                if (!isAlive()) {
                    return;
                }
                if (failure == null) {
                    inFlight.remove(key);
                    outcome.complete(bytes);
                } else {
                    refuse(origin, key, SimulatedNetwork.failureOf(failure), outcome);
                }
            });
            return outcome;
        }

        /** A refusal that is not retryable is remembered before it is given. */
        private void refuse(
                RequestOrigin origin, List<Long> key, TatamiException failure, CompletableFuture<ByteString> outcome) {
            Operation<ShardState, Empty, Empty> remember = (state, context, request) -> {
                if (!failure.code().isRetryable()) {
                    ReplyRecord error = ReplyRecord.newBuilder()
                            .setError(failure.code().number())
                            .setMessage(String.valueOf(failure.getMessage()))
                            .build();
                    state.draft().put(Keys.replies(origin.session(), origin.number()), error.toByteArray());
                }
                return request;
            };
            var unused = submit(remember, origin, Empty.getDefaultInstance()).whenComplete((done, ignored) -> {
                inFlight.remove(key);
                outcome.completeExceptionally(failure);
            });
        }

        private static @Nullable ReplyRecord remembered(View view, RequestOrigin origin) {
            byte[] value = view.get(Keys.replies(origin.session(), origin.number()));
            return value == null ? null : ShardState.parse(value, ReplyRecord.parser());
        }

        private static CompletableFuture<ByteString> reply(ReplyRecord record) {
            return record.getError() == 0
                    ? CompletableFuture.completedFuture(record.getBody())
                    : CompletableFuture.failedFuture(
                            new TatamiException(ErrorCode.ofNumber(record.getError()), record.getMessage()));
        }

        // -------------------------------------------------------------------------------------- the group

        @Override
        public GroupId id() {
            return SimulatedShard.this.id();
        }

        @Override
        public <Q extends Message, R extends Message> CompletableFuture<R> submit(
                Operation<ShardState, Q, R> operation, RequestOrigin origin, Q request) {
            return enqueue(new Waiting<>(operation, origin, request, null, new CompletableFuture<>()));
        }

        @Override
        public <Q extends Message, R extends Message> CompletableFuture<R> submitOnce(
                Method<?, R> method, Operation<ShardState, Q, R> operation, RequestOrigin origin, Q request) {
            return enqueue(new Waiting<>(operation, origin, request, method, new CompletableFuture<>()));
        }

        @Override
        public <Q extends Message, R extends Message> CompletableFuture<R> read(
                Operation<ShardState, Q, R> operation, RequestOrigin origin, Q request) {
            CompletableFuture<R> reply = new CompletableFuture<>();
            after(world.below(2), () -> {
                try {
                    reply.complete(operation.decide(state(), context(origin), request));
                } catch (TatamiException e) {
                    reply.completeExceptionally(e);
                } catch (UnsettledException e) {
                    var unused = settle(e.question()).whenComplete((done, failure) -> {
                        if (failure != null) {
                            reply.completeExceptionally(failure);
                        } else {
                            var unusedAgain = read(operation, origin, request).whenComplete((value, refused) -> {
                                if (refused != null) {
                                    reply.completeExceptionally(refused);
                                } else {
                                    reply.complete(value);
                                }
                            });
                        }
                    });
                }
            });
            return reply;
        }

        private CompletableFuture<Void> settle(Question question) {
            Settler<Question> settler = settlers.get(question.getClass());
            if (settler == null) {
                throw new IllegalStateException("nobody settles " + question);
            }
            return settler.settle(question);
        }

        private RequestContext context(RequestOrigin origin) {
            return new RequestContext(origin.caller(), origin.session(), 1_000 + world.wallMillis());
        }

        private <Q extends Message, R extends Message> CompletableFuture<R> enqueue(Waiting<Q, R> waiting) {
            if (isAlive()) {
                queue.add(waiting);
                if (!flushing) {
                    flushing = true;
                    after(world.below(2), this::decideBatch);
                }
            }
            return waiting.reply();
        }

        private void decideBatch() {
            List<Waiting<?, ?>> batch = queue;
            queue = new ArrayList<>();
            Draft changes = new Draft(store);
            List<Runnable> replies = new ArrayList<>();
            batch.forEach(waiting -> decide(waiting, changes, replies));
            after(1 + world.below(4), () -> {
                store.apply(changes);
                flushing = false;
                replies.forEach(Runnable::run);
                if (!queue.isEmpty() && !flushing) {
                    flushing = true;
                    decideBatch();
                }
            });
        }

        private <Q extends Message, R extends Message> void decide(
                Waiting<Q, R> waiting, Draft changes, List<Runnable> replies) {
            Draft draft = new Draft(changes);
            try {
                Method<?, R> method = waiting.once();
                ReplyRecord before = method == null ? null : remembered(changes, waiting.origin());
                if (method != null && before != null) {
                    R reply = SimulatedNetwork.parsed(method.replyParser(), before.getBody());
                    replies.add(() -> waiting.reply().complete(reply));
                    return;
                }
                R reply =
                        waiting.operation().decide(new ShardState(draft), context(waiting.origin()), waiting.request());
                if (method != null) {
                    draft.put(
                            Keys.replies(
                                    waiting.origin().session(), waiting.origin().number()),
                            ReplyRecord.newBuilder()
                                    .setBody(reply.toByteString())
                                    .build()
                                    .toByteArray());
                }
                draft.mergeInto(changes);
                replies.add(() -> waiting.reply().complete(reply));
            } catch (TatamiException e) {
                replies.add(() -> waiting.reply().completeExceptionally(e));
            } catch (UnsettledException e) {
                var unused = settle(e.question()).whenComplete((done, failure) -> {
                    if (failure != null) {
                        waiting.reply().completeExceptionally(failure);
                    } else {
                        var unusedAgain = enqueue(waiting);
                    }
                });
            }
        }

        // -------------------------------------------------------------------------------------- the table

        @Override
        public <Q extends Message, R extends Message> GroupTable<ShardState> write(
                Method<Q, R> method, Operation<ShardState, Q, R> operation) {
            return flow(
                    method,
                    method.idempotent()
                            ? (origin, request) -> submit(operation, origin, request)
                            : (origin, request) -> submitOnce(method, operation, origin, request));
        }

        @Override
        public <Q extends Message, R extends Message> GroupTable<ShardState> read(
                Method<Q, R> method, Operation<ShardState, Q, R> operation) {
            return flow(method, (origin, request) -> read(operation, origin, request));
        }

        @Override
        public <Q extends Message, R extends Message> GroupTable<ShardState> flow(
                Method<Q, R> method, Flow<Q, R> flow) {
            served.put(method.number(), new Served<>(method, flow));
            return this;
        }

        @Override
        public GroupTable<ShardState> background(String name, String wakingKinds, BackgroundTask task) {
            tasks.add(task);
            return this;
        }

        @Override
        public <T extends Question> GroupTable<ShardState> settle(Class<T> kind, Settler<T> settler) {
            settlers.put(kind, question -> settler.settle(kind.cast(question)));
            return this;
        }

        // -------------------------------------------------------------------------------------- peers

        @Override
        public <Q extends Message, R extends Message> CompletableFuture<R> call(
                GroupId to, Method<Q, R> method, Q body, long timeoutMillis) {
            return network.call(to, method, RequestOrigin.SERVICE, body, timeoutMillis, this::isAlive);
        }

        @Override
        public <Q extends Message, R extends Message> CompletableFuture<R> callMetadataServer(
                Endpoint to, Method<Q, R> method, Q body, long timeoutMillis) {
            throw new UnsupportedOperationException(String.valueOf(to));
        }

        @Override
        public <Q extends Message, R extends Message> CompletableFuture<R> callBlockServer(
                ServerId to, Method<Q, R> method, Q body) {
            return CompletableFuture.failedFuture(new TatamiException(ErrorCode.UNAVAILABLE, "no block server"));
        }

        @Override
        public ClusterMap map() {
            return ClusterMap.getDefaultInstance();
        }
    }

    private record Served<Q extends Message, R extends Message>(Method<Q, R> method, Flow<Q, R> flow) {
        CompletableFuture<ByteString> run(RequestOrigin origin, ByteString body) {
            return flow.run(origin, SimulatedNetwork.parsed(method.requestParser(), body))
                    .thenApply(Message::toByteString);
        }
    }

    private record Waiting<Q extends Message, R extends Message>(
            Operation<ShardState, Q, R> operation,
            RequestOrigin origin,
            Q request,
            @Nullable Method<?, R> once,
            CompletableFuture<R> reply) {}
}
