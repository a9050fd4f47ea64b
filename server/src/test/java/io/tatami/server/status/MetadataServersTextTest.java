package io.tatami.server.status;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import io.tatami.protocol.wire.Endpoint;
import io.tatami.protocol.wire.ListMetadataServersReply;
import io.tatami.protocol.wire.MetadataServerInfo;
import io.tatami.protocol.wire.ReplicaMove;
import java.util.List;
import org.junit.jupiter.api.Test;

final class MetadataServersTextTest {
    private static final ReplicaMove CATCHING_UP = ReplicaMove.newBuilder()
            .setGroup(2)
            .setFromServerId(id(1))
            .setToServerId(id(2))
            .setStep(ReplicaMove.Step.CATCHING_UP)
            .setEntriesOfLeader(900)
            .build();

    private static ByteString id(int number) {
        return ByteString.copyFrom(new byte[] {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, (byte) number});
    }

    private static MetadataServersText text(ReplicaMove move) {
        ListMetadataServersReply.Builder servers =
                ListMetadataServersReply.newBuilder().addMove(move);
        for (int number = 1; number <= 2; number++) {
            servers.addServer(MetadataServerInfo.newBuilder()
                    .setServerId(id(number))
                    .setEndpoint(Endpoint.newBuilder().setHost("node" + number).setPort(9480)));
        }
        return new MetadataServersText(servers.build());
    }

    @Test
    void aSnapshotOnItsWayIsToldInBytesBecauseEntriesStandStill() {
        ReplicaMove sent = CATCHING_UP.toBuilder()
                .setSnapshotBytes(3 << 19)
                .setSnapshotBytesTotal(64 << 20)
                .build();
        List<String> moves = text(sent).moves();
        assertEquals(1, moves.size());
        assertTrue(
                moves.get(0)
                        .endsWith("node1:9480 -> node2:9480, has 0 of 900 entries there, and 1.5 of 64.0 MiB of a"
                                + " snapshot"),
                moves.get(0));
        String json = text(sent).json().replace(" ", "");
        assertTrue(json.contains("\"snapshot_bytes\":1572864"), json);
        assertTrue(json.contains("\"snapshot_bytes_total\":67108864"), json);
    }

    @Test
    void withoutASnapshotOnItsWayEntriesAreAll() {
        ReplicaMove move = CATCHING_UP.toBuilder().setEntriesThere(700).build();
        assertTrue(
                text(move).moves().get(0).endsWith("has 700 of 900 entries there"),
                text(move).moves()::toString);
    }
}
