package io.tatami.block.service.copy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.Generation;
import io.tatami.base.ManualClock;
import io.tatami.base.ServerId;
import io.tatami.base.TatamiException;
import io.tatami.block.device.AccessTimes;
import io.tatami.block.service.BlockDamageTest;
import io.tatami.block.service.BlockRig;
import io.tatami.block.service.context.BlockServerMetrics;
import io.tatami.block.service.context.CopyRate;
import io.tatami.block.service.context.ServerContext;
import io.tatami.block.service.volumes.VolumeSet;
import io.tatami.block.volume.BlockWriter;
import io.tatami.block.volume.HangingVolume;
import io.tatami.block.volume.VolumeResources;
import io.tatami.files.CrashPoint;
import io.tatami.protocol.wire.CopiesMadeRequest;
import io.tatami.protocol.wire.PullBlocksReply;
import io.tatami.protocol.wire.PullBlocksRequest;
import io.tatami.protocol.wire.WriteTarget;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

final class HangingVolumePullsTest {
    private static final int LENGTH = 100_000;

    private final ManualClock clock = new ManualClock();
    private final List<CopiesMadeRequest.Item> reports = new CopyOnWriteArrayList<>();

    @Test
    void copyThatAVolumeHoldsUpWhichHangsIsNotPromisedAgain() throws Exception {
        try (HangingVolume hanging = new HangingVolume(8L << 20, VolumeResources.withBuffers(4, 4), clock)) {
            VolumeSet volumes = new VolumeSet(List.of(new VolumeSet.ServedVolume(hanging.volume(), "hanging")));
            ServerContext context = new ServerContext(
                    BlockRig.settings(), volumes, clock, new BlockServerMetrics(), () -> new ServerId(3));
            BlockPulls pulls = new BlockPulls(
                    context,
                    new FakeSources(BlockRig.bytes(4, LENGTH), clock),
                    new CopyRate(clock, 0),
                    (block, copy, generation) -> {},
                    task -> new Thread(task).start(),
                    reports::add);
            hanging.device().hang();
            assertEquals(PullBlocksReply.Answer.ADMITTED, pull(pulls));
            hanging.device().awaitHanging();
            assertEquals(PullBlocksReply.Answer.ADMITTED, pull(pulls));

            clock.advance(Duration.ofNanos(AccessTimes.HANG_NANOS));
            assertEquals(PullBlocksReply.Answer.BUSY, pull(pulls));

            hanging.device().goOn();
            assertTrue(pulls.awaitEnd(hanging.volume(), 60_000));
            assertEquals(PullBlocksReply.Answer.ADMITTED, pull(pulls));
        }
    }

    /** A flush that hangs holds up the copies that wait for it, and neither those being filled nor other volumes. */
    @Test
    void copiesAreFilledAndOtherVolumesFinishTheirsWhileAFlushHangs() throws Exception {
        CountDownLatch twoFilled = new CountDownLatch(2);
        CrashPoint.listen(step -> {
            if (step.equals("volume.batch.after-write")) {
                twoFilled.countDown();
            }
        });
        CountDownLatch reported = new CountDownLatch(1);
        try (HangingVolume hanging = new HangingVolume(8L << 20, VolumeResources.withBuffers(4, 4), clock);
                HangingVolume other = new HangingVolume(8L << 20, VolumeResources.withBuffers(4, 4), clock)) {
            VolumeSet.ServedVolume first = new VolumeSet.ServedVolume(hanging.volume(), "hanging");
            VolumeSet.ServedVolume second = new VolumeSet.ServedVolume(other.volume(), "other");
            VolumeSet volumes = new VolumeSet(List.of(first, second));
            ServerContext context = new ServerContext(
                    BlockRig.settings("tatami.block.pulls.max", "1"),
                    volumes,
                    clock,
                    new BlockServerMetrics(),
                    () -> new ServerId(3));
            BlockPulls pulls = new BlockPulls(
                    context,
                    new FakeSources(BlockRig.bytes(4, LENGTH), clock),
                    new CopyRate(clock, 0),
                    (block, copy, generation) -> {},
                    task -> new Thread(task).start(),
                    report -> {
                        reports.add(report);
                        reported.countDown();
                    });
            hanging.device().hangAtFlush();
            other.volume().closeToNew(true);
            assertEquals(PullBlocksReply.Answer.ADMITTED, pull(pulls, 1));
            hanging.device().awaitHanging();
            assertEquals(PullBlocksReply.Answer.ADMITTED, pull(pulls, 2));
            assertTrue(twoFilled.await(60, TimeUnit.SECONDS), "the second waits for the first one's flush");
            assertEquals(List.of(), reports);

            other.volume().closeToNew(false);
            assertEquals(PullBlocksReply.Answer.ADMITTED, pull(pulls, 3));
            assertTrue(reported.await(60, TimeUnit.SECONDS), "the other volume waits too");
            assertEquals(BlockRig.block(3).value(), reports.get(0).getBlockId());

            hanging.device().goOn();
            assertTrue(pulls.awaitEnd(hanging.volume(), 60_000));
            assertTrue(hanging.volume().find(BlockRig.block(2)).orElseThrow().finalized());
        } finally {
            CrashPoint.listen(null);
        }
    }

    /** More copies than there are buffers; the device hangs while one of them is being written. */
    private BlockPulls eightShortCopies(HangingVolume hanging, FakeSources sources) throws Exception {
        BlockPulls pulls = onePlace(hanging, sources);
        hanging.device().hang();
        for (int block = 1; block <= 8; block++) {
            assertEquals(PullBlocksReply.Answer.ADMITTED, pull(pulls, block, block % 2 + 1));
        }
        hanging.device().awaitHanging();
        return pulls;
    }

    @Test
    void copiesOfShortBlocksLeaveBuffersToWritersWhileAVolumeHangs() throws Exception {
        FakeSources sources = new FakeSources(BlockRig.bytes(4, LENGTH), clock);
        try (HangingVolume hanging = new HangingVolume(8L << 20, VolumeResources.withBuffers(2, 2), clock)) {
            BlockPulls pulls = eightShortCopies(hanging, sources);
            BlockDamageTest.awaitTrue(() -> sources.begun.size() == 8);

            try (BlockWriter writer = hanging.volume().create(BlockRig.block(9), Generation.FIRST, 4_096, false)) {
                writer.append(ByteBuffer.allocate(1_000), null);
                writer.abort();
            }

            hanging.device().goOn();
            assertTrue(pulls.awaitEnd(hanging.volume(), 60_000));
            // A copy has ended just before it is reported.
            BlockDamageTest.awaitTrue(() -> reports.size() == 8);
            assertTrue(reports.stream().allMatch(report -> report.getError() == 0));
        }
    }

    @Test
    void copiesOfShortBlocksThatWaitToBeWrittenEndWhenTheServerStops() throws Exception {
        FakeSources sources = new FakeSources(BlockRig.bytes(4, LENGTH), clock);
        try (HangingVolume hanging = new HangingVolume(8L << 20, VolumeResources.withBuffers(2, 2), clock)) {
            BlockPulls pulls = eightShortCopies(hanging, sources);

            pulls.close();
            hanging.device().goOn();
            assertTrue(pulls.awaitEnd(hanging.volume(), 60_000));

            assertEquals(List.of(), reports);
            assertEquals(List.of(), hanging.volume().blocks());
        }
    }

    @Test
    void sourceThatIsSilentHoldsUpItsOwnShortBlocksAlone() throws Exception {
        FakeSources sources = new FakeSources(BlockRig.bytes(4, LENGTH), clock);
        CountDownLatch speaks = new CountDownLatch(1);
        sources.on(1).beforeRead = () -> await(speaks);
        try (HangingVolume volume = new HangingVolume(8L << 20, VolumeResources.withBuffers(2, 2), clock)) {
            BlockPulls pulls = onePlace(volume, sources);
            for (int block = 1; block <= 12; block++) {
                assertEquals(PullBlocksReply.Answer.ADMITTED, pull(pulls, block, 1));
            }
            for (int block = 13; block <= 24; block++) {
                assertEquals(PullBlocksReply.Answer.ADMITTED, pull(pulls, block, 2));
            }

            BlockDamageTest.awaitTrue(() -> reports.size() == 12);
            assertTrue(reports.stream()
                    .allMatch(report -> report.getError() == 0
                            && report.getBlockId() >= BlockRig.block(13).value()));

            speaks.countDown();
            BlockDamageTest.awaitTrue(() -> reports.size() == 24);
            assertTrue(reports.stream().allMatch(report -> report.getError() == 0));
            assertTrue(pulls.awaitEnd(volume.volume(), 60_000));
        } finally {
            speaks.countDown();
        }
    }

    private BlockPulls onePlace(HangingVolume volume, FakeSources sources) throws TatamiException {
        VolumeSet volumes = new VolumeSet(List.of(new VolumeSet.ServedVolume(volume.volume(), "hanging")));
        ServerContext context = new ServerContext(
                BlockRig.settings("tatami.block.pulls.max", "1"),
                volumes,
                clock,
                new BlockServerMetrics(),
                () -> new ServerId(3));
        return new BlockPulls(
                context,
                sources,
                new CopyRate(clock, 0),
                (block, copy, generation) -> {},
                task -> new Thread(task).start(),
                reports::add);
    }

    private static void await(CountDownLatch latch) {
        try {
            assertTrue(latch.await(60, TimeUnit.SECONDS));
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private static PullBlocksReply.Answer pull(BlockPulls pulls) throws Exception {
        return pull(pulls, 1);
    }

    private static PullBlocksReply.Answer pull(BlockPulls pulls, int block) throws Exception {
        return pull(pulls, block, 1);
    }

    private static PullBlocksReply.Answer pull(BlockPulls pulls, int block, int source) throws Exception {
        PullBlocksRequest.Item item = PullBlocksRequest.Item.newBuilder()
                .setBlockId(BlockRig.block(block).value())
                .setGeneration(1)
                .setLength(LENGTH)
                .setCopyNumber(1)
                .addSource(WriteTarget.newBuilder()
                        .setServerId(source)
                        .setHost("host")
                        .setPort(1))
                .build();
        return pulls.pull(PullBlocksRequest.newBuilder().addItem(item).build()).getAnswer(0);
    }
}
