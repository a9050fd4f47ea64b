package io.tatami.meta.service.copies;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.tatami.base.ServerId;
import io.tatami.meta.state.BlockCopies;
import io.tatami.meta.state.wire.BlockRecord;
import io.tatami.meta.state.wire.NeededBlock;
import io.tatami.meta.state.wire.ReplicaRecord.Problem;
import io.tatami.protocol.wire.BlockServerInfo;
import io.tatami.protocol.wire.BlockServerInfo.State;
import io.tatami.protocol.wire.ClusterMap;
import io.tatami.protocol.wire.WriteTarget;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class CopyPullerTest {
    private static final long BLOCK_BYTES = 16 << 20;
    private static final int DRAINED = 1;
    private static final int SERVES = 2;
    private static final int SILENT = 3;
    private static final ClusterMap MAP = ClusterMap.newBuilder()
            .addBlockServer(server(DRAINED, State.DRAINING))
            .addBlockServer(server(SERVES, State.ACTIVE))
            .addBlockServer(server(SILENT, State.STALE))
            .build();

    private static BlockServerInfo server(int id, State state) {
        return BlockServerInfo.newBuilder().setServerId(id).setState(state).build();
    }

    private static List<Integer> sources(Map<ServerId, Long> underWay) {
        NeededBlock.Builder needed = NeededBlock.newBuilder();
        BlockRecord.Builder record = BlockRecord.newBuilder().setLength(BLOCK_BYTES);
        for (int server : List.of(SILENT, DRAINED, SERVES)) {
            record.addServerId(server);
            needed.addProblem(Problem.NONE);
        }
        needed.setBlock(record);
        assertEquals(3, BlockCopies.counted(needed.getBlock()).size());
        return CopyPuller.sources(MAP, needed.build(), new SourceLoads(underWay)).stream()
                .map(WriteTarget::getServerId)
                .toList();
    }

    @Test
    void aServerThatIsDrainedSendsAsAnyOtherAndASilentOneLast() {
        assertEquals(List.of(DRAINED, SERVES, SILENT), sources(Map.of(new ServerId(SERVES), BLOCK_BYTES)));
        assertEquals(List.of(SERVES, DRAINED, SILENT), sources(Map.of(new ServerId(DRAINED), BLOCK_BYTES)));
    }
}
