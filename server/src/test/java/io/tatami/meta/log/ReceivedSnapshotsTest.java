package io.tatami.meta.log;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.tatami.base.GroupId;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.apache.ratis.conf.RaftProperties;
import org.apache.ratis.proto.RaftProtos.InstallSnapshotReplyProto;
import org.apache.ratis.proto.RaftProtos.InstallSnapshotRequestProto;
import org.apache.ratis.proto.RaftProtos.InstallSnapshotRequestProto.SnapshotChunkProto;
import org.apache.ratis.proto.RaftProtos.RaftGroupIdProto;
import org.apache.ratis.proto.RaftProtos.RaftRpcRequestProto;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.protocol.exceptions.ServerNotReadyException;
import org.apache.ratis.server.RaftServer;
import org.junit.jupiter.api.Test;

/** Ratis sees snapshots only of groups that it has started: one that comes in the midst of a start makes that fail. */
final class ReceivedSnapshotsTest {
    private static final RaftGroupId GROUP = RatisNames.group(new UUID(1, 2), GroupId.ofShard(3));
    private static final InstallSnapshotRequestProto PIECE = InstallSnapshotRequestProto.newBuilder()
            .setServerRequest(RaftRpcRequestProto.newBuilder()
                    .setRaftGroupId(RaftGroupIdProto.newBuilder().setId(GROUP.toByteString())))
            .setSnapshotChunk(
                    SnapshotChunkProto.newBuilder().setRequestId("one").setTotalSize(7))
            .build();

    private final ReceivedSnapshots snapshots = new ReceivedSnapshots(new RaftProperties());
    private final List<Object> seen = new ArrayList<>();
    private final RaftServer server = snapshots.taking((RaftServer) Proxy.newProxyInstance(
            RaftServer.class.getClassLoader(), new Class<?>[] {RaftServer.class}, (proxy, method, arguments) -> {
                seen.add(arguments[0]);
                return InstallSnapshotReplyProto.getDefaultInstance();
            }));

    @Test
    void noneIsTakenForAGroupThatIsNotOpen() throws IOException {
        assertThrows(ServerNotReadyException.class, () -> server.installSnapshot(PIECE));
        assertEquals(List.of(), seen);
        snapshots.open(GROUP);
        InstallSnapshotReplyProto taken = server.installSnapshot(PIECE);
        assertEquals(InstallSnapshotReplyProto.getDefaultInstance(), taken);
        assertEquals(List.of(PIECE), seen);
        snapshots.close(GROUP);
        assertThrows(ServerNotReadyException.class, () -> server.installSnapshot(PIECE));
        assertEquals(1, seen.size());
    }
}
