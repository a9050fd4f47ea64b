package io.tatami.rpc.netty.server;

import com.google.protobuf.Message;
import io.tatami.base.Check;
import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.protocol.StreamMethod;
import io.tatami.rpc.CallContext;
import io.tatami.rpc.RequestScope;
import io.tatami.rpc.ServerStream;
import io.tatami.rpc.StreamHandler;
import io.tatami.rpc.StreamReceiver;
import io.tatami.rpc.netty.frame.Frame;
import io.tatami.rpc.netty.shared.ChannelContext;
import io.tatami.rpc.netty.shared.StreamEnd;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The server's side of a stream. */
final class ServerStreamEnd<U extends Message, D extends Message, R extends Message> extends StreamEnd<D>
        implements ServerStream<D, R>, ServerCall.Half {
    private static final Logger LOG = LoggerFactory.getLogger(ServerStreamEnd.class);

    private final StreamMethod<?, U, D, R> method;
    private final ServerCall<R> call;

    /** A message could not be sent, which ended the stream; the handler may answer it before it hears of that. */
    private volatile boolean refused;

    // Owned by the event loop. Null until the handler has returned it.
    private @Nullable StreamReceiver<U> receiver;

    ServerStreamEnd(
            StreamMethod<?, U, D, R> method, ChannelContext link, ServerCalls calls, int callId, CallContext context) {
        super(link);
        this.method = method;
        this.call = new ServerCall<>(calls, callId, method.name(), context, this);
    }

    ServerCall<R> call() {
        return call;
    }

    <Q extends Message> void open(StreamHandler<Q, U, D, R> handler, Q body) {
        receiver = handler.open(call.context(), body, this);
    }

    @Override
    public void success(R reply) {
        answer(reply);
    }

    @Override
    public void failure(TatamiException failure) {
        answer(failure);
    }

    private void answer(Object given) {
        boolean first = call.tryAnswer(given);
        Check.check(first || refused, "a stream was answered twice");
    }

    @Override
    public void writeData(Data data) {
        data.writeAs(call.callId());
    }

    @Override
    public void tooLong(TatamiException failure) {
        refused = true;
        boolean unused = call.tryAnswer(failure);
    }

    @Override
    public void received(Frame frame) throws TatamiException {
        U message = frame.body(method.upParser());
        if (receiver != null && !call.isAnswered()) {
            RequestScope before = RequestScope.enter(call);
            try {
                receiver.onMessage(message, frame.retainPayload());
            } catch (RuntimeException e) {
                failedByBug(e);
            } finally {
                RequestScope.leave(before);
            }
        }
    }

    @Override
    public void cancelled(TatamiException reason) {
        end(reason::again);
        if (receiver != null && !call.isAnswered()) {
            RequestScope before = RequestScope.enter(call);
            try {
                receiver.onCancelled(reason);
            } catch (RuntimeException e) {
                LOG.error("the receiver of {} failed", method, e);
            } finally {
                RequestScope.leave(before);
            }
        }
    }

    /** A receiver that throws has a bug, which must not take the connection with it. */
    private void failedByBug(RuntimeException bug) {
        LOG.error("the receiver of {} failed", method, bug);
        if (!call.isAnswered()) {
            call.failure(new TatamiException(ErrorCode.INTERNAL, method + " failed: " + bug, bug));
        }
    }

    @Override
    public void answered() {
        end(() -> new TatamiException(ErrorCode.CANCELLED, "the stream has already ended with a reply"));
    }
}
