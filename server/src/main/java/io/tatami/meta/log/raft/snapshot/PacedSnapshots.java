package io.tatami.meta.log.raft.snapshot;

import io.tatami.base.WaitLimit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongUnaryOperator;
import org.apache.ratis.proto.RaftProtos.FileChunkProto;
import org.apache.ratis.proto.RaftProtos.InstallSnapshotRequestProto;
import org.apache.ratis.thirdparty.io.grpc.ForwardingServerCallListener;
import org.apache.ratis.thirdparty.io.grpc.Metadata;
import org.apache.ratis.thirdparty.io.grpc.ServerCall;
import org.apache.ratis.thirdparty.io.grpc.ServerCallHandler;
import org.apache.ratis.thirdparty.io.grpc.ServerInterceptor;

/**
 * Holds up the chunks of snapshots that come in. Ratis sends a few ahead and then waits for answers, so its sender is
 * held up, too; the threads of one such call wait for nothing else, and heartbeats and entries come by calls of their
 * own.
 */
public final class PacedSnapshots implements ServerInterceptor {
    private final LongUnaryOperator nanosAfter;

    /** @param nanosAfter how long to wait after so many bytes, as {@link SnapshotPace#nanosAfter} */
    public PacedSnapshots(LongUnaryOperator nanosAfter) {
        this.nanosAfter = nanosAfter;
    }

    @Override
    public <Q, R> ServerCall.Listener<Q> interceptCall(
            ServerCall<Q, R> call, Metadata headers, ServerCallHandler<Q, R> next) {
        return new ForwardingServerCallListener.SimpleForwardingServerCallListener<>(next.startCall(call, headers)) {
            @Override
            public void onMessage(Q message) {
                if (message instanceof InstallSnapshotRequestProto snapshot) {
                    await(nanosAfter.applyAsLong(bytes(snapshot)));
                }
                super.onMessage(message);
            }
        };
    }

    private static long bytes(InstallSnapshotRequestProto snapshot) {
        return snapshot.getSnapshotChunk().getFileChunksList().stream()
                .map(FileChunkProto::getData)
                .mapToLong(data -> data.size())
                .sum();
    }

    private static void await(long nanos) {
        WaitLimit limit = WaitLimit.ofNanos(nanos);
        for (long left = nanos; left > 0 && !Thread.currentThread().isInterrupted(); left = limit.leftNanos()) {
            LockSupport.parkNanos(left);
        }
    }
}
