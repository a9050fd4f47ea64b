package io.tatami.meta.log.raft;

import org.apache.ratis.proto.RaftProtos.AppendEntriesRequestProto;
import org.apache.ratis.proto.RaftProtos.InstallSnapshotRequestProto;
import org.apache.ratis.proto.RaftProtos.RaftRpcRequestProto;
import org.apache.ratis.proto.RaftProtos.ReadIndexRequestProto;
import org.apache.ratis.proto.RaftProtos.RequestVoteRequestProto;
import org.apache.ratis.proto.RaftProtos.StartLeaderElectionRequestProto;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.thirdparty.com.google.protobuf.ByteString;
import org.apache.ratis.thirdparty.io.grpc.ForwardingServerCallListener;
import org.apache.ratis.thirdparty.io.grpc.Metadata;
import org.apache.ratis.thirdparty.io.grpc.ServerCall;
import org.apache.ratis.thirdparty.io.grpc.ServerCallHandler;
import org.apache.ratis.thirdparty.io.grpc.ServerInterceptor;
import org.apache.ratis.thirdparty.io.grpc.Status;
import org.jspecify.annotations.Nullable;

/**
 * Refuses what other members send to somebody else. Ratis finds a member by its address and does not look whom a
 * request is for: a server that lost its disk and came back under a new id, at the old address, would acknowledge
 * entries in the name of the member it was, and the leader would count them twice.
 */
final class AddressedRequests implements ServerInterceptor {
    private final ByteString self;

    AddressedRequests(RaftPeerId self) {
        this.self = self.toByteString();
    }

    @Override
    public <Q, R> ServerCall.Listener<Q> interceptCall(
            ServerCall<Q, R> call, Metadata headers, ServerCallHandler<Q, R> next) {
        return new Addressed<>(call, next.startCall(call, headers));
    }

    /** The requests of one call. */
    private final class Addressed<Q> extends ForwardingServerCallListener.SimpleForwardingServerCallListener<Q> {
        private final ServerCall<Q, ?> call;
        private boolean refused;

        Addressed(ServerCall<Q, ?> call, ServerCall.Listener<Q> next) {
            super(next);
            this.call = call;
        }

        @Override
        public void onMessage(Q message) {
            RaftRpcRequestProto header = header(message);
            if (refused) {
                return;
            }
            if (header == null || header.getReplyId().equals(self)) {
                super.onMessage(message);
                return;
            }
            refused = true;
            call.close(
                    Status.FAILED_PRECONDITION.withDescription("this is member " + self.toStringUtf8() + ", not "
                            + header.getReplyId().toStringUtf8()),
                    new Metadata());
            // The call's service hears no more of it than that.
            super.onCancel();
        }

        @Override
        public void onHalfClose() {
            if (!refused) {
                super.onHalfClose();
            }
        }
    }

    /** Whom a request between members is from and for; null for other messages. */
    private static @Nullable RaftRpcRequestProto header(Object message) {
        if (message instanceof AppendEntriesRequestProto append) {
            return append.getServerRequest();
        }
        if (message instanceof RequestVoteRequestProto vote) {
            return vote.getServerRequest();
        }
        if (message instanceof InstallSnapshotRequestProto snapshot) {
            return snapshot.getServerRequest();
        }
        if (message instanceof StartLeaderElectionRequestProto election) {
            return election.getServerRequest();
        }
        return message instanceof ReadIndexRequestProto read ? read.getServerRequest() : null;
    }
}
