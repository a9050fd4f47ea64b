package io.tatami.block.service;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.buffer.Unpooled;
import io.tatami.base.BlockId;
import io.tatami.base.ErrorCode;
import io.tatami.base.Generation;
import io.tatami.base.TatamiException;
import io.tatami.client.block.BlockReadStream;
import io.tatami.client.block.BlockWriteStream;
import io.tatami.client.block.WriteSpec;
import io.tatami.protocol.BlockMethods;
import io.tatami.protocol.wire.DeleteBlocksReply;
import io.tatami.protocol.wire.DeleteBlocksRequest;
import io.tatami.protocol.wire.WriteAck;
import io.tatami.protocol.wire.WriteBlockReply;
import io.tatami.protocol.wire.WriteBlockRequest;
import io.tatami.protocol.wire.WriteFrame;
import io.tatami.rpc.CallOptions;
import io.tatami.rpc.RpcStream;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What goes wrong is told, and never given out as data. */
public final class BlockDamageTest {
    private static final int MIB = 1 << 20;

    @TempDir
    public Path directory;

    @Test
    void aFrameThatFailsItsChecksumIsRefusedAndNothingOfItIsStored() throws Exception {
        BlockId block = BlockRig.block(1);
        try (BlockRig rig = BlockRig.single(directory)) {
            Heard<WriteAck, WriteBlockReply> outcome = new Heard<>();
            RpcStream<WriteFrame> stream = rig.connect(0)
                    .openStream(
                            BlockMethods.WRITE_BLOCK,
                            CallOptions.DEFAULT.withTimeoutMillis(0),
                            WriteBlockRequest.newBuilder()
                                    .setBlockId(block.value())
                                    .setGeneration(1)
                                    .setReserveBytes(MIB)
                                    .build(),
                            outcome);
            stream.sendAndRelease(
                    WriteFrame.newBuilder().setSequence(1).addChecksum(12345).build(),
                    Unpooled.wrappedBuffer(BlockRig.bytes(1, 1000)));
            assertEquals(ErrorCode.CORRUPT, outcome.failure().code());
            TatamiException absent = assertThrows(TatamiException.class, () -> rig.read(0, block, 0, 1000));
            assertEquals(ErrorCode.NO_SUCH_BLOCK, absent.code());
            BlockStreamTest.writeWhole(rig, block, BlockRig.bytes(1, 1000));
        }
    }

    @Test
    void framesOutOfOrderAreRefused() throws Exception {
        try (BlockRig rig = BlockRig.single(directory)) {
            Heard<WriteAck, WriteBlockReply> outcome = new Heard<>();
            RpcStream<WriteFrame> stream = rig.connect(0)
                    .openStream(
                            BlockMethods.WRITE_BLOCK,
                            CallOptions.DEFAULT.withTimeoutMillis(0),
                            WriteBlockRequest.newBuilder()
                                    .setBlockId(BlockRig.block(1).value())
                                    .setGeneration(1)
                                    .setReserveBytes(MIB)
                                    .build(),
                            outcome);
            stream.send(WriteFrame.newBuilder().setSequence(2).build());
            assertEquals(ErrorCode.MALFORMED, outcome.failure().code());
        }
    }

    @Test
    void aRottenChunkIsAnErrorThatNamesItAndItsBytesAreNotGivenOut() throws Exception {
        BlockId block = BlockRig.block(1);
        byte[] bytes = BlockRig.bytes(2, 6 * MIB);
        int rottenAt = 5 * MIB + 70_000;
        try (BlockRig rig = BlockRig.single(directory)) {
            BlockStreamTest.writeWhole(rig, block, bytes);
            rig.server(0).stop();
            flipByteAfter(rig.server(0).volumeFile, Arrays.copyOfRange(bytes, rottenAt, rottenAt + 64));
            rig.server(0).start();
            byte[] read = new byte[bytes.length];
            int total = 0;
            TatamiException corrupt;
            try (BlockReadStream stream =
                    rig.client.openReader(rig.target(0), block, Generation.FIRST, 0, bytes.length)) {
                corrupt = null;
                while (corrupt == null) {
                    try {
                        int count = stream.read(read, total, read.length - total);
                        assertTrue(count > 0, "the end was reached at " + total);
                        total += count;
                    } catch (TatamiException e) {
                        corrupt = e;
                    }
                }
            }
            assertEquals(ErrorCode.CORRUPT, corrupt.code());
            assertTrue(String.valueOf(corrupt.getMessage()).contains(block.toString()), corrupt.toString());
            assertTrue(total <= 5 * MIB + 65_536, "given out up to " + total);
            assertArrayEquals(Arrays.copyOf(bytes, total), Arrays.copyOf(read, total));
        }
    }

    @Test
    void aFullVolumeTellsTheWriterAndDeletingMakesRoom() throws Exception {
        try (BlockRig rig = BlockRig.single(directory)) {
            byte[] bytes = BlockRig.bytes(3, 8 * MIB);
            int stored = 0;
            TatamiException full = null;
            while (full == null) {
                try {
                    BlockStreamTest.writeWhole(rig, BlockRig.block(stored + 1), bytes);
                    stored++;
                } catch (TatamiException e) {
                    full = e;
                }
            }
            assertEquals(ErrorCode.NO_SPACE, full.code());
            assertTrue(stored >= 5, stored + " blocks fit");
            assertEquals(1, delete(rig, BlockRig.block(1), 1).getDeletedBlockIdCount());
            BlockStreamTest.writeWhole(rig, BlockRig.block(99), bytes);
            assertArrayEquals(bytes, rig.read(0, BlockRig.block(99), 0, bytes.length));
        }
    }

    @Test
    void deletingIsRepeatableAndSparesNewerGenerations() throws Exception {
        BlockId block = BlockRig.block(1);
        try (BlockRig rig = BlockRig.single(directory)) {
            WriteSpec spec = WriteSpec.create(block, Generation.of(3), 1000);
            try (BlockWriteStream stream = rig.client.openWriter(rig.chain(), spec)) {
                BlockRig.write(stream, BlockRig.bytes(1, 1000));
                stream.finish();
            }
            assertEquals(1, delete(rig, block, 2).getDeletedBlockIdCount(), "the copy that was meant is gone");
            assertArrayEquals(BlockRig.bytes(1, 1000), rig.read(0, block, 0, 1000));
            assertEquals(1, delete(rig, block, 3).getDeletedBlockIdCount());
            assertEquals(1, delete(rig, block, 3).getDeletedBlockIdCount());
            TatamiException gone = assertThrows(TatamiException.class, () -> rig.read(0, block, 0, 10));
            assertEquals(ErrorCode.NO_SUCH_BLOCK, gone.code());
        }
    }

    @Test
    void readersThatGiveUpGiveTheirBuffersBack() throws Exception {
        BlockId block = BlockRig.block(1);
        byte[] bytes = BlockRig.bytes(4, 30 * MIB);
        try (BlockRig rig = BlockRig.single(directory)) {
            BlockStreamTest.writeWhole(rig, block, bytes);
            BlockRig.Running running = rig.server(0).running();
            for (int round = 0; round < 20; round++) {
                try (BlockReadStream stream =
                        rig.client.openReader(rig.target(0), block, Generation.FIRST, 0, bytes.length)) {
                    if (round % 2 == 0) {
                        assertTrue(stream.read(new byte[1000], 0, 1000) > 0);
                    }
                }
            }
            awaitTrue(() -> running.server().metrics().readStreams() == 0);
            awaitTrue(() -> running.resources().readBuffers().freeBuffers()
                    == running.resources().readBuffers().buffers());
            assertArrayEquals(bytes, rig.read(0, block, 0, bytes.length));
        }
    }

    public static void awaitTrue(BooleanSupplier condition) {
        long endNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
        while (!condition.getAsBoolean()) {
            assertTrue(System.nanoTime() < endNanos, "it did not become true");
            Thread.onSpinWait();
        }
    }

    private static DeleteBlocksReply delete(BlockRig rig, BlockId block, long generation) throws Exception {
        return rig.connect(0)
                .callAndWait(
                        BlockMethods.DELETE_BLOCKS,
                        BlockRig.AS_METADATA,
                        DeleteBlocksRequest.newBuilder()
                                .addItem(DeleteBlocksRequest.Item.newBuilder()
                                        .setBlockId(block.value())
                                        .setGeneration(generation))
                                .build());
    }

    /** Flips a bit of the byte that follows the only place in the file where {@code pattern} is. */
    /** Changes a bit of the byte behind {@code pattern}. */
    static void flipByteAfter(Path path, byte[] pattern) throws IOException {
        try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "rw")) {
            byte[] all = new byte[(int) file.length()];
            file.readFully(all);
            int at = indexOf(all, pattern) + pattern.length;
            file.seek(at);
            file.write(all[at] ^ 4);
        }
    }

    private static int indexOf(byte[] all, byte[] pattern) {
        for (int i = 0; i <= all.length - pattern.length; i++) {
            if (all[i] == pattern[0] && Arrays.equals(all, i, i + pattern.length, pattern, 0, pattern.length)) {
                return i;
            }
        }
        throw new AssertionError("the volume does not hold the block's bytes");
    }
}
