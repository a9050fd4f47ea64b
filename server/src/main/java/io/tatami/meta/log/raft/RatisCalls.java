package io.tatami.meta.log.raft;

import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.meta.log.raft.transport.RatisGroups;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.ratis.protocol.ClientId;
import org.apache.ratis.protocol.GroupManagementRequest;
import org.apache.ratis.protocol.Message;
import org.apache.ratis.protocol.RaftClientReply;
import org.apache.ratis.protocol.RaftClientRequest;
import org.apache.ratis.protocol.RaftGroup;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.protocol.RaftPeer;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.protocol.SetConfigurationRequest;
import org.apache.ratis.protocol.SnapshotManagementRequest;
import org.apache.ratis.protocol.TransferLeadershipRequest;
import org.apache.ratis.protocol.exceptions.LeaderNotReadyException;
import org.apache.ratis.protocol.exceptions.LeaderSteppingDownException;
import org.apache.ratis.protocol.exceptions.NotLeaderException;
import org.apache.ratis.protocol.exceptions.ReconfigurationInProgressException;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.thirdparty.com.google.protobuf.UnsafeByteOperations;
import org.jspecify.annotations.Nullable;

/**
 * Requests to the Raft server of this process, as its own client. The client's id is drawn anew by each process and
 * told nobody, and the log takes entries from it alone.
 *
 * <p>A call of Ratis may wait for its threads, and Ratis answers on threads that hold its locks: so nothing of ours
 * runs on those. Answers are handed over to an executor, and calls begin there but for {@link #append}, whose caller
 * may be held up.
 */
final class RatisCalls {
    private static final long SNAPSHOT_TIMEOUT_MILLIS = 600_000;
    private static final long STEP_DOWN_TIMEOUT_MILLIS = 10_000;
    /** Nothing is decided meanwhile. */
    private static final long HAND_OVER_TIMEOUT_MILLIS = 2_000;

    private final RaftServer server;
    private final ClientId client;
    private final Executor executor;
    private final AtomicLong calls = new AtomicLong();

    RatisCalls(RaftServer server, ClientId client, Executor executor) {
        this.server = server;
        this.client = client;
        this.executor = executor;
    }

    /** The directory of a group's entries. */
    Path segments(RaftGroupId group) {
        return RatisGroups.segments(server.getProperties(), group);
    }

    /** Appends an entry; the reply is the state machine's. */
    CompletableFuture<Message> append(RaftGroupId group, byte[] entry) {
        Message message = Message.valueOf(UnsafeByteOperations.unsafeWrap(entry));
        RaftClientRequest request = request(group, message, RaftClientRequest.writeRequestType());
        return replyTo(() -> server.submitClientRequestAsync(request));
    }

    /** Completes when the majority has confirmed that this server led when it was called. */
    CompletableFuture<Message> readIndex(RaftGroupId group) {
        RaftClientRequest request = request(group, Message.EMPTY, RaftClientRequest.readRequestType());
        return later(() -> server.submitClientRequestAsync(request));
    }

    private RaftClientRequest request(RaftGroupId group, Message message, RaftClientRequest.Type type) {
        return RaftClientRequest.newBuilder()
                .setClientId(client)
                .setServerId(server.getId())
                .setGroupId(group)
                .setCallId(calls.incrementAndGet())
                .setMessage(message)
                .setType(type)
                .build();
    }

    CompletableFuture<Message> setMembers(RaftGroupId group, List<RaftPeer> peers) {
        SetConfigurationRequest request =
                new SetConfigurationRequest(client, server.getId(), group, calls.incrementAndGet(), peers);
        return later(() -> server.setConfigurationAsync(request));
    }

    /** Has another replica elected, or this one for a new term; without effect where this one does not lead. */
    CompletableFuture<Message> stepDown(RaftGroupId group) {
        @Nullable RaftPeerId whoever = null;
        return transfer(group, whoever, STEP_DOWN_TIMEOUT_MILLIS);
    }

    /** Has another member elected; goes on leading where that one has not all that this one has within two seconds. */
    CompletableFuture<Message> handOver(RaftGroupId group, RaftPeerId successor) {
        return transfer(group, successor, HAND_OVER_TIMEOUT_MILLIS);
    }

    private CompletableFuture<Message> transfer(RaftGroupId group, @Nullable RaftPeerId successor, long timeoutMillis) {
        TransferLeadershipRequest request = new TransferLeadershipRequest(
                client, server.getId(), group, calls.incrementAndGet(), successor, timeoutMillis);
        return later(() -> server.transferLeadershipAsync(request));
    }

    /** Has a snapshot taken, where entries were applied since the last. */
    CompletableFuture<Message> takeSnapshot(RaftGroupId group) {
        SnapshotManagementRequest request = SnapshotManagementRequest.newCreate(
                client, server.getId(), group, calls.incrementAndGet(), SNAPSHOT_TIMEOUT_MILLIS);
        return later(() -> server.snapshotManagementAsync(request));
    }

    /** Begins with a group, whose log is made where {@code isNew} and has to be there where not. */
    CompletableFuture<Message> addGroup(RaftGroup group, boolean isNew) {
        GroupManagementRequest request =
                GroupManagementRequest.newAdd(client, server.getId(), calls.incrementAndGet(), group, isNew);
        return later(() -> server.groupManagementAsync(request));
    }

    /** Ends with a group and leaves its files. */
    CompletableFuture<Message> removeGroup(RaftGroupId group) {
        GroupManagementRequest request =
                GroupManagementRequest.newRemove(client, server.getId(), calls.incrementAndGet(), group, false, false);
        return later(() -> server.groupManagementAsync(request));
    }

    /** A call of the Raft server. */
    private interface Call {
        CompletableFuture<RaftClientReply> send() throws IOException;
    }

    private CompletableFuture<Message> later(Call call) {
        return CompletableFuture.<Void>completedFuture(null).thenComposeAsync(begin -> replyTo(call), executor);
    }

    /** Fails with a TatamiException only. */
    private CompletableFuture<Message> replyTo(Call call) {
        CompletableFuture<RaftClientReply> reply;
        try {
            reply = call.send();
        } catch (IOException e) {
            reply = CompletableFuture.failedFuture(e);
        }
        return reply.handleAsync(RatisCalls::messageOf, executor);
    }

    private static Message messageOf(@Nullable RaftClientReply answer, @Nullable Throwable thrown) {
        Throwable failure = answer == null ? thrown : answer.getException();
        if (failure != null) {
            throw new CompletionException(inOurWords(failure));
        }
        Message message = answer == null ? null : answer.getMessage();
        return message == null ? Message.EMPTY : message;
    }

    private static TatamiException inOurWords(Throwable thrown) {
        Throwable cause = rootOf(thrown);
        if (cause instanceof TatamiException ours) {
            return ours;
        }
        if (cause instanceof NotLeaderException) {
            return new TatamiException(ErrorCode.NOT_LEADER, "this replica does not lead the group", cause);
        }
        if (cause instanceof LeaderSteppingDownException) {
            // It leads on where the other one does not take over; where that does, this one is told so.
            return new TatamiException(ErrorCode.BUSY, "the leader is handing its leadership over; ask again", cause);
        }
        if (cause instanceof LeaderNotReadyException) {
            return new TatamiException(
                    ErrorCode.BUSY, "the leader has not applied earlier entries yet; ask again", cause);
        }
        if (cause instanceof ReconfigurationInProgressException) {
            return new TatamiException(
                    ErrorCode.IN_USE, "another change of the group's members is in progress; try again later", cause);
        }
        return new TatamiException(ErrorCode.UNAVAILABLE, "the replicated log failed: " + cause, cause);
    }

    /** Ratis wraps what its parts throw, and what a state machine does. */
    private static Throwable rootOf(Throwable thrown) {
        Throwable at = thrown;
        @Nullable Throwable below = at.getCause();
        while (below != null && !isKnown(at)) {
            at = below;
            below = at.getCause();
        }
        return at;
    }

    private static boolean isKnown(Throwable thrown) {
        return thrown instanceof TatamiException
                || thrown instanceof NotLeaderException
                || thrown instanceof LeaderSteppingDownException
                || thrown instanceof LeaderNotReadyException
                || thrown instanceof ReconfigurationInProgressException;
    }
}
