package io.tatami.rpc.sim;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import com.google.protobuf.Parser;
import io.tatami.base.Check;
import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.protocol.Method;
import io.tatami.protocol.StreamMethod;
import io.tatami.protocol.UserIdentity;
import io.tatami.rpc.CallContext;
import io.tatami.rpc.CallOptions;
import io.tatami.rpc.Connection;
import io.tatami.rpc.HandlerTable;
import io.tatami.rpc.Responder;
import io.tatami.rpc.RpcStream;
import io.tatami.rpc.StreamListener;
import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

/** One connection of a {@link SimNetwork}. */
final class SimConnection implements Connection {
    /** Something that ends, at the latest with its connection. */
    interface Pending {
        void fail(TatamiException failure);
    }

    private final SimNetwork network;
    private final SocketAddress from;
    private final SocketAddress to;
    private final UserIdentity user;
    private final Set<Pending> pending = new LinkedHashSet<>();
    private final CompletableFuture<Void> closed = new CompletableFuture<>();
    private final List<Runnable> stalledUp = new ArrayList<>();
    private final List<Runnable> stalledDown = new ArrayList<>();
    private long lastUpNanos;
    private long lastDownNanos;

    SimConnection(SimNetwork network, SocketAddress from, SocketAddress to, UserIdentity user) {
        this.network = network;
        this.from = from;
        this.to = to;
        this.user = user;
    }

    SocketAddress from() {
        return from;
    }

    SimNetwork network() {
        return network;
    }

    @Override
    public SocketAddress peer() {
        return to;
    }

    @Override
    public boolean isSameHost() {
        return false;
    }

    @Override
    public UUID clusterId() {
        return network.clusterId();
    }

    /** It takes any number. */
    @Override
    public boolean isCrowded() {
        return false;
    }

    @Override
    public boolean isOpen() {
        return !closed.isDone();
    }

    @Override
    public CompletableFuture<Void> closed() {
        return closed;
    }

    @Override
    public void close() {
        cut("closed");
    }

    void cut(String why) {
        if (isOpen()) {
            network.forget(this);
            TatamiException lost =
                    new TatamiException(ErrorCode.UNAVAILABLE, "the connection to " + to + " was lost: " + why);
            for (Pending each : new ArrayList<>(pending)) {
                each.fail(lost);
            }
            pending.clear();
            closed.complete(null);
        }
    }

    /** Fails with its time, and with the connection. */
    void begin(Pending each, CallOptions options) {
        if (!isOpen()) {
            each.fail(new TatamiException(ErrorCode.UNAVAILABLE, "the connection to " + to + " is closed"));
            return;
        }
        pending.add(each);
        if (options.timeoutMillis() > 0) {
            network.time().after(TimeUnit.MILLISECONDS.toNanos(options.timeoutMillis()), () -> {
                if (pending.remove(each)) {
                    each.fail(new TatamiException(
                            ErrorCode.DEADLINE_EXCEEDED, "no reply within " + options.timeoutMillis() + " ms"));
                }
            });
        }
    }

    /** True the first time. */
    boolean end(Pending each) {
        return pending.remove(each);
    }

    /** Carries a request or reply, which may get lost or, going up, arrive twice. */
    void carry(boolean up, Runnable arrival) {
        SimNetwork.Fate fate = fate(up);
        long delayNanos = inOrder(up, fate.delayNanos());
        if (!fate.lost()) {
            network.time().after(delayNanos, arrival);
        }
        if (up && fate.againNanos() >= 0) {
            network.time().after(delayNanos + fate.againNanos(), arrival);
        }
        if (fate.cut()) {
            network.time().after(delayNanos, () -> cut("cut by the simulation"));
        }
    }

    /**
     * Carries a message of a stream: in order, once, or the connection is cut. While the way is blocked it waits, with
     * all that follow.
     */
    void carryInStream(boolean up, Runnable arrival) {
        List<Runnable> stalled = up ? stalledUp : stalledDown;
        if (!stalled.isEmpty() || (up ? network.isBlocked(from, to) : network.isBlocked(to, from))) {
            stalled.add(arrival);
            return;
        }
        SimNetwork.Fate fate = fate(up);
        boolean cut = fate.lost() || fate.cut();
        network.time().after(inOrder(up, fate.delayNanos()), () -> {
            if (cut) {
                cut("cut by the simulation");
            } else if (isOpen()) {
                arrival.run();
            }
        });
    }

    /** The ways are not blocked any more: what waited goes on. */
    void resume() {
        List<Runnable> up = List.copyOf(stalledUp);
        List<Runnable> down = List.copyOf(stalledDown);
        stalledUp.clear();
        stalledDown.clear();
        up.forEach(arrival -> carryInStream(true, arrival));
        down.forEach(arrival -> carryInStream(false, arrival));
    }

    @Override
    public <Q extends Message, R extends Message> CompletableFuture<R> call(
            Method<Q, R> method, CallOptions options, Q body) {
        CompletableFuture<R> future = new CompletableFuture<>();
        Pending call = future::completeExceptionally;
        begin(call, options);
        byte[] bytes = body.toByteArray();
        long deadlineNanos = network.time().monotonicNanos() + TimeUnit.MILLISECONDS.toNanos(options.timeoutMillis());
        CallContext context = context(options, deadlineNanos);
        if (!future.isDone()) {
            carry(true, () -> arrive(method.number(), context, bytes, new Answers<>(method, call, future)));
        }
        return future;
    }

    @Override
    public <Q extends Message, R extends Message> R callAndWait(Method<Q, R> method, CallOptions options, Q body)
            throws TatamiException {
        CompletableFuture<R> future = call(method, options, body);
        Check.check(network.time().await(future::isDone), "%s waits for what will never happen", method);
        try {
            return future.get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new TatamiException(ErrorCode.CANCELLED, "interrupted", e);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof TatamiException known) {
                throw known;
            }
            throw new IllegalStateException(e);
        }
    }

    @Override
    public <Q extends Message, U extends Message, D extends Message, R extends Message> RpcStream<U> openStream(
            StreamMethod<Q, U, D, R> method, CallOptions options, Q body, StreamListener<D, R> listener) {
        SimStream<U, D, R> stream = new SimStream<>(this, method, listener);
        begin(stream, options);
        byte[] bytes = body.toByteArray();
        long deadlineNanos = network.time().monotonicNanos() + TimeUnit.MILLISECONDS.toNanos(options.timeoutMillis());
        CallContext context = context(options, deadlineNanos);
        carryInStream(true, () -> stream.arrive(network.server(to), context, bytes));
        return stream;
    }

    static <M extends Message> M parsed(Parser<M> parser, byte[] bytes) {
        try {
            return parser.parseFrom(bytes);
        } catch (InvalidProtocolBufferException e) {
            throw new IllegalStateException("a message was encoded that cannot be parsed", e);
        }
    }

    /** What comes back to a call; each arrival of its request may answer, and the first answer counts. */
    private final class Answers<R extends Message> {
        private final Method<?, R> method;
        private final Pending call;
        private final CompletableFuture<R> future;

        Answers(Method<?, R> method, Pending call, CompletableFuture<R> future) {
            this.method = method;
            this.call = call;
            this.future = future;
        }

        void success(byte[] reply) {
            if (end(call)) {
                future.complete(parsed(method.replyParser(), reply));
            }
        }

        void failure(TatamiException failure) {
            if (end(call)) {
                future.completeExceptionally(failure);
            }
        }
    }

    /** A request comes to the server, if it is still that server's process. */
    private void arrive(int methodNumber, CallContext context, byte[] bytes, Answers<?> answers) {
        HandlerTable server = network.server(to);
        if (server == null) {
            cut("nobody serves " + to);
            return;
        }
        HandlerTable.Call<?, ?> served = server.find(methodNumber);
        if (served == null) {
            carry(
                    false,
                    () -> answers.failure(
                            new TatamiException(ErrorCode.UNSUPPORTED, to + " does not serve method " + methodNumber)));
        } else if (context.isExpired(network.time())) {
            carry(
                    false,
                    () -> answers.failure(new TatamiException(
                            ErrorCode.DEADLINE_EXCEEDED, "the deadline of the request passed before it was started")));
        } else {
            handle(server, served, context, bytes, answers);
        }
    }

    private <Q extends Message, R extends Message> void handle(
            HandlerTable server,
            HandlerTable.Call<Q, R> served,
            CallContext context,
            byte[] bytes,
            Answers<?> answers) {
        served.handler().handle(context, parsed(served.method().requestParser(), bytes), new Responder<R>() {
            private boolean answered;

            @Override
            public void success(R reply) {
                byte[] encoded = reply.toByteArray();
                answer(() -> answers.success(encoded));
            }

            @Override
            public void failure(TatamiException failure) {
                answer(() -> answers.failure(failure));
            }

            private void answer(Runnable arrival) {
                Check.check(!answered, "%s was answered twice", served.method());
                answered = true;
                // A process that has ended sends nothing, whatever its objects still do.
                if (Objects.equals(network.server(to), server)) {
                    carry(false, arrival);
                }
            }
        });
    }

    private CallContext context(CallOptions options, long deadlineNanos) {
        return new CallContext(
                new CallContext.Peer(from, from.toString(), from.equals(to), from.toString()),
                user,
                options,
                deadlineNanos);
    }

    private SimNetwork.Fate fate(boolean up) {
        return up ? network.fate(from, to) : network.fate(to, from);
    }

    /** The delay that keeps a message behind the one before it. */
    private long inOrder(boolean up, long delayNanos) {
        long now = network.time().monotonicNanos();
        long arrival = Math.max(now + delayNanos, up ? lastUpNanos : lastDownNanos);
        if (up) {
            lastUpNanos = arrival;
        } else {
            lastDownNanos = arrival;
        }
        return arrival - now;
    }
}
