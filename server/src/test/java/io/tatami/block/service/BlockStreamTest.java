package io.tatami.block.service;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.BlockId;
import io.tatami.base.ErrorCode;
import io.tatami.base.Generation;
import io.tatami.base.TatamiException;
import io.tatami.block.volume.VolumeResources;
import io.tatami.client.block.BlockReadStream;
import io.tatami.client.block.BlockWriteStream;
import io.tatami.client.block.PendingFrame;
import io.tatami.client.block.WriteSpec;
import io.tatami.protocol.wire.BlockInfoReply;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** One server, one client: what is written is read, and what was promised is kept. */
final class BlockStreamTest {
    private static final int MIB = 1 << 20;
    private static final long BLOCK_BYTES = 16 * MIB;

    @TempDir
    Path directory;

    @Test
    void blocksOfOddSizesComeBackAsTheyWereWritten() throws Exception {
        int[] sizes = {0, 1, 4095, 4096, 65_535, 65_536, 65_537, MIB, MIB + 1, 4 * MIB - 1, 4 * MIB, 9 * MIB + 12_345};
        try (BlockRig rig = BlockRig.single(directory)) {
            for (int i = 0; i < sizes.length; i++) {
                byte[] bytes = BlockRig.bytes(i, sizes[i]);
                BlockId block = BlockRig.block(i + 1);
                WriteSpec spec = i % 2 == 0
                        ? WriteSpec.create(block, Generation.FIRST, BLOCK_BYTES)
                        : WriteSpec.createPacked(block, Generation.FIRST, sizes[i]);
                try (BlockWriteStream stream = rig.client.openWriter(rig.chain(), spec)) {
                    BlockRig.write(stream, bytes);
                    assertEquals(sizes[i], stream.finish());
                }
                assertArrayEquals(bytes, rig.read(0, block, 0, sizes[i] + 1), "size " + sizes[i]);
                BlockInfoReply info = rig.client.blockInfo(rig.target(0), block);
                assertTrue(info.getFinalized());
                assertEquals(sizes[i], info.getDurableLength());
            }
        }
    }

    @Test
    void anyRangeIsReadInAnySteps() throws Exception {
        byte[] bytes = BlockRig.bytes(5, 9 * MIB + 777);
        BlockId block = BlockRig.block(1);
        SplittableRandom random = new SplittableRandom(11);
        try (BlockRig rig = BlockRig.single(directory)) {
            writeWhole(rig, block, bytes);
            for (int round = 0; round < 30; round++) {
                int from = random.nextInt(bytes.length);
                int length = random.nextInt(bytes.length - from + 1);
                int to = from + length;
                ByteBuffer result = ByteBuffer.allocateDirect(length + 1);
                try (BlockReadStream stream =
                        rig.client.openReader(rig.target(0), block, Generation.FIRST, from, length)) {
                    while (stream.position() < to) {
                        if (random.nextInt(4) == 0) {
                            long skipped = stream.skip(random.nextInt(100_000));
                            result.position(result.position() + (int) skipped);
                        } else {
                            int step = Math.min(result.remaining(), 1 + random.nextInt(300_000));
                            ByteBuffer part = result.slice(result.position(), step);
                            int count = stream.read(part);
                            int at = from + result.position();
                            assertEquals(ByteBuffer.wrap(bytes, at, count), part.flip(), "bytes at " + at);
                            result.position(result.position() + count);
                        }
                    }
                    assertEquals(-1, stream.read(ByteBuffer.allocate(1)));
                }
            }
        }
    }

    @Test
    void flushedBytesAreSeenByAReaderWhileTheBlockIsWritten() throws Exception {
        byte[] bytes = BlockRig.bytes(1, 3 * MIB + 333);
        BlockId block = BlockRig.block(1);
        try (BlockRig rig = BlockRig.single(directory);
                BlockWriteStream stream =
                        rig.client.openWriter(rig.chain(), WriteSpec.create(block, Generation.FIRST, BLOCK_BYTES))) {
            int[] ends = {100, 70_000, 70_001, 2 * MIB, bytes.length};
            int from = 0;
            for (int end : ends) {
                stream.write(bytes, from, end - from);
                stream.hflush();
                from = end;
                assertEquals(end, stream.visibleLength());
                assertArrayEquals(Arrays.copyOf(bytes, end), rig.read(0, block, 0, bytes.length));
            }
            stream.finish();
        }
    }

    @Test
    void syncedBytesOfOddLengthsAndThoseShownLaterSurviveAnOrderlyStop() throws Exception {
        byte[] bytes = BlockRig.bytes(2, 5 * MIB);
        int[] synced = {1, 65_537, 4 * MIB + 4097};
        try (BlockRig rig = BlockRig.single(directory)) {
            for (int i = 0; i < synced.length; i++) {
                try (BlockWriteStream stream = rig.client.openWriter(
                        rig.chain(), WriteSpec.create(BlockRig.block(i + 1), Generation.FIRST, BLOCK_BYTES))) {
                    stream.write(bytes, 0, synced[i]);
                    stream.hsync();
                    assertEquals(synced[i], stream.durableLength());
                    BlockInfoReply stored = rig.client.blockInfo(rig.target(0), BlockRig.block(i + 1));
                    assertEquals(synced[i], stored.getDurableLength());
                    stream.write(bytes, synced[i], 1000);
                    stream.hflush();
                }
            }
            rig.server(0).restart();
            for (int i = 0; i < synced.length; i++) {
                byte[] shown = Arrays.copyOf(bytes, synced[i] + 1000);
                assertArrayEquals(shown, rig.read(0, BlockRig.block(i + 1), 0, bytes.length));
            }
        }
    }

    @Test
    void aFinishedBlockIsAppendedToUnderANewGeneration() throws Exception {
        byte[] bytes = BlockRig.bytes(3, 2 * MIB + 5);
        int first = MIB + 70_001;
        BlockId block = BlockRig.block(1);
        WriteSpec spec = WriteSpec.create(block, Generation.FIRST, BLOCK_BYTES);
        try (BlockRig rig = BlockRig.single(directory)) {
            try (BlockWriteStream stream = rig.client.openWriter(rig.chain(), spec)) {
                stream.write(bytes, 0, first);
                stream.finish();
            }
            try (BlockWriteStream stream =
                    rig.client.openWriter(rig.chain(), spec.continuedAt(Generation.of(2), first))) {
                stream.awaitReady();
                assertEquals(2, rig.client.blockInfo(rig.target(0), block).getGeneration());
                stream.write(bytes, first, bytes.length - first);
                assertEquals(bytes.length, stream.finish());
            }
            assertArrayEquals(bytes, rig.read(0, block, 0, bytes.length));
            rig.server(0).restart();
            assertArrayEquals(bytes, rig.read(0, block, 0, bytes.length));
        }
    }

    @Test
    void afterALostServerTheWriterGoesOnFromWhatWasAcknowledged() throws Exception {
        byte[] bytes = BlockRig.bytes(4, 7 * MIB + 99);
        BlockId block = BlockRig.block(1);
        WriteSpec spec = WriteSpec.create(block, Generation.FIRST, BLOCK_BYTES);
        try (BlockRig rig = BlockRig.single(directory)) {
            BlockWriteStream broken = rig.client.openWriter(rig.chain(), spec);
            broken.write(bytes, 0, 2 * MIB + 500);
            broken.hsync();
            rig.server(0).stop();
            assertThrows(TatamiException.class, () -> {
                broken.write(bytes, 2 * MIB + 500, 4 * MIB);
                broken.hflush();
            });
            assertEquals(1, broken.failedServer().value());
            int taken = (int) broken.position();
            long acknowledged = broken.visibleLength();
            assertEquals(2 * MIB + 500, acknowledged);
            List<PendingFrame> frames = broken.takeUnacknowledged();
            broken.close();

            rig.server(0).start();
            try (BlockWriteStream stream =
                    rig.client.openWriter(rig.chain(), spec.continuedAt(Generation.of(2), acknowledged))) {
                stream.awaitReady();
                stream.resend(frames);
                assertEquals(taken, stream.position());
                stream.write(bytes, taken, bytes.length - taken);
                stream.finish();
            }
            assertArrayEquals(bytes, rig.read(0, block, 0, bytes.length));
        }
    }

    @Test
    void aNewerWriterTakesTheBlockFromTheOneBefore() throws Exception {
        byte[] bytes = BlockRig.bytes(6, 3 * MIB);
        BlockId block = BlockRig.block(1);
        WriteSpec spec = WriteSpec.create(block, Generation.FIRST, BLOCK_BYTES);
        try (BlockRig rig = BlockRig.single(directory);
                BlockWriteStream old = rig.client.openWriter(rig.chain(), spec)) {
            old.write(bytes, 0, MIB + 10);
            old.hflush();
            try (BlockWriteStream newer =
                    rig.client.openWriter(rig.chain(), spec.continuedAt(Generation.of(5), MIB + 10))) {
                newer.awaitReady();
                TatamiException fenced = assertThrows(TatamiException.class, () -> {
                    BlockRig.write(old, bytes);
                    old.hflush();
                });
                assertEquals(ErrorCode.FENCED, fenced.code());
                newer.write(bytes, MIB + 10, bytes.length - MIB - 10);
                newer.finish();
            }
            assertArrayEquals(bytes, rig.read(0, block, 0, bytes.length));
            try (BlockWriteStream late = rig.client.openWriter(rig.chain(), spec.continuedAt(Generation.of(4), 0))) {
                assertEquals(
                        ErrorCode.FENCED,
                        assertThrows(TatamiException.class, late::awaitReady).code());
            }
        }
    }

    @Test
    void aBlockIsNotBegunTwice() throws Exception {
        BlockId block = BlockRig.block(1);
        try (BlockRig rig = BlockRig.single(directory)) {
            writeWhole(rig, block, BlockRig.bytes(1, 10));
            try (BlockWriteStream again =
                    rig.client.openWriter(rig.chain(), WriteSpec.create(block, Generation.of(2), 100))) {
                assertEquals(
                        ErrorCode.ALREADY_EXISTS,
                        assertThrows(TatamiException.class, again::awaitReady).code());
            }
        }
    }

    @Test
    void writersBeyondTheLimitAreRefusedAndAreServedLater() throws Exception {
        try (BlockRig rig = new BlockRig(directory, 1, BlockRig.settings("tatami.block.write.streams.max", "1"))) {
            try (BlockWriteStream first = rig.client.openWriter(
                            rig.chain(), WriteSpec.create(BlockRig.block(1), Generation.FIRST, 100));
                    BlockWriteStream second = rig.client.openWriter(
                            rig.chain(), WriteSpec.create(BlockRig.block(2), Generation.FIRST, 100))) {
                first.awaitReady();
                assertEquals(
                        ErrorCode.BUSY,
                        assertThrows(TatamiException.class, second::awaitReady).code());
                first.finish();
            }
            writeWhole(rig, BlockRig.block(3), BlockRig.bytes(3, 100));
            assertEquals(0, rig.server(0).running().server().metrics().writeStreams());
        }
    }

    @Test
    void anIdleWriterLosesItsStreamAndItsBytesStay() throws Exception {
        BlockId block = BlockRig.block(1);
        byte[] bytes = BlockRig.bytes(8, 1000);
        try (BlockRig rig = new BlockRig(directory, 1, BlockRig.settings("tatami.block.writer.idle.max", "1ms"));
                BlockWriteStream stream =
                        rig.client.openWriter(rig.chain(), WriteSpec.create(block, Generation.FIRST, BLOCK_BYTES))) {
            BlockRig.write(stream, bytes);
            stream.hsync();
            while (stream.failure() == null) {
                Thread.onSpinWait();
            }
            assertEquals(ErrorCode.DEADLINE_EXCEEDED, stream.failure().code());
            assertArrayEquals(bytes, rig.read(0, block, 0, 1000));
        }
    }

    @Test
    void streamsThatStandStillGiveTheirBuffersBackAndGoOn() throws Exception {
        byte[] bytes = BlockRig.bytes(8, 20 * MIB);
        try (BlockRig rig = new BlockRig(directory, 1, BlockRig.settings("tatami.block.park.after", "1ms"))) {
            VolumeResources resources = rig.server(0).running().resources();
            writeWhole(rig, BlockRig.block(1), bytes);
            try (BlockWriteStream writer = rig.client.openWriter(
                            rig.chain(), WriteSpec.create(BlockRig.block(2), Generation.FIRST, BLOCK_BYTES));
                    BlockReadStream reader = rig.client.openReader(
                            rig.target(0), BlockRig.block(1), Generation.FIRST, 0, bytes.length)) {
                writer.write(bytes, 0, 100_000);
                writer.hflush();
                byte[] read = new byte[bytes.length];
                int total = reader.read(read, 0, 1);
                BlockDamageTest.awaitTrue(() -> writer.durableLength() == 100_000
                        && resources.writeBuffers().freeBuffers()
                                == resources.writeBuffers().buffers()
                        && resources.readBuffers().freeBuffers()
                                == resources.readBuffers().buffers());
                while (total < read.length) {
                    total += reader.read(read, total, read.length - total);
                }
                assertArrayEquals(bytes, read);
                writer.write(bytes, 100_000, 200_000);
                assertEquals(300_000, writer.finish());
            }
            assertArrayEquals(Arrays.copyOf(bytes, 300_000), rig.read(0, BlockRig.block(2), 0, bytes.length));
        }
    }

    @Test
    void writersUnderATightReceiveBudgetAllGetThrough() throws Exception {
        byte[] bytes = BlockRig.bytes(9, 6 * MIB);
        try (BlockRig rig = new BlockRig(directory, 1, BlockRig.settings("tatami.block.received.max", "1m"))) {
            List<BlockWriteStream> streams = List.of(
                    rig.client.openWriter(
                            rig.chain(), WriteSpec.create(BlockRig.block(1), Generation.FIRST, bytes.length)),
                    rig.client.openWriter(
                            rig.chain(), WriteSpec.create(BlockRig.block(2), Generation.FIRST, bytes.length)),
                    rig.client.openWriter(
                            rig.chain(), WriteSpec.create(BlockRig.block(3), Generation.FIRST, bytes.length)));
            for (int from = 0; from < bytes.length; from += MIB) {
                for (BlockWriteStream stream : streams) {
                    stream.write(bytes, from, MIB);
                }
            }
            for (BlockWriteStream stream : streams) {
                stream.finish();
                assertArrayEquals(bytes, rig.read(0, stream.spec().block(), 0, bytes.length));
            }
        }
    }

    static void writeWhole(BlockRig rig, BlockId block, byte[] bytes) throws TatamiException {
        try (BlockWriteStream stream = rig.client.openWriter(
                rig.chain(), WriteSpec.create(block, Generation.FIRST, Math.max(1, bytes.length)))) {
            BlockRig.write(stream, bytes);
            stream.finish();
        }
    }
}
