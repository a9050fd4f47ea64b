package io.tatami.block.service;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import io.tatami.base.BlockId;
import io.tatami.base.Generation;
import io.tatami.block.device.AlignedBufferPool;
import io.tatami.block.volume.BlockWriter;
import io.tatami.block.volume.Volume;
import io.tatami.client.block.BlockReadStream;
import io.tatami.client.block.BlockTarget;
import io.tatami.protocol.BlockMethods;
import io.tatami.protocol.FrameFormat;
import io.tatami.protocol.FrameKind;
import io.tatami.protocol.UserIdentity;
import io.tatami.protocol.wire.Hello;
import io.tatami.protocol.wire.ReadBlockRequest;
import io.tatami.protocol.wire.RequestHeader;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Clients that ask for blocks and never read from their sockets. */
@Timeout(120)
final class StalledSocketsTest {
    private static final int MIB = 1 << 20;
    private static final int BLOCK_BYTES = 24 * MIB;
    private static final int STALLED = 12;
    private static final int STREAMS_EACH = 8;
    private static final BlockId BLOCK = BlockRig.block(1);

    @TempDir
    Path directory;

    @Test
    void anHonestReaderGoesOnBesideThem() throws Exception {
        byte[] bytes = BlockRig.bytes(7, BLOCK_BYTES);
        List<Socket> stalled = new ArrayList<>();
        try (BlockRig rig = BlockRig.single(directory)) {
            Volume volume = rig.server(0).running().volume();
            BlockWriter writer = volume.create(BLOCK, Generation.FIRST, BLOCK_BYTES, false);
            writer.append(ByteBuffer.wrap(bytes), null);
            writer.finish();
            try {
                for (int i = 0; i < STALLED; i++) {
                    stalled.add(askAndNeverRead(rig.target(0)));
                }
                for (Socket socket : stalled) {
                    awaitFirstBytes(socket);
                }
                for (int round = 0; round < 3; round++) {
                    assertArrayEquals(bytes, readByConnection(rig));
                    assertArrayEquals(bytes, rig.read(0, BLOCK, 0, BLOCK_BYTES));
                }
            } finally {
                for (Socket socket : stalled) {
                    socket.close();
                }
            }
        }
    }

    @Test
    void oneClientWithManyStreamsOfWhichEachIsOwedLittleLeavesOthersTheirHalf() throws Exception {
        byte[] bytes = BlockRig.bytes(7, BLOCK_BYTES);
        try (BlockRig rig = BlockRig.single(directory)) {
            Volume volume = rig.server(0).running().volume();
            BlockWriter writer = volume.create(BLOCK, Generation.FIRST, BLOCK_BYTES, false);
            writer.append(ByteBuffer.wrap(bytes), null);
            writer.finish();
            AlignedBufferPool buffers = rig.server(0).running().resources().readBuffers();
            try (Socket socket = askAndNeverRead(rig.target(0), 200, 1)) {
                awaitFirstBytes(socket);
                for (int round = 0; round < 10; round++) {
                    assertArrayEquals(bytes, readByConnection(rig));
                    assertTrue(buffers.freeBuffers() >= buffers.buffers() / 2, () -> buffers.freeBuffers() + " free");
                }
            }
        }
    }

    private static byte[] readByConnection(BlockRig rig) throws IOException {
        byte[] bytes = new byte[BLOCK_BYTES];
        int total = 0;
        try (BlockReadStream stream =
                rig.clientWithoutMemory().openReader(rig.target(0), BLOCK, Generation.NONE, 0, BLOCK_BYTES)) {
            while (total < BLOCK_BYTES) {
                int count = stream.read(bytes, total, BLOCK_BYTES - total);
                if (count < 0) {
                    return new byte[0];
                }
                total += count;
            }
        }
        return bytes;
    }

    private static Socket askAndNeverRead(BlockTarget target) throws IOException {
        return askAndNeverRead(target, STREAMS_EACH, BLOCK_BYTES);
    }

    private static Socket askAndNeverRead(BlockTarget target, int streams, int windowBytes) throws IOException {
        Socket socket = new Socket();
        socket.setReceiveBufferSize(16 << 10);
        socket.connect(new InetSocketAddress(target.host(), target.port()));
        Hello hello = Hello.newBuilder()
                .setMagic(0x54544d49)
                .setOldestVersion(1)
                .setNewestVersion(1)
                .setFrameBytesMax(FrameFormat.FRAME_BYTES_MAX)
                .setClientName("stalled")
                .setAuthScheme("SIMPLE")
                .setCredential(UserIdentity.of("mallory").toSimpleCredential())
                .build();
        socket.getOutputStream().write(frame(FrameKind.HELLO, 0, ByteString.EMPTY, hello.toByteString()));
        for (int call = 1; call <= streams; call++) {
            RequestHeader header = RequestHeader.newBuilder()
                    .setProtocolVersion(1)
                    .setMethod(BlockMethods.READ_BLOCK.number())
                    .build();
            ReadBlockRequest request = ReadBlockRequest.newBuilder()
                    .setBlockId(BLOCK.value())
                    .setLength(BLOCK_BYTES)
                    .setWindowBytes(windowBytes)
                    .build();
            socket.getOutputStream()
                    .write(frame(FrameKind.REQUEST, call, header.toByteString(), request.toByteString()));
        }
        return socket;
    }

    /** The answers begin to come; no more of them is taken. */
    private static void awaitFirstBytes(Socket socket) throws IOException {
        byte[] welcome = socket.getInputStream().readNBytes(FrameFormat.PREFIX_BYTES);
        int contentBytes = ByteBuffer.wrap(welcome).getInt() + Integer.BYTES - FrameFormat.PREFIX_BYTES;
        byte[] unused = socket.getInputStream().readNBytes(contentBytes);
        byte[] data = socket.getInputStream().readNBytes(FrameFormat.PREFIX_BYTES);
        if (data.length < FrameFormat.PREFIX_BYTES || data[FrameFormat.KIND_OFFSET] != FrameKind.DATA.number()) {
            throw new AssertionError("the server does not send the block");
        }
    }

    private static byte[] frame(FrameKind kind, int callId, ByteString header, ByteString body) {
        int length = FrameFormat.LENGTH_MIN + header.size() + body.size();
        return ByteBuffer.allocate(Integer.BYTES + length)
                .putInt(length)
                .put((byte) kind.number())
                .put(new byte[3])
                .putInt(callId)
                .putInt(header.size())
                .putInt(body.size())
                .put(header.asReadOnlyByteBuffer())
                .put(body.asReadOnlyByteBuffer())
                .array();
    }
}
