package io.tatami.meta.service.tree;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import com.google.protobuf.Parser;
import io.tatami.base.ErrorCode;
import io.tatami.base.GroupId;
import io.tatami.base.TatamiException;
import io.tatami.meta.op.Operation;
import io.tatami.meta.op.UnsettledException;
import io.tatami.meta.op.UnsettledException.MarkerInDoubt;
import io.tatami.meta.op.UnsettledException.Question;
import io.tatami.meta.service.BackgroundTask;
import io.tatami.meta.service.Flow;
import io.tatami.meta.service.Group;
import io.tatami.meta.service.GroupTable;
import io.tatami.meta.service.RequestOrigin;
import io.tatami.meta.service.Settler;
import io.tatami.meta.state.Draft;
import io.tatami.meta.state.MemoryView;
import io.tatami.meta.state.RequestContext;
import io.tatami.meta.state.TreeVersion;
import io.tatami.protocol.Method;
import io.tatami.protocol.wire.ClusterMap;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Function;

/** A group whose batches have one request each and are durable at once. Decides under the lock of its store. */
final class MemoryGroup<S> implements Group<S>, GroupTable<S> {
    private final GroupId id;
    private final MemoryView store;
    private final Function<Draft, S> stateOver;
    private final Map<Integer, Served<?, ?>> flows = new HashMap<>();
    private volatile Consumer<Operation<?, ?, ?>> readers = operation -> {};
    private final List<BackgroundTask> tasks = new ArrayList<>();
    private final Map<List<Long>, ByteString> remembered = new ConcurrentHashMap<>();
    private final Map<Class<?>, Settler<Question>> settlers = new HashMap<>();
    private long nowMillis = 1_000;

    /** Requests that changed something, or whose replies are remembered: what a log has to hold. */
    private final AtomicLong logged = new AtomicLong();

    MemoryGroup(GroupId id, MemoryView store, Function<Draft, S> stateOver) {
        this.id = id;
        this.store = store;
        this.stateOver = stateOver;
    }

    @Override
    public GroupId id() {
        return id;
    }

    /** Has {@code reader} called after each read is decided, and before anybody has the answer. */
    void afterReads(Consumer<Operation<?, ?, ?>> reader) {
        readers = reader;
    }

    long logged() {
        return logged.get();
    }

    List<BackgroundTask> tasks() {
        return tasks;
    }

    /** A method with who serves it. */
    private record Served<Q extends Message, R extends Message>(Method<Q, R> method, Flow<Q, R> flow) {
        CompletableFuture<ByteString> run(RequestOrigin origin, ByteString request) {
            return flow.run(origin, parsed(method.requestParser(), request)).thenApply(Message::toByteString);
        }
    }

    /** A request as it comes from the wire, and its reply as it goes there. */
    CompletableFuture<ByteString> serve(RequestOrigin origin, int method, ByteString request) {
        Served<?, ?> served = flows.get(method);
        return served == null
                ? Failures.failed(ErrorCode.UNSUPPORTED, id + " does not serve method " + method)
                : served.run(origin, request);
    }

    static <T> T parsed(Parser<T> parser, ByteString bytes) {
        try {
            return parser.parseFrom(bytes);
        } catch (InvalidProtocolBufferException e) {
            throw new IllegalStateException("a message cannot be parsed", e);
        }
    }

    @Override
    public <Q extends Message, R extends Message> CompletableFuture<R> submit(
            Operation<S, Q, R> operation, RequestOrigin origin, Q request) {
        return decide(operation, origin, request, Set.of());
    }

    @Override
    public <Q extends Message, R extends Message> CompletableFuture<R> submitOnce(
            Method<?, R> method, Operation<S, Q, R> operation, RequestOrigin origin, Q request) {
        if (!origin.isRemembered()) {
            return submit(operation, origin, request);
        }
        List<Long> key = List.of(origin.session().value(), origin.number());
        ByteString before = remembered.get(key);
        return before != null
                ? CompletableFuture.completedFuture(parsed(method.replyParser(), before))
                : submit(operation, origin, request).whenComplete((reply, failure) -> {
                    if (reply != null) {
                        logged.incrementAndGet();
                        remembered.put(key, reply.toByteString());
                    }
                });
    }

    @Override
    public <Q extends Message, R extends Message> CompletableFuture<R> read(
            Operation<S, Q, R> operation, RequestOrigin origin, Q request) {
        CompletableFuture<R> reply = submit(operation, origin, request);
        readers.accept(operation);
        return reply;
    }

    @Override
    public <Q extends Message, R extends Message> GroupTable<S> write(
            Method<Q, R> method, Operation<S, Q, R> operation) {
        return flow(method, (origin, request) -> submitOnce(method, operation, origin, request));
    }

    @Override
    public <Q extends Message, R extends Message> GroupTable<S> read(
            Method<Q, R> method, Operation<S, Q, R> operation) {
        return flow(method, (origin, request) -> read(operation, origin, request));
    }

    @Override
    public <Q extends Message, R extends Message> GroupTable<S> flow(Method<Q, R> method, Flow<Q, R> flow) {
        flows.put(method.number(), new Served<>(method, flow));
        return this;
    }

    @Override
    public GroupTable<S> background(String name, String wakingKinds, BackgroundTask task) {
        tasks.add(task);
        return this;
    }

    @Override
    public <T extends Question> GroupTable<S> settle(Class<T> kind, Settler<T> added) {
        settlers.put(kind, question -> added.settle(kind.cast(question)));
        return this;
    }

    private <Q extends Message, R extends Message> CompletableFuture<R> decide(
            Operation<S, Q, R> operation, RequestOrigin origin, Q request, Set<TreeVersion> settled) {
        Question doubt;
        synchronized (store) {
            Draft draft = new Draft(store);
            RequestContext context = new RequestContext(
                    origin.caller(), origin.session(), nowMillis++, settled, ClusterMap.getDefaultInstance());
            try {
                R reply = operation.decide(stateOver.apply(draft), context, request);
                store.apply(draft);
                logged.addAndGet(draft.isEmpty() ? 0 : 1);
                return CompletableFuture.completedFuture(reply);
            } catch (TatamiException e) {
                return CompletableFuture.failedFuture(e);
            } catch (UnsettledException e) {
                doubt = e.question();
            }
        }
        Settler<Question> settles = settlers.get(doubt.getClass());
        if (settles == null) {
            return Failures.failed(ErrorCode.INTERNAL, "nobody settles " + doubt);
        }
        Set<TreeVersion> more = new HashSet<>(settled);
        if (doubt instanceof MarkerInDoubt marker) {
            more.add(marker.version());
        }
        return settles.settle(doubt).thenCompose(done -> decide(operation, origin, request, more));
    }
}
