package io.tatami.meta.service.host;

import com.google.protobuf.ByteString;
import com.google.protobuf.Message;
import io.tatami.base.Clock;
import io.tatami.base.DirectoryId;
import io.tatami.base.SessionId;
import io.tatami.conf.Settings;
import io.tatami.meta.gate.HandleCheck;
import io.tatami.meta.gate.HandleSigner;
import io.tatami.meta.log.LogEntry;
import io.tatami.meta.log.local.LocalLog;
import io.tatami.meta.op.Operation;
import io.tatami.meta.op.file.FileLimits;
import io.tatami.meta.op.write.CreateFile;
import io.tatami.meta.service.RequestOrigin;
import io.tatami.meta.service.lead.GroupLoop;
import io.tatami.meta.service.lead.Pending;
import io.tatami.meta.state.Caller;
import io.tatami.meta.state.Draft;
import io.tatami.meta.state.Keys;
import io.tatami.meta.state.ShardState;
import io.tatami.meta.state.wire.GroupRecord;
import io.tatami.meta.store.GroupStore;
import io.tatami.meta.store.StoreMemory;
import io.tatami.meta.store.StoreSettings;
import io.tatami.protocol.MetaMethods;
import io.tatami.protocol.Method;
import io.tatami.protocol.wire.Attributes;
import io.tatami.protocol.wire.CreateModes;
import io.tatami.protocol.wire.CreateReply;
import io.tatami.protocol.wire.CreateRequest;
import io.tatami.protocol.wire.DirectorySlice;
import io.tatami.protocol.wire.Handle;
import io.tatami.protocol.wire.SignedHandle;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.function.LongFunction;

/**
 * Measures how many requests a second one group makes durable, without a network: submitters that each send the next
 * request when the last one is answered, remembered replies included.
 *
 * <p>Arguments: directory, submitters, seconds, {@code increment} or {@code create}.
 */
public final class LoopThroughput {
    private static final Caller ANN = new Caller("ann", List.of("users"), false);

    private LoopThroughput() {}

    public static void main(String[] arguments) throws Exception {
        Path directory = Path.of(arguments[0]);
        int submitters = Integer.parseInt(arguments[1]);
        long seconds = Long.parseLong(arguments[2]);
        try (StoreMemory memory = new StoreMemory(StoreSettings.from(Settings.defaults()));
                GroupStore store = GroupStore.create(directory.resolve("store"), memory)) {
            Draft format = new Draft(store.liveView());
            format.put(
                    Keys.singleton("group"),
                    GroupRecord.newBuilder().setShards(1).build().toByteArray());
            LocalLog log = LoopHarness.log(directory.resolve("store"), store);
            log.commit(new LogEntry(1, 0, format.changes()));
            try (GroupLoop loop =
                    LoopHarness.loop(store, log, Clock.SYSTEM, question -> CompletableFuture.completedFuture(null))) {
                run(loop, store, new Load(submitters, seconds, arguments[3]));
            }
        }
    }

    private record Load(int submitters, long seconds, String operation) {}

    private static void run(GroupLoop loop, GroupStore store, Load load) throws InterruptedException {
        for (int round = 0; round < 3; round++) {
            AtomicLong done = new AtomicLong();
            long batchesBefore = store.appliedIndex();
            long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(load.seconds());
            CountDownLatch running = new CountDownLatch(load.submitters());
            for (int i = 0; i < load.submitters(); i++) {
                long session = 1 + i + (long) round * load.submitters();
                if (load.operation().equals("create")) {
                    creator(loop, session, done, end, running).next(1);
                } else {
                    Submitter<Draft, DirectorySlice, DirectorySlice> submitter = new Submitter<>(
                            loop, Function.identity(), new Increment(), Increment.METHOD, Increment::of, session);
                    submitter.until(done, end, running).next(1);
                }
            }
            running.await();
            long batches = store.appliedIndex() - batchesBefore;
            System.out.printf(
                    "%s, %d submitters: %d requests/s, %d batches/s, %.1f requests a batch%n",
                    load.operation(),
                    load.submitters(),
                    done.get() / load.seconds(),
                    batches / load.seconds(),
                    (double) done.get() / batches);
        }
    }

    private static Submitter<ShardState, CreateRequest, CreateReply> creator(
            GroupLoop loop, long session, AtomicLong done, long endNanos, CountDownLatch running) {
        HandleSigner signer = new HandleSigner(ByteString.copyFromUtf8("key"));
        SignedHandle handle = signer.sign(Handle.newBuilder()
                .setDirectoryId(100 + session)
                .addAncestorId(DirectoryId.ROOT.value())
                .setVersion(1)
                .setExpiresMillis(Long.MAX_VALUE)
                .setAttributes(Attributes.newBuilder()
                        .setOwner("ann")
                        .setGroup("users")
                        .setMode(0755))
                .setSpread(1)
                .setUser("ann")
                .build());
        CreateRequest template = CreateRequest.newBuilder()
                .setHandle(handle)
                .setModes(CreateModes.newBuilder().setUnmasked(0666).setMasked(0644))
                .setReplication(1)
                .setBlockSize(256L << 20)
                .build();
        return new Submitter<>(
                        loop,
                        ShardState::new,
                        new CreateFile(new HandleCheck(signer), FileLimits.DEFAULT),
                        MetaMethods.CREATE,
                        number -> template.toBuilder()
                                .setName("file-" + session + "-" + number)
                                .build(),
                        session)
                .until(done, endNanos, running);
    }

    /** Sends one request after the other, each from the answer of the one before. */
    private static final class Submitter<S, Q extends Message, R extends Message> {
        private final GroupLoop loop;
        private final Function<Draft, S> state;
        private final Operation<S, Q, R> operation;
        private final Method<?, R> method;
        private final LongFunction<Q> requests;
        private final long session;
        private AtomicLong done = new AtomicLong();
        private long endNanos;
        private CountDownLatch running = new CountDownLatch(0);

        Submitter(
                GroupLoop loop,
                Function<Draft, S> state,
                Operation<S, Q, R> operation,
                Method<?, R> method,
                LongFunction<Q> requests,
                long session) {
            this.loop = loop;
            this.state = state;
            this.operation = operation;
            this.method = method;
            this.requests = requests;
            this.session = session;
        }

        Submitter<S, Q, R> until(AtomicLong counter, long end, CountDownLatch latch) {
            done = counter;
            endNanos = end;
            running = latch;
            return this;
        }

        void next(long number) {
            RequestOrigin origin =
                    new RequestOrigin(ANN, new SessionId(session), number, number - 1, RequestOrigin.NO_DEADLINE);
            Pending<S, Q, R> pending = new Pending<>(state, operation, origin, requests.apply(number), method);
            CompletableFuture<R> unused = pending.future().whenComplete((reply, thrown) -> {
                if (thrown != null) {
                    System.out.println(thrown);
                }
                done.incrementAndGet();
                if (System.nanoTime() < endNanos) {
                    next(number + 1);
                } else {
                    running.countDown();
                }
            });
            loop.submit(pending);
        }
    }
}
