package io.tatami.block.service;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.BlockId;
import io.tatami.base.ChunkChecksum;
import io.tatami.base.ErrorCode;
import io.tatami.base.Generation;
import io.tatami.base.TatamiException;
import io.tatami.client.block.BlockWriteStream;
import io.tatami.client.block.WriteSpec;
import io.tatami.protocol.BlockMethods;
import io.tatami.protocol.wire.AuditReply;
import io.tatami.protocol.wire.AuditRequest;
import io.tatami.protocol.wire.BlockInfoReply;
import io.tatami.protocol.wire.BlockServerStatusReply;
import io.tatami.protocol.wire.BlockServerStatusRequest;
import io.tatami.protocol.wire.FenceBlockReply;
import io.tatami.protocol.wire.ScrubRequest;
import io.tatami.rpc.CallOptions;
import io.tatami.rpc.Connection;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class BlockCommandsTest {
    private static final int MIB = 1 << 20;
    private static final BlockId BLOCK = BlockRig.block(1);

    @TempDir
    Path directory;

    @Test
    void aRecoveryFencesTheWriterKeepsFlushedBytesAndMayBeRepeated() throws Exception {
        byte[] bytes = BlockRig.bytes(1, 2 * MIB + 77);
        try (BlockRig rig = BlockRig.single(directory);
                BlockWriteStream old =
                        rig.client.openWriter(rig.chain(), WriteSpec.create(BLOCK, Generation.FIRST, 16 * MIB))) {
            BlockRig.write(old, bytes);
            old.hflush();
            assertEquals(bytes.length, RecoveryCalls.recover(rig.connect(0), BLOCK, 2));
            assertEquals(bytes.length, RecoveryCalls.recover(rig.connect(0), BLOCK, 2));
            TatamiException fenced = assertThrows(TatamiException.class, () -> {
                BlockRig.write(old, bytes);
                old.hflush();
            });
            assertEquals(ErrorCode.FENCED, fenced.code());
            TatamiException late =
                    assertThrows(TatamiException.class, () -> RecoveryCalls.fence(rig.connect(0), BLOCK, 1));
            assertEquals(ErrorCode.FENCED, late.code());
            rig.server(0).restart();
            BlockInfoReply info = rig.client.blockInfo(rig.target(0), BLOCK);
            assertTrue(info.getFinalized());
            assertEquals(2, info.getGeneration());
            assertArrayEquals(bytes, rig.read(0, BLOCK, 0, bytes.length));
        }
    }

    @Test
    void aRecoveryLeavesACopyWhoseHostWasBootedUntilItsLengthIsDecided() throws Exception {
        byte[] bytes = BlockRig.bytes(1, 5_000);
        try (BlockRig rig = BlockRig.single(directory);
                BlockWriteStream old =
                        rig.client.openWriter(rig.chain(), WriteSpec.create(BLOCK, Generation.FIRST, 16 * MIB))) {
            BlockRig.write(old, bytes);
            old.hsync();
            rig.server(0).stop();
            rig.server(0).forgetFlushed();
            rig.server(0).start();
            for (long generation = 2; generation < 4; generation++) {
                FenceBlockReply left = RecoveryCalls.fence(rig.connect(0), BLOCK, generation);
                assertFalse(left.getAssured());
                assertEquals(bytes.length, left.getHeldLength());
                assertFalse(rig.client.blockInfo(rig.target(0), BLOCK).getFinalized());
                rig.server(0).restart();
            }
            assertFalse(RecoveryCalls.fence(rig.connect(0), BLOCK, 4).getAssured());
            RecoveryCalls.finalizeAt(rig.connect(0), BLOCK, 4, 3_000);
            assertTrue(RecoveryCalls.fence(rig.connect(0), BLOCK, 5).getAssured());
            assertTrue(rig.client.blockInfo(rig.target(0), BLOCK).getFinalized());
            assertArrayEquals(Arrays.copyOf(bytes, 3_000), rig.read(0, BLOCK, 0, 3_000));
        }
    }

    @Test
    void aRecoveryMayCutTheBlock() throws Exception {
        byte[] bytes = BlockRig.bytes(2, MIB);
        try (BlockRig rig = BlockRig.single(directory)) {
            BlockStreamTest.writeWhole(rig, BLOCK, bytes);
            for (int times = 0; times < 2; times++) {
                assertEquals(
                        1 + times, RecoveryCalls.fence(rig.connect(0), BLOCK, 2).getGeneration());
                RecoveryCalls.finalizeAt(rig.connect(0), BLOCK, 2, 100_000);
            }
            assertArrayEquals(Arrays.copyOf(bytes, 100_000), rig.read(0, BLOCK, 0, MIB));
        }
    }

    @Test
    void whatIsNoGenerationIsMalformed() throws Exception {
        try (BlockRig rig = BlockRig.single(directory)) {
            BlockStreamTest.writeWhole(rig, BLOCK, BlockRig.bytes(2, 10));
            TatamiException refused =
                    assertThrows(TatamiException.class, () -> RecoveryCalls.fence(rig.connect(0), BLOCK, -1));
            assertEquals(ErrorCode.MALFORMED, refused.code());
            assertEquals(1, rig.client.blockInfo(rig.target(0), BLOCK).getGeneration());
        }
    }

    @Test
    void storedChecksumsAreThoseOfTheBytes() throws Exception {
        byte[] bytes = BlockRig.bytes(3, 3 * ChunkChecksum.CHUNK_BYTES + 5);
        try (BlockRig rig = BlockRig.single(directory)) {
            BlockStreamTest.writeWhole(rig, BLOCK, bytes);
            int[] checksums = rig.client.chunkChecksums(rig.target(0), BLOCK, Generation.FIRST, 0, bytes.length);
            assertArrayEquals(ChunkChecksum.ofPieces(0, ByteBuffer.wrap(bytes)), checksums);
        }
    }

    @Test
    void anAuditTellsWhatIsMissingDamagedAndUnknown() throws Exception {
        try (BlockRig rig = BlockRig.single(directory)) {
            for (int number : List.of(1, 2, 3, 4)) {
                BlockStreamTest.writeWhole(rig, BlockRig.block(number), BlockRig.bytes(number, 1000));
            }
            BlockId otherShard = BlockId.of(4, 0, 1);
            BlockStreamTest.writeWhole(rig, otherShard, BlockRig.bytes(1, 10));
            AuditRequest request = AuditRequest.newBuilder()
                    .setGroup(3)
                    .setRound(1)
                    .setAfterBlockId(0)
                    .setUpToBlockId(BlockRig.block(100).value())
                    .addItem(item(1, 1, 1000))
                    .addItem(item(2, 2, 1000))
                    .addItem(item(3, 1, 1001))
                    .addItem(item(50, 1, 10))
                    .addItem(item(51, 1, 10).setIntended(true))
                    .build();
            AuditReply reply = rig.connect(0).callAndWait(BlockMethods.AUDIT, BlockRig.AS_METADATA, request);
            assertEquals(List.of(BlockRig.block(50).value()), reply.getMissingBlockIdList());
            assertEquals(List.of(BlockRig.block(2).value(), BlockRig.block(3).value()), reply.getDamagedBlockIdList());
            assertEquals(List.of(BlockRig.block(4).value()), reply.getUnknownBlockIdList());
        }
    }

    @Test
    void theStatusCountsWhatWasWrittenAndRead() throws Exception {
        try (BlockRig rig = BlockRig.single(directory)) {
            BlockStreamTest.writeWhole(rig, BLOCK, BlockRig.bytes(1, 5000));
            assertEquals(5000, rig.read(0, BLOCK, 0, 5000).length);
            Connection server = rig.connect(0);
            // The reader has its last bytes a moment before they are counted.
            BlockDamageTest.awaitTrue(() -> status(server).getBytesRead() == 5000);
            BlockServerStatusReply status = status(server);
            assertEquals(1, status.getServerId());
            assertEquals(5000, status.getBytesWritten());
            assertEquals(1, status.getVolume(0).getBlocks());
        }
    }

    @Test
    void aScrubIsBegunAndEndsWithEverythingRead() throws Exception {
        try (BlockRig rig = BlockRig.single(directory)) {
            BlockStreamTest.writeWhole(rig, BLOCK, BlockRig.bytes(1, 5 * MIB));
            BlockServerStatusReply status = scrub(rig, ScrubRequest.Action.START);
            while (status.getVolume(0).getScrubbing()) {
                status = scrub(rig, ScrubRequest.Action.STATUS);
            }
            assertEquals(5 * MIB, status.getVolume(0).getScrubbedBytes());
            assertEquals(0, status.getVolume(0).getDamagedChunks());
            assertEquals(
                    false, scrub(rig, ScrubRequest.Action.STOP).getVolume(0).getScrubbing());
        }
    }

    private static BlockServerStatusReply status(Connection server) {
        return server.call(
                        BlockMethods.BLOCK_SERVER_STATUS,
                        CallOptions.DEFAULT,
                        BlockServerStatusRequest.getDefaultInstance())
                .join();
    }

    private static BlockServerStatusReply scrub(BlockRig rig, ScrubRequest.Action action) throws Exception {
        return rig.connect(0)
                .callAndWait(
                        BlockMethods.SCRUB,
                        CallOptions.DEFAULT,
                        ScrubRequest.newBuilder().setAction(action).build());
    }

    private static AuditRequest.Item.Builder item(int number, long generation, long length) {
        return AuditRequest.Item.newBuilder()
                .setBlockId(BlockRig.block(number).value())
                .setGeneration(generation)
                .setLength(length);
    }
}
