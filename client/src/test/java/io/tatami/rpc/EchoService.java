package io.tatami.rpc;

import com.google.protobuf.ByteString;
import com.google.protobuf.BytesValue;
import com.google.protobuf.Int64Value;
import com.google.protobuf.StringValue;
import io.netty.buffer.ByteBuf;
import io.tatami.base.Detail;
import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.protocol.Audience;
import io.tatami.protocol.Effect;
import io.tatami.protocol.Method;
import io.tatami.protocol.StreamMethod;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.LongAdder;

/** Methods of several temperaments, for tests of transports. Safe for use by many threads. */
public final class EchoService {
    public static final Method<StringValue, StringValue> ECHO =
            Method.idempotent(1, "echo", Audience.USERS, Effect.WRITES, StringValue.parser(), StringValue.parser());
    public static final Method<StringValue, StringValue> FAIL =
            Method.idempotent(2, "fail", Audience.USERS, Effect.WRITES, StringValue.parser(), StringValue.parser());

    /** Answered only when {@link #answerParked} is called. */
    public static final Method<StringValue, StringValue> PARK =
            Method.once(3, "park", Audience.USERS, Effect.WRITES, StringValue.parser(), StringValue.parser());

    public static final Method<StringValue, StringValue> THROW =
            Method.idempotent(4, "throw", Audience.USERS, Effect.WRITES, StringValue.parser(), StringValue.parser());
    public static final Method<StringValue, BytesValue> LARGE =
            Method.idempotent(5, "large", Audience.USERS, Effect.WRITES, StringValue.parser(), BytesValue.parser());
    public static final Method<StringValue, StringValue> UNSERVED =
            Method.idempotent(6, "unserved", Audience.USERS, Effect.WRITES, StringValue.parser(), StringValue.parser());

    /** Sends every message back, with its payload; the message "end" is answered with the count of payload bytes. */
    public static final StreamMethod<StringValue, StringValue, StringValue, Int64Value> MIRROR = new StreamMethod<>(
            7,
            "mirror",
            Audience.USERS,
            Effect.READS,
            StringValue.parser(),
            StringValue.parser(),
            StringValue.parser(),
            Int64Value.parser());

    public final ConcurrentLinkedQueue<Responder<StringValue>> parked = new ConcurrentLinkedQueue<>();
    public final ConcurrentLinkedQueue<CallContext> contexts = new ConcurrentLinkedQueue<>();
    public final CompletableFuture<TatamiException> cancelled = new CompletableFuture<>();
    public final LongAdder handled = new LongAdder();

    /** A table that serves all but {@link #UNSERVED}. */
    public HandlerTable handlers() {
        return new HandlerTable()
                .on(ECHO, (context, body, responder) -> {
                    handled.increment();
                    responder.success(body);
                })
                .on(
                        FAIL,
                        (context, body, responder) -> responder.failure(new TatamiException(
                                ErrorCode.NOT_LEADER, body.getValue(), new Detail.Leader("host", 1))))
                .on(PARK, (context, body, responder) -> {
                    contexts.add(context);
                    parked.add(responder);
                })
                .on(THROW, (context, body, responder) -> {
                    throw new IllegalStateException("thrown on purpose");
                })
                .on(
                        LARGE,
                        (context, body, responder) -> responder.success(
                                BytesValue.of(ByteString.copyFrom(new byte[Integer.parseInt(body.getValue())]))))
                .onStream(MIRROR, Mirror::new);
    }

    /** Answers all that is parked, from the calling thread; the number of them. */
    public int answerParked(String answer) {
        int count = 0;
        Responder<StringValue> responder = parked.poll();
        while (responder != null) {
            responder.success(StringValue.of(answer));
            count++;
            responder = parked.poll();
        }
        return count;
    }

    private final class Mirror implements StreamReceiver<StringValue> {
        private final ServerStream<StringValue, Int64Value> stream;
        private long payloadBytes;

        Mirror(CallContext context, StringValue body, ServerStream<StringValue, Int64Value> stream) {
            this.stream = stream;
            contexts.add(context);
        }

        @Override
        public void onMessage(StringValue message, ByteBuf payload) {
            if (message.getValue().equals("end")) {
                payload.release();
                stream.success(Int64Value.of(payloadBytes));
                return;
            }
            if (message.getValue().equals("throw")) {
                payload.release();
                throw new IllegalStateException("thrown on purpose");
            }
            payloadBytes += payload.readableBytes();
            stream.sendAndRelease(message, payload);
        }

        @Override
        public void onCancelled(TatamiException reason) {
            cancelled.complete(reason);
        }
    }
}
