package io.tatami.meta.service.sim;

import com.google.protobuf.Message;
import io.tatami.base.DirectoryId;
import io.tatami.base.ErrorCode;
import io.tatami.base.GroupId;
import io.tatami.base.SessionId;
import io.tatami.base.TatamiException;
import io.tatami.meta.service.RequestOrigin;
import io.tatami.meta.state.Caller;
import io.tatami.protocol.MetaMethods;
import io.tatami.protocol.Method;
import io.tatami.protocol.Placement;
import io.tatami.protocol.wire.Handle;
import io.tatami.protocol.wire.ResolveRequest;
import io.tatami.protocol.wire.SignedHandle;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/**
 * How a client talks to the groups: requests under the numbers of a session, sent again until they are answered,
 * through handles that are kept until they are refused. Dies at any moment, and does nothing from then on.
 */
final class SimSession {
    /** After which a request is given up; what came of it nobody knows. */
    private static final long GIVE_UP_MILLIS = 60_000;

    private static final long ATTEMPT_MILLIS = 5_000;
    private static final int RESOLVES_MAX = 12;
    private static final Caller ROOT = new Caller("root", List.of("supergroup"), true);

    private final SimWorld world;
    private final SimulatedCluster cluster;
    private final Ledger ledger;
    private final long session;
    private final Map<String, SignedHandle> handles = new HashMap<>();
    private long number;
    private boolean dead;

    SimSession(SimWorld world, SimulatedCluster cluster, Ledger ledger, long session) {
        this.world = world;
        this.cluster = cluster;
        this.ledger = ledger;
        this.session = session;
    }

    long id() {
        return session;
    }

    void die() {
        dead = true;
    }

    boolean isDead() {
        return dead;
    }

    /** A request that is done once, under a number of its own. */
    <Q extends Message, R extends Message> CompletableFuture<R> once(GroupId to, Method<Q, R> method, Q body) {
        long mine = ++number;
        Ledger.Entry entry = ledger.begin(session, mine, method);
        CompletableFuture<R> reply = new CompletableFuture<>();
        send(to, method, body, mine, true, world.wallMillis() + GIVE_UP_MILLIS, 2, reply);
        return reply.whenComplete((answer, thrown) -> entry.end(answer, thrown));
    }

    /** A request that may be repeated. */
    <Q extends Message, R extends Message> CompletableFuture<R> ask(GroupId to, Method<Q, R> method, Q body) {
        CompletableFuture<R> reply = new CompletableFuture<>();
        send(to, method, body, 0, true, world.wallMillis() + GIVE_UP_MILLIS, 2, reply);
        return reply;
    }

    private <Q extends Message, R extends Message> void send(
            GroupId to,
            Method<Q, R> method,
            Q body,
            long mine,
            boolean isFirst,
            long endMillis,
            long pause,
            CompletableFuture<R> reply) {
        if (dead) {
            return;
        }
        long lowWaterMark = mine == 0 ? 0 : mine - 1;
        SimNetwork.Caller from = new SimNetwork.Caller((int) (1_000 + session), () -> !dead, action -> action.run());
        long left = endMillis - world.wallMillis();
        var unused = cluster.network()
                .attempt(
                        from,
                        to,
                        method,
                        deadline -> new RequestOrigin(
                                ROOT, new SessionId(session), mine, lowWaterMark, deadline, true, isFirst),
                        body,
                        Math.max(1, Math.min(ATTEMPT_MILLIS, left)))
                .whenComplete((answer, thrown) -> {
                    if (thrown == null) {
                        reply.complete(answer);
                        return;
                    }
                    TatamiException failure = SimNetwork.failureOf(thrown);
                    boolean again = failure.code().isRetryable() && failure.code() != ErrorCode.STALE_HANDLE;
                    if (!again) {
                        reply.completeExceptionally(failure);
                    } else if (world.wallMillis() >= endMillis) {
                        reply.completeExceptionally(new TatamiException(
                                ErrorCode.DEADLINE_EXCEEDED, method + " was given up: " + failure.getMessage()));
                    } else {
                        world.after(
                                pause,
                                () -> send(to, method, body, mine, false, endMillis, Math.min(500, pause * 2), reply));
                    }
                })
                .exceptionally(bug -> {
                    if (SimBlockServers.isBug(bug)) {
                        world.bug(bug);
                    }
                    return null;
                });
    }

    /** What is done through the handles of two directories, which may be the same. */
    interface InDirectories<R> {
        CompletableFuture<R> run(SignedHandle first, SignedHandle second);
    }

    /** Does something through handles of directories, and through new ones where one was too old. */
    <R> CompletableFuture<R> in(String first, String second, InDirectories<R> body) {
        return in(first, second, body, RESOLVES_MAX);
    }

    private <R> CompletableFuture<R> in(String first, String second, InDirectories<R> body, int left) {
        return resolved(first)
                .thenCompose(one -> resolved(second).thenCompose(other -> body.run(one, other)))
                .exceptionallyCompose(thrown -> {
                    TatamiException failure = SimNetwork.failureOf(thrown);
                    if (failure.code() != ErrorCode.STALE_HANDLE || left == 0) {
                        return CompletableFuture.failedFuture(failure);
                    }
                    handles.clear();
                    return in(first, second, body, left - 1);
                });
    }

    /** What is done in a directory that a path leads to. */
    interface InDirectory<R> {
        CompletableFuture<R> run(SignedHandle handle, Handle directory);
    }

    <R> CompletableFuture<R> in(String path, InDirectory<R> body) {
        return in(path, path, (handle, same) -> body.run(handle, opened(handle)));
    }

    private CompletableFuture<SignedHandle> resolved(String path) {
        SignedHandle known = handles.get(path);
        if (known != null) {
            return CompletableFuture.completedFuture(known);
        }
        ResolveRequest request = ResolveRequest.newBuilder().setPath(path).build();
        return ask(GroupId.NAMESPACE, MetaMethods.RESOLVE, request).thenCompose(reply -> {
            if (reply.getResolvedComponents() < NamespaceModel.parts(path).size()) {
                return CompletableFuture.failedFuture(
                        new TatamiException(ErrorCode.NOT_FOUND, path + " is no directory"));
            }
            handles.put(path, reply.getHandle());
            return CompletableFuture.completedFuture(reply.getHandle());
        });
    }

    /** What a handle says. */
    Handle opened(SignedHandle handle) {
        try {
            return cluster.signer().open(handle);
        } catch (TatamiException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The shard that owns a name. */
    GroupId owner(Handle directory, String name) {
        return Placement.shardOf(
                new DirectoryId(directory.getDirectoryId()), name, directory.getSpread(), cluster.shards());
    }
}
