package io.tatami.block.service;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.netty.buffer.PoolArenaMetric;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.tatami.base.ChunkChecksum;
import io.tatami.block.service.context.BlockServerMetrics;
import io.tatami.protocol.BlockMethods;
import io.tatami.protocol.wire.WriteAck;
import io.tatami.protocol.wire.WriteBlockReply;
import io.tatami.protocol.wire.WriteBlockRequest;
import io.tatami.protocol.wire.WriteFrame;
import io.tatami.rpc.CallOptions;
import io.tatami.rpc.RpcStream;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A writer that goes on sending behind the frame that it called its last. */
@Timeout(120)
final class FramesBehindTheLastTest {
    private static final int FRAME_BYTES = ChunkChecksum.CHUNK_BYTES;
    private static final int FRAMES = 12;
    private static final int STREAMS = 60;

    /** What connections keep at hand. */
    private static final long TOLERANCE_BYTES = 8L << 20;

    @TempDir
    Path directory;

    @Test
    void theServerKeepsNoBufferOfThem() throws Exception {
        byte[] bytes = BlockRig.bytes(3, FRAME_BYTES);
        int checksum = ChunkChecksum.ofPieces(0, ByteBuffer.wrap(bytes))[0];
        try (BlockRig rig = BlockRig.single(directory)) {
            writeBeyondTheEnd(rig, 1, bytes, checksum);
            long before = usedBytes();

            for (int block = 2; block < 2 + STREAMS; block++) {
                writeBeyondTheEnd(rig, block, bytes, checksum);
            }

            BlockServerMetrics metrics = rig.server(0).running().server().metrics();
            BlockDamageTest.awaitTrue(() -> metrics.writeStreams() == 0);
            BlockDamageTest.awaitTrue(() -> usedBytes() < before + TOLERANCE_BYTES);
        }
    }

    private static void writeBeyondTheEnd(BlockRig rig, int block, byte[] bytes, int checksum) throws Exception {
        Heard<WriteAck, WriteBlockReply> heard = new Heard<>();
        RpcStream<WriteFrame> stream = rig.connect(0)
                .openStream(
                        BlockMethods.WRITE_BLOCK,
                        CallOptions.DEFAULT.withTimeoutMillis(0),
                        WriteBlockRequest.newBuilder()
                                .setBlockId(BlockRig.block(block).value())
                                .setGeneration(1)
                                .setReserveBytes(FRAME_BYTES)
                                .build(),
                        heard);
        for (int frame = 0; frame < FRAMES; frame++) {
            stream.sendAndRelease(
                    WriteFrame.newBuilder()
                            .setSequence(frame + 1)
                            .setOffset((long) frame * FRAME_BYTES)
                            .setLast(frame == 0)
                            .addChecksum(checksum)
                            .build(),
                    Unpooled.wrappedBuffer(bytes));
        }
        assertEquals(FRAME_BYTES, heard.end.get(20, TimeUnit.SECONDS).getLength());
    }

    private static long usedBytes() {
        return PooledByteBufAllocator.DEFAULT.metric().directArenas().stream()
                .mapToLong(PoolArenaMetric::numActiveBytes)
                .sum();
    }
}
