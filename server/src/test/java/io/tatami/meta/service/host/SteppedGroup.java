package io.tatami.meta.service.host;

import com.google.protobuf.Message;
import io.tatami.base.Causes;
import io.tatami.base.Check;
import io.tatami.base.Clock;
import io.tatami.base.ErrorCode;
import io.tatami.base.GroupId;
import io.tatami.base.TatamiException;
import io.tatami.conf.Settings;
import io.tatami.meta.gate.HandleSigner;
import io.tatami.meta.op.Operation;
import io.tatami.meta.op.UnsettledException.Question;
import io.tatami.meta.service.BackgroundTask;
import io.tatami.meta.service.Flow;
import io.tatami.meta.service.Group;
import io.tatami.meta.service.GroupFigures;
import io.tatami.meta.service.GroupPart;
import io.tatami.meta.service.GroupPeers;
import io.tatami.meta.service.GroupStoppedException;
import io.tatami.meta.service.GroupTable;
import io.tatami.meta.service.PartContext;
import io.tatami.meta.service.RequestOrigin;
import io.tatami.meta.service.Settler;
import io.tatami.meta.service.lead.BackgroundRunner;
import io.tatami.meta.service.lead.Batch;
import io.tatami.meta.service.lead.GroupLoop;
import io.tatami.meta.service.lead.PartRegistry;
import io.tatami.meta.service.lead.Pending;
import io.tatami.meta.service.lead.RecentRecords;
import io.tatami.meta.service.lead.ReplyMemory;
import io.tatami.meta.service.lead.SnapshotReads;
import io.tatami.meta.service.lead.VolatileRecords;
import io.tatami.meta.service.replicate.HostedGroup;
import io.tatami.meta.state.Draft;
import io.tatami.meta.state.MemoryView;
import io.tatami.meta.state.wire.GroupRecord;
import io.tatami.protocol.Method;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A group that does what {@link HostedGroup} and {@link GroupLoop} do, one step at a time on the thread of a
 * simulation: requests are decided as they arrive, while the batch before is made durable, by the same {@link Pending},
 * {@link Batch} and {@link ReplyMemory}. The store is in memory; what was not committed when the group
 * {@linkplain #crash crashes} is gone with everything that the group's parts kept in memory, and a new object over the
 * same store is its next start.
 */
public final class SteppedGroup implements PartRegistry {
    private final MemoryView store;
    private final GroupRecord record;
    private final GroupPeers peers;
    private final HandleSigner signer;
    private final Settings settings;
    private final SteppedWork steps;
    private final Clock clock;
    private final GroupId id;
    private final ReplyMemory memory;
    private final RecentRecords recent;
    private final VolatileRecords volatiles = new VolatileRecords();
    private final SteppedTimer timer;
    private final Map<Integer, Served<?, ?>> served = new HashMap<>();
    private final Map<Class<?>, Function<Question, CompletableFuture<Void>>> settlers = new HashMap<>();
    private final List<Waker> background = new ArrayList<>();

    /** Requests that are decided and not durable, each with what it did. */
    private final Map<Pending<?, ?, ?>, SteppedWork.Decided> effects = new HashMap<>();

    private final SteppedFlows flows;
    private List<Pending<?, ?, ?>> arrived = new ArrayList<>();
    private long logMillis;
    private boolean deciding;
    private boolean committing;
    private boolean crashed;
    private @Nullable TatamiException stopped;

    private record Waker(BackgroundRunner runner, String kinds) {}

    private record Served<Q extends Message, R extends Message>(Method<Q, R> method, Flow<Q, R> flow) {}

    /** @param store what is durable */
    public SteppedGroup(
            MemoryView store,
            GroupRecord record,
            GroupPeers peers,
            HandleSigner signer,
            Clock clock,
            Settings settings,
            SteppedWork steps) {
        this.store = store;
        this.record = record;
        this.peers = peers;
        this.signer = signer;
        this.clock = clock;
        this.settings = settings;
        this.steps = steps;
        this.id = new GroupId(record.getGroup());
        this.memory = new ReplyMemory(store, clock);
        this.recent = new RecentRecords();
        this.timer = new SteppedTimer(this::later);
        this.flows = new SteppedFlows(this, store, memory);
    }

    public GroupId id() {
        return id;
    }

    /** All that a shard is made of. */
    public void addShardParts() throws TatamiException {
        ShardPartList.addTo(this);
    }

    @Override
    public <S> void add(Function<Draft, S> state, GroupPart<S> handlers) throws TatamiException {
        StateGroup<S> group = new StateGroup<>(state);
        handlers.register(new Table<>(group), new PartContext<>(group, record, peers, signer, clock, settings));
    }

    @Override
    public GroupFigures figures() {
        return GroupFigures.NONE;
    }

    public void start() {
        background.forEach(waker -> waker.runner().wake());
    }

    /** Nothing that was begun goes on. */
    public void crash() {
        crashed = true;
    }

    public boolean isCrashed() {
        return crashed;
    }

    /** As a server does with a request from the network. */
    public CompletableFuture<? extends Message> serve(Method<?, ?> method, RequestOrigin origin, Message request) {
        Served<?, ?> service = served.get(method.number());
        Check.check(service != null, "%s does not serve %s", id, method);
        return serve(service, origin, request);
    }

    private static <Q extends Message, R extends Message> CompletableFuture<R> serve(
            @Nullable Served<Q, R> service, RequestOrigin origin, Message request) {
        if (service == null) {
            throw new IllegalStateException("nothing is served");
        }
        try {
            return service.flow().run(origin, service.method().requestParser().parseFrom(request.toByteString()));
        } catch (com.google.protobuf.InvalidProtocolBufferException e) {
            throw new IllegalStateException(e);
        }
    }

    private void later(long delayMillis, Runnable action) {
        steps.later(this, delayMillis, action);
    }

    // ------------------------------------------------------------------------------------------ the loop

    void enqueue(Pending<?, ?, ?> pending) {
        if (crashed) {
            return;
        }
        if (stopped != null) {
            pending.fail(stopped);
            return;
        }
        arrived.add(pending);
        decideSoon();
    }

    private void decideSoon() {
        if (!deciding && !committing) {
            deciding = true;
            later(steps.decisionMillis(), this::decideArrived);
        }
    }

    private void decideArrived() {
        deciding = false;
        if (crashed || stopped != null) {
            return;
        }
        List<Pending<?, ?, ?>> work = arrived;
        arrived = new ArrayList<>();
        Batch batch = Batch.next(store, recent, volatiles, logMillis, clock.wallMillis());
        logMillis = batch.logMillis();
        for (Pending<?, ?, ?> pending : work) {
            if (pending.origin().isExpired(clock.monotonicNanos())) {
                pending.refuse(SnapshotReads.expired());
            } else {
                pending.decide(batch, peers.map(), memory);
            }
        }
        memory.writeTo(batch.end(), batch.logMillis());
        committing = true;
        later(batch.draft().isEmpty() ? 0 : steps.commitMillis(), () -> commit(batch, work));
    }

    private void commit(Batch batch, List<Pending<?, ?, ?>> work) {
        if (!batch.draft().isEmpty()) {
            for (Pending<?, ?, ?> pending : work) {
                SteppedWork.Decided decided = effects.get(pending);
                if (decided != null) {
                    steps.decided(this, decided.operation());
                }
            }
            if (crashed) {
                return;
            }
            SteppedWork.Write write = steps.write();
            if (write != SteppedWork.Write.DURABLE) {
                stop(batch, work, write == SteppedWork.Write.WRITTEN_AND_FAILED);
                return;
            }
            store.apply(batch.draft());
        }
        steps.committed(this, takeEffects(work));
        if (crashed) {
            return;
        }
        wakeBackground(batch.draft());
        committing = false;
        for (Pending<?, ?, ?> pending : work) {
            if (!crashed) {
                conclude(pending, this::enqueue);
            }
        }
        if (!arrived.isEmpty()) {
            decideSoon();
        }
    }

    /** What the requests of a batch did, in the order of the decisions, without those that were refused. */
    private List<SteppedWork.Decided> takeEffects(List<Pending<?, ?, ?>> work) {
        List<SteppedWork.Decided> taken = new ArrayList<>();
        for (Pending<?, ?, ?> pending : work) {
            SteppedWork.Decided decided = effects.remove(pending);
            if (decided != null) {
                taken.add(decided);
            }
        }
        return taken;
    }

    /** As {@link GroupLoop} does on a commit that failed. */
    private void stop(Batch batch, List<Pending<?, ?, ?>> work, boolean written) {
        String message = id + " has stopped: its log failed";
        TatamiException failure = steps.meddling().answersAfterFailure()
                ? new TatamiException(ErrorCode.UNAVAILABLE, message)
                : new GroupStoppedException(id, message);
        stopped = failure;
        List<SteppedWork.Decided> decided = takeEffects(work);
        if (written) {
            decided.forEach(each -> steps.written(this, each));
        }
        steps.stopped(this, written ? Optional.of(batch.draft()) : Optional.empty());
        work.forEach(pending -> pending.fail(failure));
        arrived.forEach(pending -> pending.fail(failure));
        arrived = new ArrayList<>();
    }

    /** Why reads are refused; null where they are not. */
    @Nullable
    TatamiException refusal() {
        return steps.meddling().answersAfterFailure() ? null : stopped;
    }

    private void read(Pending<?, ?, ?> pending) {
        TatamiException refusal = refusal();
        if (refusal != null) {
            pending.fail(refusal);
            return;
        }
        later(steps.decisionMillis(), () -> {
            if (pending.origin().isExpired(clock.monotonicNanos())) {
                pending.fail(SnapshotReads.expired());
                return;
            }
            Batch alone = Batch.ofRead(store, volatiles, logMillis, clock.wallMillis());
            pending.decide(alone, peers.map(), memory);
            alone.requireUnchanged();
            effects.remove(pending);
            conclude(pending, this::read);
        });
    }

    private void conclude(Pending<?, ?, ?> pending, Consumer<Pending<?, ?, ?>> again) {
        Question question = pending.question();
        if (question == null) {
            pending.answer();
            return;
        }
        Function<Question, CompletableFuture<Void>> settler = settlers.get(question.getClass());
        Check.check(settler != null, "nobody settles %s", question);
        var unused = apply(settler, question).whenComplete((done, thrown) -> {
            if (crashed) {
                return;
            }
            if (thrown != null) {
                pending.fail(causeOf(thrown));
            } else if (pending.settled(question)) {
                again.accept(pending);
            } else {
                pending.fail(new TatamiException(
                        ErrorCode.BUSY, "other requests are changing the same entry; send this one again"));
            }
        });
    }

    private static CompletableFuture<Void> apply(
            @Nullable Function<Question, CompletableFuture<Void>> settler, Question question) {
        return settler == null ? new CompletableFuture<>() : settler.apply(question);
    }

    TatamiException causeOf(Throwable thrown) {
        TatamiException cause = Causes.of(thrown);
        if (cause.code() == ErrorCode.INTERNAL) {
            steps.bug(thrown);
        }
        return cause;
    }

    private void wakeBackground(Draft committed) {
        background.forEach(waker -> waker.runner().wakeOn(committed, waker.kinds()));
    }

    // ------------------------------------------------------------------------------------------ for parts

    /** The loop, for operations on one type of state. */
    private final class StateGroup<S> implements Group<S> {
        private final Function<Draft, S> state;

        StateGroup(Function<Draft, S> state) {
            this.state = state;
        }

        @Override
        public GroupId id() {
            return id;
        }

        @Override
        public <Q extends Message, R extends Message> CompletableFuture<R> submit(
                Operation<S, Q, R> operation, RequestOrigin origin, Q request) {
            return enqueued(operation, origin, request, null);
        }

        @Override
        public <Q extends Message, R extends Message> CompletableFuture<R> submitOnce(
                Method<?, R> method, Operation<S, Q, R> operation, RequestOrigin origin, Q request) {
            return enqueued(operation, origin, request, method);
        }

        @Override
        public <Q extends Message, R extends Message> CompletableFuture<R> read(
                Operation<S, Q, R> operation, RequestOrigin origin, Q request) {
            Pending<Draft, Q, R> pending = pending(operation, origin, request, null);
            SteppedGroup.this.read(pending);
            return pending.future();
        }

        private <Q extends Message, R extends Message> CompletableFuture<R> enqueued(
                Operation<S, Q, R> operation, RequestOrigin origin, Q request, @Nullable Method<?, R> once) {
            Pending<Draft, Q, R> pending = pending(operation, origin, request, once);
            var unused = pending.future().whenComplete((reply, thrown) -> {
                if (thrown == null) {
                    steps.answered(SteppedGroup.this, operation);
                }
            });
            enqueue(pending);
            return pending.future();
        }

        /** Notes what the operation did as long as it is not durable. */
        private <Q extends Message, R extends Message> Pending<Draft, Q, R> pending(
                Operation<S, Q, R> operation, RequestOrigin origin, Q request, @Nullable Method<?, R> once) {
            List<Pending<Draft, Q, R>> self = new ArrayList<>(1);
            Operation<Draft, Q, R> noted = (records, context, same) -> {
                try {
                    Draft draft = steps.meddling().drops(operation) ? new Draft(records) : records;
                    steps.meddling().before(operation, draft, same);
                    R reply = operation.decide(state.apply(draft), context, same);
                    steps.meddling().after(operation, draft, same, reply);
                    boolean remembered = once != null && origin.isRemembered() && !records.isVolatile();
                    effects.put(self.get(0), new SteppedWork.Decided(operation, origin, remembered, same, reply));
                    return reply;
                } catch (RuntimeException e) {
                    steps.bug(e);
                    throw e;
                }
            };
            self.add(new Pending<>(draft -> draft, noted, origin, request, once));
            return self.get(0);
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
            return put(method, (origin, request) -> group.submitOnce(method, operation, origin, request));
        }

        @Override
        public <Q extends Message, R extends Message> GroupTable<S> read(
                Method<Q, R> method, Operation<S, Q, R> operation) {
            GroupTable.requireEffect(method, false);
            return put(method, (origin, request) -> group.read(operation, origin, request));
        }

        @Override
        public <Q extends Message, R extends Message> GroupTable<S> around(Method<Q, R> method, Flow<Q, R> write) {
            return put(method, write);
        }

        @Override
        public <Q extends Message, R extends Message> GroupTable<S> flow(Method<Q, R> method, Flow<Q, R> flow) {
            return put(method, method.idempotent() ? flow : flows.once(method, flow));
        }

        private <Q extends Message, R extends Message> GroupTable<S> put(Method<Q, R> method, Flow<Q, R> flow) {
            served.put(method.number(), new Served<>(method, flow));
            return this;
        }

        @Override
        public GroupTable<S> background(String name, String wakingKinds, BackgroundTask task) {
            background.add(new Waker(new BackgroundRunner(id + "." + name, task, timer), wakingKinds));
            return this;
        }

        @Override
        public <T extends Question> GroupTable<S> settle(Class<T> kind, Settler<T> settler) {
            settlers.put(kind, question -> settler.settle(kind.cast(question)));
            return this;
        }
    }
}
