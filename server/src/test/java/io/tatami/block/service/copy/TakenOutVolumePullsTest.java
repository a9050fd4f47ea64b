package io.tatami.block.service.copy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.BlockId;
import io.tatami.base.ErrorCode;
import io.tatami.base.ManualClock;
import io.tatami.base.ServerId;
import io.tatami.block.service.BlockRig;
import io.tatami.block.service.context.BlockServerMetrics;
import io.tatami.block.service.context.CopyRate;
import io.tatami.block.service.context.ServerContext;
import io.tatami.block.service.volumes.VolumeSet;
import io.tatami.block.volume.SimVolume;
import io.tatami.files.CrashPoint;
import io.tatami.protocol.wire.CopiesMadeRequest;
import io.tatami.protocol.wire.PullBlocksReply;
import io.tatami.protocol.wire.PullBlocksRequest;
import io.tatami.protocol.wire.WriteTarget;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Copies that are being made on a volume while it is taken out of the server. */
final class TakenOutVolumePullsTest {
    private static final int LENGTH = 100_000;
    private static final BlockId BLOCK = BlockRig.block(1);

    private final ManualClock clock = new ManualClock();
    private final BlockServerMetrics metrics = new BlockServerMetrics();
    private final FakeSources sources = new FakeSources(BlockRig.bytes(4, LENGTH), clock);
    private final Deque<Runnable> tasks = new ArrayDeque<>();
    private final List<CopiesMadeRequest.Item> reports = new ArrayList<>();
    private SimVolume disk;
    private VolumeSet volumes;
    private BlockPulls pulls;

    @BeforeEach
    void serve() throws Exception {
        disk = new SimVolume(8L << 20, 7, clock);
        volumes = new VolumeSet(List.of(new VolumeSet.ServedVolume(disk.volume(), "simulated")));
        ServerContext context = new ServerContext(BlockRig.settings(), volumes, clock, metrics, () -> new ServerId(3));
        CopyRate rate = new CopyRate(clock, 0);
        pulls = new BlockPulls(context, sources, rate, (block, copy, generation) -> {}, tasks::add, reports::add);
    }

    @AfterEach
    void close() throws Exception {
        CrashPoint.listen(null);
        disk.close();
    }

    private void takeOut() {
        VolumeSet.ServedVolume served = volumes.volumes().get(0);
        volumes.remove(served);
        pulls.endOn(served.volume());
    }

    private PullBlocksReply.Answer pull() throws Exception {
        PullBlocksRequest.Item item = PullBlocksRequest.Item.newBuilder()
                .setBlockId(BLOCK.value())
                .setGeneration(1)
                .setLength(LENGTH)
                .setCopyNumber(1)
                .addSource(
                        WriteTarget.newBuilder().setServerId(1).setHost("host").setPort(1))
                .build();
        return pulls.pull(PullBlocksRequest.newBuilder().addItem(item).build()).getAnswer(0);
    }

    private void runAll() {
        while (!tasks.isEmpty()) {
            tasks.remove().run();
        }
    }

    private void assertReportedAsFailed() throws Exception {
        assertEquals(
                List.of(ErrorCode.IO_ERROR.number()),
                reports.stream().map(CopiesMadeRequest.Item::getError).toList());
        assertEquals(0, metrics.copiesMade());
        assertTrue(pulls.awaitEnd(disk.volume(), 0));
    }

    @Test
    void aCopyThatIsFinishedMeanwhileIsNotReportedAsMade() throws Exception {
        assertEquals(PullBlocksReply.Answer.ADMITTED, pull());
        CrashPoint.listen(name -> {
            if (name.equals("service.copy.after-finish")) {
                takeOut();
            }
        });

        runAll();

        assertReportedAsFailed();
    }

    @Test
    void aCopyThatIsNotBegunYetIsNotMade() throws Exception {
        assertEquals(PullBlocksReply.Answer.ADMITTED, pull());
        takeOut();
        assertEquals(PullBlocksReply.Answer.BUSY, pull());

        runAll();

        assertReportedAsFailed();
        assertTrue(disk.volume().find(BLOCK).isEmpty());
        assertEquals(PullBlocksReply.Answer.BUSY, pull());
    }
}
