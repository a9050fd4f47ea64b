package io.tatami.rpc;

import com.google.protobuf.Message;
import io.tatami.base.Check;
import io.tatami.base.Detail;
import io.tatami.base.ErrorCode;
import io.tatami.base.GroupId;
import io.tatami.base.TatamiException;
import io.tatami.protocol.Method;
import io.tatami.protocol.RequestLimits;
import io.tatami.protocol.StreamMethod;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The handlers of a server, by method number. One thread fills it before the server starts; afterwards it is only read.
 * The tables of groups alone come and go while the server runs.
 */
public final class HandlerTable {
    private final Map<Integer, Call<?, ?>> calls = new HashMap<>();
    private final Map<Integer, Stream<?, ?, ?, ?>> streams = new HashMap<>();
    private final Map<GroupId, OpenGroup> groups = new ConcurrentHashMap<>();
    private final Function<GroupId, Detail> leaders;
    private final CallerCheck callers;
    private BooleanSupplier shortOfMemory = () -> false;
    private RequestObserver observer = RequestObserver.NONE;

    /** Of a server that does not know who else has a group, and whose handlers check their callers. */
    public HandlerTable() {
        this(CallerCheck.NONE);
    }

    /**
     * Of a server without groups.
     *
     * @param callers asked before each request that any port of the server takes
     */
    public HandlerTable(CallerCheck callers) {
        this(group -> Detail.NONE, callers);
    }

    /**
     * Of a server whose handlers check their callers.
     *
     * @param leaders tells the leader of a group that is not open here; {@link Detail#NONE} if it is unknown
     */
    public HandlerTable(Function<GroupId, Detail> leaders) {
        this(leaders, CallerCheck.NONE);
    }

    private HandlerTable(Function<GroupId, Detail> leaders, CallerCheck callers) {
        this.leaders = leaders;
        this.callers = callers;
    }

    /** A method and who serves it. */
    public record Call<Q extends Message, R extends Message>(Method<Q, R> method, Handler<Q, R> handler) {}

    /** A method whose requests stay open, and who serves it. */
    public record Stream<Q extends Message, U extends Message, D extends Message, R extends Message>(
            StreamMethod<Q, U, D, R> method, StreamHandler<Q, U, D, R> handler) {}

    private record OpenGroup(HandlerTable table, GroupThread thread) {}

    /**
     * Returns this table. A method number can be given once. The handler sees no request of a caller that is
     * {@linkplain CallerCheck refused}, and none that is above one of the {@linkplain RequestLimits limits}.
     */
    public <Q extends Message, R extends Message> HandlerTable on(Method<Q, R> method, Handler<Q, R> handler) {
        checkFree(method.number());
        calls.put(method.number(), new Call<>(method, (context, request, responder) -> {
            try {
                callers.require(method.name(), method.audience(), context);
                RequestLimits.require(method.name(), request);
            } catch (TatamiException e) {
                responder.failure(e);
                return;
            }
            handler.handle(context, request, responder);
        }));
        return this;
    }

    /** Returns this table. A method number can be given once. The same holds for what opens a stream. */
    public <Q extends Message, U extends Message, D extends Message, R extends Message> HandlerTable onStream(
            StreamMethod<Q, U, D, R> method, StreamHandler<Q, U, D, R> handler) {
        checkFree(method.number());
        streams.put(method.number(), new Stream<>(method, (context, request, stream) -> {
            try {
                callers.require(method.name(), method.audience(), context);
                RequestLimits.require(method.name(), request);
            } catch (TatamiException e) {
                stream.failure(e);
                return new RefusedStream<>();
            }
            return handler.open(context, request, stream);
        }));
        return this;
    }

    /**
     * From now on requests that name {@code group} go to {@code table}, which is complete. From any thread.
     *
     * @param thread on which the group decides
     */
    public void openGroup(GroupId group, HandlerTable table, GroupThread thread) {
        groups.put(group, new OpenGroup(table, thread));
    }

    /** Requests that name {@code group} are refused from now on. From any thread. */
    public void closeGroup(GroupId group) {
        groups.remove(group);
    }

    /**
     * Tells when requests wait for memory. Connections that take nothing of what is sent to them, and so keep it, are
     * closed sooner then.
     *
     * @param waits asked from any thread; must not wait
     */
    public void shortOfMemoryWhen(BooleanSupplier waits) {
        shortOfMemory = waits;
    }

    /** For transports. */
    public boolean isShortOfMemory() {
        return shortOfMemory.getAsBoolean();
    }

    /** Has {@code other} told of each request that is answered from now on; before the server starts. */
    public void observedBy(RequestObserver other) {
        observer = other;
    }

    /** For transports. */
    public RequestObserver observer() {
        return observer;
    }

    /** The thread of a group, or null where it is not open here; for transports. */
    public @Nullable GroupThread thread(GroupId group) {
        OpenGroup open = groups.get(group);
        return open == null ? null : open.thread;
    }

    /**
     * The call with this method number in the table of the group that the request names, or null; for transports.
     *
     * @param group null where the request names none
     * @throws TatamiException NOT_LEADER where this server does not serve the group, whose detail is the server that
     *     does
     */
    public @Nullable Call<?, ?> find(int methodNumber, @Nullable GroupId group) throws TatamiException {
        if (group == null || calls.containsKey(methodNumber)) {
            return calls.get(methodNumber);
        }
        OpenGroup open = groups.get(group);
        if (open == null) {
            throw new TatamiException(ErrorCode.NOT_LEADER, "this server does not lead " + group, leaders.apply(group));
        }
        return open.table.find(methodNumber);
    }

    /** The call with this method number, or null; for transports. */
    public @Nullable Call<?, ?> find(int methodNumber) {
        return calls.get(methodNumber);
    }

    /** The stream with this method number, or null; for transports. */
    public @Nullable Stream<?, ?, ?, ?> findStream(int methodNumber) {
        return streams.get(methodNumber);
    }

    private void checkFree(int number) {
        Check.check(!calls.containsKey(number) && !streams.containsKey(number), "method %d is served twice", number);
    }
}
