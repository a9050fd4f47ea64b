package io.tatami.block.service;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.BlockId;
import io.tatami.base.ErrorCode;
import io.tatami.base.Generation;
import io.tatami.base.TatamiException;
import io.tatami.client.block.BlockTarget;
import io.tatami.client.block.BlockWriteStream;
import io.tatami.client.block.PendingFrame;
import io.tatami.client.block.WriteSpec;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Three servers behind one another. */
final class ChainTest {
    private static final int MIB = 1 << 20;
    private static final long BLOCK_BYTES = 16 * MIB;
    private static final BlockId BLOCK = BlockRig.block(1);

    @TempDir
    Path directory;

    @Test
    void everyServerHasWhatWasFlushedSyncedAndFinished() throws Exception {
        byte[] bytes = BlockRig.bytes(1, 7 * MIB + 1234);
        try (BlockRig rig = new BlockRig(directory, 3, BlockRig.settings())) {
            try (BlockWriteStream stream =
                    rig.client.openWriter(rig.chain(), WriteSpec.create(BLOCK, Generation.FIRST, BLOCK_BYTES))) {
                stream.write(bytes, 0, 100_001);
                stream.hflush();
                assertEveryServerHas(rig, Arrays.copyOf(bytes, 100_001));
                stream.write(bytes, 100_001, 3 * MIB);
                stream.hsync();
                assertEquals(100_001 + 3 * MIB, stream.durableLength());
                for (BlockTarget target : rig.chain()) {
                    assertEquals(
                            100_001 + 3 * MIB,
                            rig.client.blockInfo(target, BLOCK).getDurableLength());
                }
                stream.write(bytes, 100_001 + 3 * MIB, bytes.length - 100_001 - 3 * MIB);
                assertEquals(bytes.length, stream.finish());
            }
            for (int server = 0; server < 3; server++) {
                rig.server(server).restart();
            }
            assertEveryServerHas(rig, bytes);
        }
    }

    @Test
    void aLostMiddleServerIsNamedAndTheOthersGoOnWithoutLosingAcknowledgedBytes() throws Exception {
        byte[] bytes = BlockRig.bytes(2, 8 * MIB);
        WriteSpec spec = WriteSpec.create(BLOCK, Generation.FIRST, BLOCK_BYTES);
        try (BlockRig rig = new BlockRig(directory, 3, BlockRig.settings())) {
            List<BlockTarget> chain = rig.chain();
            BlockWriteStream broken = rig.client.openWriter(chain, spec);
            broken.write(bytes, 0, 3 * MIB + 17);
            broken.hflush();
            rig.server(1).stop();
            TatamiException failure = assertThrows(TatamiException.class, () -> {
                broken.write(bytes, 3 * MIB + 17, 4 * MIB);
                broken.hflush();
            });
            assertEquals(2, broken.failedServer().value(), failure.toString());
            long acknowledged = broken.visibleLength();
            assertTrue(acknowledged >= 3 * MIB + 17, "acknowledged " + acknowledged);
            int taken = (int) broken.position();
            List<PendingFrame> frames = broken.takeUnacknowledged();
            broken.close();

            List<BlockTarget> rest = List.of(chain.get(0), chain.get(2));
            try (BlockWriteStream stream =
                    rig.client.openWriter(rest, spec.continuedAt(Generation.of(2), acknowledged))) {
                stream.awaitReady();
                stream.resend(frames);
                stream.write(bytes, taken, bytes.length - taken);
                assertEquals(bytes.length, stream.finish());
            }
            assertArrayEquals(bytes, rig.read(0, BLOCK, 0, bytes.length));
            assertArrayEquals(bytes, rig.read(2, BLOCK, 0, bytes.length));
        }
    }

    @Test
    void aServerThatCannotBeReachedIsNamed() throws Exception {
        try (BlockRig rig = new BlockRig(directory, 3, BlockRig.settings())) {
            List<BlockTarget> chain = rig.chain();
            rig.server(2).stop();
            try (BlockWriteStream stream =
                    rig.client.openWriter(chain, WriteSpec.create(BLOCK, Generation.FIRST, BLOCK_BYTES))) {
                TatamiException failure = assertThrows(TatamiException.class, stream::awaitReady);
                assertEquals(ErrorCode.UNAVAILABLE, failure.code());
                assertEquals(3, stream.failedServer().value());
            }
        }
    }

    private static void assertEveryServerHas(BlockRig rig, byte[] bytes) throws TatamiException {
        for (int server = 0; server < 3; server++) {
            assertArrayEquals(bytes, rig.read(server, BLOCK, 0, bytes.length + 1), "server " + server);
        }
    }
}
