package io.tatami.meta.log.raft.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.tatami.base.GroupId;
import io.tatami.meta.log.raft.RatisNames;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.apache.ratis.proto.RaftProtos.AppendEntriesReplyProto;
import org.apache.ratis.proto.RaftProtos.AppendEntriesRequestProto;
import org.apache.ratis.proto.RaftProtos.InstallSnapshotReplyProto;
import org.apache.ratis.proto.RaftProtos.InstallSnapshotRequestProto;
import org.apache.ratis.proto.RaftProtos.InstallSnapshotRequestProto.SnapshotChunkProto;
import org.apache.ratis.proto.RaftProtos.RaftGroupIdProto;
import org.apache.ratis.proto.RaftProtos.RaftRpcRequestProto;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.protocol.exceptions.ServerNotReadyException;
import org.apache.ratis.server.RaftServer;
import org.junit.jupiter.api.Test;

/** Ratis sees what leaders send only of groups that it has started. */
final class StartedGroupsTest {
    private static final RaftGroupId GROUP = RatisNames.group(new UUID(1, 2), GroupId.ofShard(3));
    private static final RaftRpcRequestProto TO_GROUP = RaftRpcRequestProto.newBuilder()
            .setRaftGroupId(RaftGroupIdProto.newBuilder().setId(GROUP.toByteString()))
            .build();
    private static final InstallSnapshotRequestProto PIECE = InstallSnapshotRequestProto.newBuilder()
            .setServerRequest(TO_GROUP)
            .setSnapshotChunk(
                    SnapshotChunkProto.newBuilder().setRequestId("one").setTotalSize(7))
            .build();
    private static final AppendEntriesRequestProto ENTRIES =
            AppendEntriesRequestProto.newBuilder().setServerRequest(TO_GROUP).build();

    private final StartedGroups started = new StartedGroups();
    private final List<Object> seen = new ArrayList<>();
    private final RaftServer server = started.guarding((RaftServer) Proxy.newProxyInstance(
            RaftServer.class.getClassLoader(), new Class<?>[] {RaftServer.class}, (proxy, method, arguments) -> {
                seen.add(arguments[0]);
                return method.getName().equals("installSnapshot")
                        ? InstallSnapshotReplyProto.getDefaultInstance()
                        : CompletableFuture.completedFuture(AppendEntriesReplyProto.getDefaultInstance());
            }));

    @Test
    void noSnapshotIsTakenForAGroupThatIsNotOpen() throws IOException {
        assertThrows(ServerNotReadyException.class, () -> server.installSnapshot(PIECE));
        assertEquals(List.of(), seen);
        started.add(GROUP);
        InstallSnapshotReplyProto taken = server.installSnapshot(PIECE);
        assertEquals(InstallSnapshotReplyProto.getDefaultInstance(), taken);
        assertEquals(List.of(PIECE), seen);
        started.remove(GROUP);
        assertThrows(ServerNotReadyException.class, () -> server.installSnapshot(PIECE));
        assertEquals(1, seen.size());
    }

    @Test
    void noEntriesAreTakenForAGroupThatIsNotOpen() throws IOException {
        assertThrows(ServerNotReadyException.class, () -> server.appendEntriesAsync(ENTRIES));
        assertEquals(List.of(), seen);
        started.add(GROUP);
        AppendEntriesReplyProto taken = server.appendEntriesAsync(ENTRIES).join();
        assertEquals(AppendEntriesReplyProto.getDefaultInstance(), taken);
        assertEquals(List.of(ENTRIES), seen);
    }
}
