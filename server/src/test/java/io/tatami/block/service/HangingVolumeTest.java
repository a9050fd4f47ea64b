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
import io.tatami.block.service.context.BlockServerMetrics;
import io.tatami.block.service.context.BlockServerSettings;
import io.tatami.block.volume.BlockWriter;
import io.tatami.block.volume.HangingVolume;
import io.tatami.block.volume.VolumeResources;
import io.tatami.client.block.BlockReadStream;
import io.tatami.client.block.BlockWriteStream;
import io.tatami.client.block.WriteSpec;
import io.tatami.protocol.BlockMethods;
import io.tatami.protocol.wire.ChunkChecksumsRequest;
import io.tatami.protocol.wire.DeleteBlocksRequest;
import io.tatami.protocol.wire.FinalizeBlockReply;
import io.tatami.rpc.CallOptions;
import io.tatami.rpc.Connection;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A server with two volumes, one of which hangs: its users wait, and nobody else does. */
final class HangingVolumeTest {
    private static final int MIB = 1 << 20;
    private static final int BLOCK_BYTES = 2 * MIB;
    private static final int HANGING_BLOCKS = 17;
    private static final int STREAMS_MAX = HANGING_BLOCKS - 1;
    private static final BlockId SOUND = BlockRig.block(100);

    @TempDir
    Path directory;

    private final byte[] bytes = BlockRig.bytes(5, BLOCK_BYTES);
    private HangingVolume hanging;
    private BlockRig rig;

    @BeforeEach
    void begin() throws Exception {
        hanging = new HangingVolume(5 * BlockRig.VOLUME_BYTES, VolumeResources.withBuffers(4, 4));
        for (int number = 1; number <= HANGING_BLOCKS; number++) {
            write(hanging.volume().create(BlockRig.block(number), Generation.FIRST, BLOCK_BYTES, false));
        }
        BlockServerSettings settings =
                BlockRig.settings("tatami.block.read.streams.max", Integer.toString(STREAMS_MAX));
        rig = new BlockRig(directory, 1, settings, BlockRig.VOLUME_BYTES, List.of(hanging.volume()));
        write(rig.server(0).running().volume().create(SOUND, Generation.FIRST, BLOCK_BYTES, false));
        hanging.device().hang();
    }

    @AfterEach
    void end() throws Exception {
        hanging.device().goOn();
        rig.close();
        hanging.close();
    }

    @Test
    void readsOfAnotherVolumeGoOn() throws Exception {
        List<BlockReadStream> waiting = new ArrayList<>();
        for (int number = 1; number <= STREAMS_MAX; number++) {
            waiting.add(rig.client.openReader(rig.target(0), BlockRig.block(number), Generation.FIRST, 0, BLOCK_BYTES));
        }

        for (int i = 0; i < 3; i++) {
            assertArrayEquals(bytes, rig.read(0, SOUND, 0, BLOCK_BYTES));
        }

        hanging.device().goOn();
        for (BlockReadStream stream : waiting) {
            ByteBuffer got = ByteBuffer.allocate(BLOCK_BYTES);
            while (got.hasRemaining() && stream.read(got) >= 0) {
                continue;
            }
            assertArrayEquals(bytes, got.array());
            stream.close();
        }
    }

    @Test
    void streamsThatItHoldsUpAreCountedForNoOtherVolumeAndTheRefusalNamesIt() throws Exception {
        List<BlockReadStream> waiting = new ArrayList<>();
        for (int number = 1; number <= STREAMS_MAX; number++) {
            waiting.add(rig.client.openReader(rig.target(0), BlockRig.block(number), Generation.FIRST, 0, BLOCK_BYTES));
        }
        hanging.device().awaitHanging();
        BlockServerMetrics metrics = rig.server(0).running().server().metrics();
        BlockDamageTest.awaitTrue(() -> metrics.readStreams() == STREAMS_MAX);
        try (BlockReadStream oneMore = rig.client.openReader(
                rig.target(0), BlockRig.block(HANGING_BLOCKS), Generation.FIRST, 0, BLOCK_BYTES)) {
            TatamiException refused =
                    assertThrows(TatamiException.class, () -> oneMore.read(ByteBuffer.allocate(BLOCK_BYTES)));
            assertEquals(ErrorCode.BUSY, refused.code());
            String message = String.valueOf(refused.getMessage());
            assertTrue(message.contains("of volume another volume are open, the limit of"), message);
            assertTrue(message.contains("tatami.block.read.streams.max"), message);
        }

        assertArrayEquals(bytes, rig.read(0, SOUND, 0, BLOCK_BYTES));

        hanging.device().goOn();
        for (BlockReadStream stream : waiting) {
            stream.close();
        }
    }

    @Test
    void writesToAnotherVolumeGoOn() throws Exception {
        // Longer than the other volume is.
        List<BlockWriteStream> waiting = new ArrayList<>();
        for (int number = 200; number < 202; number++) {
            BlockWriteStream stream = rig.client.openWriter(
                    rig.chain(), WriteSpec.create(BlockRig.block(number), Generation.FIRST, 2 * BlockRig.VOLUME_BYTES));
            BlockRig.write(stream, BlockRig.bytes(number, 8 * MIB));
            waiting.add(stream);
        }

        try (BlockWriteStream stream = rig.client.openWriter(
                rig.chain(), WriteSpec.create(BlockRig.block(300), Generation.FIRST, 32L * MIB))) {
            for (int i = 0; i < 8; i++) {
                BlockRig.write(stream, bytes);
            }
            stream.finish();
        }

        assertEquals(
                16L * MIB,
                rig.client.blockInfo(rig.target(0), BlockRig.block(300)).getDurableLength());
        hanging.device().goOn();
        for (BlockWriteStream stream : waiting) {
            stream.finish();
            stream.close();
        }
        assertArrayEquals(BlockRig.bytes(201, 8 * MIB), rig.read(0, BlockRig.block(201), 0, 8 * MIB));
    }

    @Test
    void callsAboutBlocksOfAnotherVolumeGoOnAndADeletionTellsWhatIsGone() throws Exception {
        Connection connection = rig.connect(0);
        List<CompletableFuture<FinalizeBlockReply>> waiting = new ArrayList<>();
        for (int number = 1; number <= HANGING_BLOCKS; number++) {
            waiting.add(connection.call(
                    BlockMethods.FINALIZE_BLOCK,
                    BlockRig.AS_METADATA,
                    RecoveryCalls.finalization(BlockRig.block(number), 2, 100_000)));
        }

        ChunkChecksumsRequest checksums = ChunkChecksumsRequest.newBuilder()
                .setBlockId(SOUND.value())
                .setLength(BLOCK_BYTES)
                .build();
        assertEquals(
                BLOCK_BYTES / ChunkChecksum.CHUNK_BYTES * Integer.BYTES,
                connection
                        .callAndWait(BlockMethods.CHUNK_CHECKSUMS, CallOptions.DEFAULT, checksums)
                        .getChecksums()
                        .size());
        DeleteBlocksRequest.Builder deletion = DeleteBlocksRequest.newBuilder();
        for (BlockId block : List.of(BlockRig.block(1), SOUND)) {
            deletion.addItem(DeleteBlocksRequest.Item.newBuilder()
                    .setBlockId(block.value())
                    .setGeneration(9));
        }
        assertEquals(
                List.of(SOUND.value()),
                connection
                        .callAndWait(BlockMethods.DELETE_BLOCKS, BlockRig.AS_METADATA, deletion.build())
                        .getDeletedBlockIdList());

        assertFalse(waiting.stream().anyMatch(CompletableFuture::isDone));
        hanging.device().goOn();
        for (CompletableFuture<FinalizeBlockReply> reply : waiting) {
            FinalizeBlockReply unused = reply.get(20, TimeUnit.SECONDS);
        }
        assertEquals(
                100_000, rig.client.blockInfo(rig.target(0), BlockRig.block(2)).getDurableLength());
    }

    private void write(BlockWriter writer) throws TatamiException {
        writer.append(ByteBuffer.wrap(bytes), null);
        writer.finish();
    }
}
