package io.tatami.meta.service.lead;

import com.google.protobuf.Message;
import io.tatami.base.Check;
import io.tatami.base.ErrorCode;
import io.tatami.base.GroupId;
import io.tatami.base.TatamiException;
import io.tatami.meta.log.CommitLog;
import io.tatami.meta.op.Operation;
import io.tatami.meta.op.UnsettledException.Question;
import io.tatami.meta.op.cluster.ProveWritable;
import io.tatami.meta.service.BackgroundTask;
import io.tatami.meta.service.Flow;
import io.tatami.meta.service.Group;
import io.tatami.meta.service.GroupFigures;
import io.tatami.meta.service.GroupPart;
import io.tatami.meta.service.GroupTable;
import io.tatami.meta.service.PartContext;
import io.tatami.meta.service.RequestOrigin;
import io.tatami.meta.service.Settler;
import io.tatami.meta.state.Draft;
import io.tatami.meta.state.wire.GroupRecord;
import io.tatami.meta.store.GroupStore;
import io.tatami.protocol.Effect;
import io.tatami.protocol.Method;
import io.tatami.protocol.wire.Empty;
import io.tatami.rpc.GroupThread;
import io.tatami.rpc.RequestScope;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/**
 * A group during one term in which its replica here leads: the group's thread, its handlers and its background tasks.
 * It owns everything that a leader has only in memory; all of it begins and ends with the term. One thread adds the
 * parts before the start; afterwards safe for use by many threads.
 */
public final class LeadingGroup implements PartRegistry, GroupFigures, AutoCloseable {
    private final GroupRecord record;
    private final HostServices parts;
    private final GroupThread thread;
    private final GroupLoop loop;
    private final LogSize logSize;
    private final FlowsInFlight flows = new FlowsInFlight();
    private final Map<Integer, Service<?, ?>> services = new HashMap<>();
    private final Map<Class<?>, Function<Question, CompletableFuture<Void>>> settlers = new HashMap<>();
    private final List<Waker> background = new ArrayList<>();

    /** How one method is served. */
    public record Service<Q extends Message, R extends Message>(Method<Q, R> method, Flow<Q, R> flow) {}

    /** A background task and the kinds of records that end its rest. */
    private record Waker(BackgroundRunner runner, String kinds) {}

    /**
     * @param store of this group, which stays the caller's to close
     * @param log of this term
     */
    public LeadingGroup(GroupRecord record, GroupStore store, CommitLog log, HostServices parts) {
        this.record = record;
        this.parts = parts;
        this.thread = parts.threads().apply("group-" + id());
        this.loop = new GroupLoop(
                id(),
                thread,
                store,
                log,
                parts.clock(),
                parts.peers()::map,
                parts.readers(),
                this::settle,
                this::wakeBackground,
                parts.observer());
        this.logSize = new LogSize(log, parts.clock(), parts.readers());
    }

    public GroupId id() {
        return new GroupId(record.getGroup());
    }

    /** Where this group decides, and where clients who change it are best served. */
    public GroupThread thread() {
        return thread;
    }

    /** What this group serves. */
    public List<Service<?, ?>> services() {
        return List.copyOf(services.values());
    }

    @Override
    public <S> void add(Function<Draft, S> state, GroupPart<S> handlers) throws TatamiException {
        StateGroup<S> group = new StateGroup<>(state);
        handlers.register(
                new Table<>(group),
                new PartContext<>(group, record, parts.peers(), parts.signer(), parts.clock(), parts.settings()));
    }

    @Override
    public GroupFigures figures() {
        return this;
    }

    @Override
    public CompletableFuture<Long> logBytes() {
        return RequestScope.carried(logSize.bytes());
    }

    @Override
    public long changeMicrosP99() {
        return loop.changeMicrosP99();
    }

    /** As {@link #logBytes}, as of the last question, which this one is too; empty where nobody has asked before. */
    public OptionalLong knownLogBytes() {
        return logSize.knownBytes();
    }

    public void start() {
        background.forEach(waker -> waker.runner().wake());
    }

    /**
     * Has the group answer as if one of its own servers asked.
     *
     * @param method that changes nothing
     * @return empty where this group does not serve it
     */
    public <Q extends Message, R extends Message> Optional<CompletableFuture<R>> ask(Method<Q, R> method, Q request) {
        Check.check(method.effect() == Effect.READS, "%s changes something", method);
        Service<?, ?> service = services.get(method.number());
        return service == null ? Optional.empty() : Optional.of(run(method, service, request));
    }

    /** The number is the method's alone, so its flow takes the method's request. */
    @SuppressWarnings("unchecked")
    private static <Q extends Message, R extends Message> CompletableFuture<R> run(
            Method<Q, R> method, Service<?, ?> service, Q request) {
        Check.check(service.method() == method, "%s has the number of %s", service.method(), method);
        return ((Service<Q, R>) service).flow().run(RequestOrigin.SERVICE, request);
    }

    /** Requests that wait for the group's thread. */
    public int queuedRequests() {
        return loop.queuedRequests();
    }

    /** Completes with why nothing is decided here any more, on a thread that must not be held up. */
    public CompletableFuture<TatamiException> stopped() {
        return loop.stopped();
    }

    /** Has the group write to its disk, and so stop where that takes nothing any more. */
    public void proveWritable() {
        CompletableFuture<Empty> unused = new StateGroup<Draft>(draft -> draft)
                .submit(new ProveWritable(), RequestOrigin.SERVICE, Empty.getDefaultInstance());
    }

    private CompletableFuture<Void> settle(Question question) {
        Function<Question, CompletableFuture<Void>> settler = settlers.get(question.getClass());
        return settler == null
                ? CompletableFuture.failedFuture(
                        new TatamiException(ErrorCode.INTERNAL, id() + " has no settler for " + question))
                : settler.apply(question);
    }

    private void wakeBackground(Draft committed) {
        background.forEach(waker -> waker.runner().wakeOn(committed, waker.kinds()));
    }

    /**
     * Background tasks end, what is being committed is answered, and the rest fails with UNAVAILABLE. When this returns
     * no thread of the group's uses the store, and no read does.
     */
    @Override
    public void close() {
        background.forEach(waker -> waker.runner().close());
        loop.close();
    }

    /** The loop, for operations on one type of state. */
    private final class StateGroup<S> implements Group<S> {
        private final Function<Draft, S> state;

        StateGroup(Function<Draft, S> state) {
            this.state = state;
        }

        @Override
        public GroupId id() {
            return LeadingGroup.this.id();
        }

        @Override
        public <Q extends Message, R extends Message> CompletableFuture<R> submit(
                Operation<S, Q, R> operation, RequestOrigin origin, Q request) {
            return submit(new Pending<>(state, operation, origin, request, null));
        }

        @Override
        public <Q extends Message, R extends Message> CompletableFuture<R> submitOnce(
                Method<?, R> method, Operation<S, Q, R> operation, RequestOrigin origin, Q request) {
            return submit(new Pending<>(state, operation, origin, request, method));
        }

        private <R extends Message> CompletableFuture<R> submit(Pending<S, ?, R> pending) {
            loop.submit(pending);
            return pending.future();
        }

        @Override
        public <Q extends Message, R extends Message> CompletableFuture<R> read(
                Operation<S, Q, R> operation, RequestOrigin origin, Q request) {
            Pending<S, Q, R> pending = new Pending<>(state, operation, origin, request, null);
            loop.read(pending);
            return pending.future();
        }
    }

    /** Where a part says what it serves. */
    private final class Table<S> implements GroupTable<S> {
        private final Group<S> group;

        Table(Group<S> group) {
            this.group = group;
        }

        @Override
        public <Q extends Message, R extends Message> GroupTable<S> write(
                Method<Q, R> method, Operation<S, Q, R> operation) {
            GroupTable.requireEffect(method, true);
            return serve(method, (origin, request) -> group.submitOnce(method, operation, origin, request));
        }

        @Override
        public <Q extends Message, R extends Message> GroupTable<S> read(
                Method<Q, R> method, Operation<S, Q, R> operation) {
            GroupTable.requireEffect(method, false);
            return serve(method, (origin, request) -> group.read(operation, origin, request));
        }

        @Override
        public <Q extends Message, R extends Message> GroupTable<S> around(Method<Q, R> method, Flow<Q, R> write) {
            return serve(method, write);
        }

        @Override
        public <Q extends Message, R extends Message> GroupTable<S> flow(Method<Q, R> method, Flow<Q, R> flow) {
            return serve(method, method.idempotent() ? flow : flows.once(loop, method, flow));
        }

        private <Q extends Message, R extends Message> GroupTable<S> serve(Method<Q, R> method, Flow<Q, R> flow) {
            Service<?, ?> before = services.put(method.number(), new Service<>(method, flow));
            Check.check(before == null, "%s is served twice", method);
            return this;
        }

        @Override
        public GroupTable<S> background(String name, String wakingKinds, BackgroundTask task) {
            String fullName = id() + "." + name;
            background.add(new Waker(new BackgroundRunner(fullName, task, parts.timer()), wakingKinds));
            return this;
        }

        @Override
        public <T extends Question> GroupTable<S> settle(Class<T> kind, Settler<T> settler) {
            var before = settlers.put(kind, question -> settler.settle(kind.cast(question)));
            Check.check(before == null, "%s is settled twice", kind.getSimpleName());
            return this;
        }
    }
}
