package io.tatami.block.service;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.BlockId;
import io.tatami.base.ErrorCode;
import io.tatami.base.Generation;
import io.tatami.base.TatamiException;
import io.tatami.block.service.context.BlockServerSettings;
import io.tatami.client.block.BlockWriteStream;
import io.tatami.client.block.WriteSpec;
import io.tatami.files.CrashPoint;
import io.tatami.protocol.BlockMethods;
import io.tatami.protocol.wire.BlockServerStatusReply;
import io.tatami.protocol.wire.CopiesMadeRequest;
import io.tatami.protocol.wire.PullBlocksReply;
import io.tatami.protocol.wire.PullBlocksReply.Answer;
import io.tatami.protocol.wire.PullBlocksRequest;
import io.tatami.protocol.wire.RegisterBlockServerRequest;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A block server that is told to make copies, of blocks on another one. */
final class BlockPullsTest {
    private static final int LENGTH = (3 << 20) + 4_321;

    @TempDir
    private Path directory;

    private final NotedMetadata metadata = new NotedMetadata();
    private final CountDownLatch hold = new CountDownLatch(1);

    @AfterEach
    void listenNoMore() {
        hold.countDown();
        CrashPoint.listen(null);
    }

    @Test
    void aCopyIsMadeReportedAndReportedAgainWhenItIsAskedForAgain() throws Exception {
        byte[] bytes = BlockRig.bytes(1, LENGTH);
        try (BlockRig rig = rig(BlockRig.settings())) {
            write(rig, BlockRig.block(1), bytes);

            assertEquals(List.of(Answer.ADMITTED), pull(rig, item(rig, 1, 1)).getAnswerList());

            BlockDamageTest.awaitTrue(() -> metadata.copies.size() == 1);
            CopiesMadeRequest.Item report = metadata.copies.get(0);
            assertEquals(0, report.getError(), report.toString());
            assertEquals(LENGTH, report.getLength());
            assertEquals(1, report.getCopyNumber());
            assertArrayEquals(bytes, rig.read(1, BlockRig.block(1), 0, LENGTH));
            BlockServerStatusReply status = rig.client.status(rig.target(1), 20_000);
            assertEquals(1, status.getCopiesMade());
            assertEquals(LENGTH, status.getBytesPulled());
            assertEquals(100L << 20, status.getCopyBytesPerSecond());

            assertEquals(List.of(Answer.ADMITTED), pull(rig, item(rig, 1, 1)).getAnswerList());
            BlockDamageTest.awaitTrue(() -> metadata.copies.size() == 2);
            assertEquals(report, metadata.copies.get(1));

            rig.server(1).restart();
            join(rig);
            pull(rig, item(rig, 1, 1));
            BlockDamageTest.awaitTrue(() -> metadata.copies.size() == 3);
            assertEquals(report, metadata.copies.get(2), "what is there is known after a restart too");
        }
    }

    @Test
    void aReportThatIsNotAnsweredIsSentAgain() throws Exception {
        metadata.refusedNotices.set(2);
        try (BlockRig rig = rig(BlockRig.settings())) {
            write(rig, BlockRig.block(1), BlockRig.bytes(1, LENGTH));

            pull(rig, item(rig, 1, 1));

            BlockDamageTest.awaitTrue(() -> metadata.copies.size() == 1);
        }
    }

    @Test
    void aBlockThatNoSourceHasIsReportedAsFailed() throws Exception {
        try (BlockRig rig = rig(BlockRig.settings())) {
            pull(rig, item(rig, 1, 1));

            BlockDamageTest.awaitTrue(() -> metadata.copies.size() == 1);
            assertEquals(
                    ErrorCode.NO_SUCH_BLOCK.number(), metadata.copies.get(0).getError());
            assertTrue(rig.server(1).running().volume().find(BlockRig.block(1)).isEmpty());
        }
    }

    @Test
    void noMoreAreAdmittedThanMayWaitAndNoneOntoAFullVolume() throws Exception {
        holdCopies();
        try (BlockRig rig = rig(BlockRig.settings("tatami.block.pulls.queued.max", "1"))) {
            for (int number = 1; number <= 19; number++) {
                write(rig, BlockRig.block(number), BlockRig.bytes(number, 1_000));
            }
            PullBlocksRequest.Builder request = PullBlocksRequest.newBuilder();
            for (int number = 1; number <= 19; number++) {
                request.addItem(item(rig, number, 1).toBuilder().setLength(1_000));
            }

            // Half of four places, each for eight short blocks, is for one source.
            PullBlocksReply reply = pull(rig, request.build());

            assertEquals(Answer.ADMITTED, reply.getAnswer(16));
            assertEquals(
                    List.of(Answer.BUSY, Answer.BUSY), reply.getAnswerList().subList(17, 19));
            PullBlocksRequest.Item tooLong = item(rig, 20, 1).toBuilder()
                    .setUrgent(true)
                    .setLength(BlockRig.VOLUME_BYTES * 91 / 100)
                    .build();
            assertEquals(List.of(Answer.BUSY), pull(rig, tooLong).getAnswerList());
            hold.countDown();
            BlockDamageTest.awaitTrue(() -> metadata.copies.size() == 17);
        }
    }

    @Test
    void aHigherNumberCancelsThePullBeforeAndIsMadeOnceThatHasEnded() throws Exception {
        holdCopies();
        try (BlockRig rig = rig(BlockRig.settings())) {
            write(rig, BlockRig.block(1), BlockRig.bytes(1, LENGTH));
            assertEquals(List.of(Answer.ADMITTED), pull(rig, item(rig, 1, 1)).getAnswerList());
            assertEquals(List.of(Answer.BUSY), pull(rig, item(rig, 1, 2)).getAnswerList());
            hold.countDown();

            BlockDamageTest.awaitTrue(() -> metadata.copies.size() == 1);
            assertEquals(ErrorCode.FENCED.number(), metadata.copies.get(0).getError());
            assertEquals(List.of(Answer.ADMITTED), pull(rig, item(rig, 1, 2)).getAnswerList());
            BlockDamageTest.awaitTrue(() -> metadata.copies.size() == 2);
            assertEquals(0, metadata.copies.get(1).getError());
            assertEquals(2, metadata.copies.get(1).getCopyNumber());
        }
    }

    @Test
    void aServerThatStopsEndsItsPullsAndLeavesNothingOfThem() throws Exception {
        try (BlockRig rig = rig(BlockRig.settings("tatami.block.copy.rate", "4k"))) {
            write(rig, BlockRig.block(1), BlockRig.bytes(1, LENGTH));
            pull(rig, item(rig, 1, 1));
            BlockDamageTest.awaitTrue(() ->
                    rig.server(1).running().volume().find(BlockRig.block(1)).isPresent());

            rig.server(1).restart();

            assertTrue(rig.server(1).running().volume().find(BlockRig.block(1)).isEmpty());
            assertEquals(List.of(), metadata.copies);
        }
    }

    @Test
    void anUrgentCopyIsNotHeldUpByTheRate() throws Exception {
        try (BlockRig rig = rig(BlockRig.settings("tatami.block.copy.rate", "1"))) {
            byte[] bytes = BlockRig.bytes(1, LENGTH);
            write(rig, BlockRig.block(1), bytes);

            pull(rig, item(rig, 1, 1).toBuilder().setUrgent(true).build());

            BlockDamageTest.awaitTrue(() -> metadata.copies.size() == 1);
            assertArrayEquals(bytes, rig.read(1, BlockRig.block(1), 0, LENGTH));
        }
    }

    @Test
    void aPullWithoutASourceOrANumberIsRefused() throws Exception {
        try (BlockRig rig = rig(BlockRig.settings())) {
            PullBlocksRequest.Item whole = item(rig, 1, 1);
            for (PullBlocksRequest.Item item : List.of(
                    whole.toBuilder().clearSource().build(),
                    whole.toBuilder().clearCopyNumber().build(),
                    whole.toBuilder().setLength(-1).build())) {
                TatamiException refused = assertThrows(TatamiException.class, () -> pull(rig, item));
                assertEquals(ErrorCode.MALFORMED, refused.code());
            }
        }
    }

    private BlockRig rig(BlockServerSettings settings) throws Exception {
        BlockRig rig = new BlockRig(directory, 2, settings);
        join(rig);
        return rig;
    }

    private void join(BlockRig rig) throws Exception {
        rig.server(1)
                .running()
                .server()
                .join(metadata, RegisterBlockServerRequest.getDefaultInstance())
                .get(20, TimeUnit.SECONDS);
    }

    private void holdCopies() {
        CrashPoint.listen(name -> {
            if (name.equals("service.copy.after-create")) {
                try {
                    assertTrue(hold.await(60, TimeUnit.SECONDS), "it is held for ever");
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            }
        });
    }

    /** On the first server only. */
    private static void write(BlockRig rig, BlockId block, byte[] bytes) throws TatamiException {
        WriteSpec spec = WriteSpec.create(block, Generation.FIRST, bytes.length);
        try (BlockWriteStream stream = rig.client.openWriter(List.of(rig.target(0)), spec)) {
            BlockRig.write(stream, bytes);
            stream.finish();
        }
    }

    private static PullBlocksRequest.Item item(BlockRig rig, int block, int number) {
        return PullBlocksRequest.Item.newBuilder()
                .setBlockId(BlockRig.block(block).value())
                .setGeneration(Generation.FIRST.value())
                .setLength(LENGTH)
                .setCopyNumber(number)
                .addSource(rig.target(0).toWire())
                .build();
    }

    private static PullBlocksReply pull(BlockRig rig, PullBlocksRequest.Item item) throws Exception {
        return pull(rig, PullBlocksRequest.newBuilder().addItem(item).build());
    }

    private static PullBlocksReply pull(BlockRig rig, PullBlocksRequest request) throws Exception {
        return rig.connect(1).callAndWait(BlockMethods.PULL_BLOCKS, BlockRig.AS_METADATA, request);
    }
}
