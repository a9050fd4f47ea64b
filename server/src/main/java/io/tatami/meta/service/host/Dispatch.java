package io.tatami.meta.service.host;

import com.google.protobuf.Message;
import io.tatami.base.Causes;
import io.tatami.base.Check;
import io.tatami.base.Detail;
import io.tatami.base.ErrorCode;
import io.tatami.base.GroupId;
import io.tatami.base.SessionId;
import io.tatami.base.TatamiException;
import io.tatami.files.CrashPoint;
import io.tatami.meta.gate.SessionProofs;
import io.tatami.meta.service.RequestOrigin;
import io.tatami.meta.service.cluster.ClusterMapHolder;
import io.tatami.meta.service.lead.LeadingGroup;
import io.tatami.meta.service.lead.LeadingGroup.Service;
import io.tatami.meta.service.replicate.HostedGroup;
import io.tatami.meta.service.traffic.ClientTraffic;
import io.tatami.meta.state.Caller;
import io.tatami.protocol.Audience;
import io.tatami.protocol.MetaMethods;
import io.tatami.protocol.Method;
import io.tatami.protocol.wire.Empty;
import io.tatami.protocol.wire.GroupTrafficReply;
import io.tatami.protocol.wire.GroupTrafficRequest;
import io.tatami.rpc.CallContext;
import io.tatami.rpc.Handler;
import io.tatami.rpc.HandlerTable;
import io.tatami.rpc.MapChanges;
import io.tatami.rpc.RequestScope;
import io.tatami.rpc.Responder;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Passes each request to the group that its header names, with the identity of its connection: checks the session's
 * proof, the method's audience, safe mode and disk space, counts what clients ask, looks up the user's groups, and runs
 * the group's flow. Safe for use by many threads.
 */
final class Dispatch implements HostedGroup.Stage {
    private final UserRightsCache callers;
    private final ServiceCredential credential;
    private final SessionProofs sessions;
    private final Admission admission;
    private final HandlerTable table;
    private Supplier<ClientTraffic> traffic = () -> ClientTraffic.NONE;

    /** How a method of a group is served, and who is told of clients' requests. */
    private record Counted<Q extends Message, R extends Message>(
            Service<Q, R> service, ClientTraffic.Counter<Q> counter) {
        static <Q extends Message, R extends Message> Counted<Q, R> of(Service<Q, R> service, ClientTraffic traffic) {
            return new Counted<>(service, traffic.counter(service.method()));
        }
    }

    /** @param leaders who leads a group that does not lead here; {@link Detail#NONE} where that is not known */
    Dispatch(
            UserRightsCache callers,
            ServiceCredential credential,
            SessionProofs sessions,
            ClusterMapHolder maps,
            SpaceGuard space,
            Function<GroupId, Detail> leaders) {
        this.table = new HandlerTable(leaders);
        this.admission = new Admission(maps::map, space);
        this.callers = callers;
        this.credential = credential;
        this.sessions = sessions;
        serveHere(MetaMethods.GET_CLUSTER_MAP, request -> MapChanges.answer(maps.map(), request.getKnown()));
        serveHere(MetaMethods.TAKE_CLUSTER_MAP, request -> {
            maps.offer(request.getMap());
            return Empty.getDefaultInstance();
        });
    }

    /** The handlers of this server. Groups are added and removed as their terms begin and end. */
    HandlerTable table() {
        return table;
    }

    /** Has the requests of clients counted, from the beginning of each term; before the first one. */
    void countedBy(Supplier<ClientTraffic> ofTerm) {
        traffic = ofTerm;
    }

    @Override
    public void open(LeadingGroup group) {
        HandlerTable own = new HandlerTable();
        ClientTraffic ofTerm = traffic.get();
        group.services().forEach(service -> serve(own, Counted.of(service, ofTerm)));
        serve(own, Counted.of(telling(ofTerm), ofTerm));
        table.openGroup(group.id(), own, group.thread());
    }

    @Override
    public void close(GroupId group) {
        table.closeGroup(group);
    }

    /** A method of the server itself, which concerns no group, and is for users or for servers. */
    private <Q extends Message, R extends Message> void serveHere(Method<Q, R> method, Function<Q, R> answer) {
        Check.check(method.audience() != Audience.SUPERUSER, "%s is for a caller whom nobody asked for", method);
        table.on(method, (context, request, responder) -> {
            try {
                admission.check(method, credential.matches(context.credential()));
            } catch (TatamiException e) {
                responder.failure(e);
                return;
            }
            responder.success(answer.apply(request));
        });
    }

    /**
     * A method of the server itself for superusers. Their groups are looked up here, so that it is served also where no
     * group answers.
     */
    <Q extends Message, R extends Message> void serveSuperusers(Method<Q, R> method, Handler<Q, R> handler) {
        Check.check(method.audience() == Audience.SUPERUSER, "%s is not for superusers alone", method);
        table.on(method, (context, request, responder) -> {
            try {
                CompletableFuture<Caller> unused = RequestScope.carried(caller(admitted(method, context), context))
                        .whenComplete((caller, thrown) -> {
                            try {
                                if (thrown != null) {
                                    throw Causes.of(thrown);
                                }
                                Admission.check(method, caller);
                            } catch (TatamiException e) {
                                responder.failure(e);
                                return;
                            }
                            handler.handle(context, request, responder);
                        });
            } catch (TatamiException e) {
                responder.failure(e);
            }
        });
    }

    private static Service<GroupTrafficRequest, GroupTrafficReply> telling(ClientTraffic traffic) {
        return new Service<>(MetaMethods.GROUP_TRAFFIC, (origin, request) -> {
            try {
                return CompletableFuture.completedFuture(traffic.reply());
            } catch (TatamiException e) {
                return CompletableFuture.failedFuture(e);
            }
        });
    }

    private <Q extends Message, R extends Message> void serve(HandlerTable own, Counted<Q, R> counted) {
        own.on(counted.service().method(), (context, request, responder) -> {
            try {
                handle(counted, context, request, responder);
            } catch (TatamiException e) {
                responder.failure(e);
            }
        });
    }

    private <Q extends Message, R extends Message> void handle(
            Counted<Q, R> counted, CallContext context, Q request, Responder<R> responder) throws TatamiException {
        Service<Q, R> service = counted.service();
        Method<Q, R> method = service.method();
        boolean isServer = admitted(method, context);
        if (!isServer) {
            counted.counter().count(context, request);
        }
        CompletableFuture<Caller> caller = caller(isServer, context);
        CompletableFuture<R> reply =
                RequestScope.carried(caller).thenCompose(who -> run(service, origin(context, who), request));
        CompletableFuture<R> answered = reply.whenComplete((answer, thrown) -> {
            if (thrown == null) {
                CrashPoint.hit("meta.reply.before-send", method.name());
                responder.success(answer);
            } else {
                responder.failure(forCaller(Causes.of(thrown)));
            }
        });
        Check.check(!answered.isCancelled(), "the answer to %s was cancelled", method);
    }

    /**
     * Whether a request comes from a server of the cluster; else from a client.
     *
     * @throws TatamiException where it may not be begun at all
     */
    private boolean admitted(Method<?, ?> method, CallContext context) throws TatamiException {
        boolean trusted = credential.matches(context.credential());
        if (!trusted && !context.session().equals(SessionId.NONE)) {
            sessions.require(context.session(), context.user().user(), context.credential());
        }
        admission.check(method, trusted);
        return trusted;
    }

    /** The caller with its rights. */
    private CompletableFuture<Caller> caller(boolean isServer, CallContext context) {
        return isServer
                ? CompletableFuture.completedFuture(RequestOrigin.SERVICE.caller())
                : callers.of(context.user());
    }

    /**
     * The failure as the caller gets it. NOT_LEADER from within a flow concerns a group that the client did not ask, or
     * this group after the request may have begun, so it becomes UNAVAILABLE. The session that holds a lease is for the
     * service only, which has read it by now.
     */
    private static TatamiException forCaller(TatamiException failure) {
        ErrorCode code = failure.code();
        return code == ErrorCode.NOT_LEADER || code == ErrorCode.LEASE_HELD
                ? new TatamiException(
                        code == ErrorCode.NOT_LEADER ? ErrorCode.UNAVAILABLE : code,
                        String.valueOf(failure.getMessage()),
                        failure)
                : failure;
    }

    private static <Q extends Message, R extends Message> CompletableFuture<R> run(
            Service<Q, R> service, RequestOrigin origin, Q request) {
        try {
            Admission.check(service.method(), origin.caller());
        } catch (TatamiException e) {
            return CompletableFuture.failedFuture(e);
        }
        return service.flow().run(origin, request);
    }

    private RequestOrigin origin(CallContext context, Caller caller) {
        return new RequestOrigin(
                caller,
                context.session(),
                context.session().value() == 0 ? 0 : context.number(),
                context.lowWaterMark(),
                context.hasDeadline() ? context.deadlineNanos() : RequestOrigin.NO_DEADLINE,
                admission.mayWriteBesideReads(),
                context.isFirstAttempt());
    }
}
