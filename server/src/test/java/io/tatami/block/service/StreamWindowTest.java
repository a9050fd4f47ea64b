package io.tatami.block.service;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.tatami.base.BlockId;
import io.tatami.base.Generation;
import io.tatami.base.TatamiException;
import io.tatami.block.volume.HangingVolume;
import io.tatami.block.volume.VolumeResources;
import io.tatami.client.block.BlockClient;
import io.tatami.client.block.BlockTarget;
import io.tatami.client.block.BlockWriteStream;
import io.tatami.client.block.WriteSpec;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Write streams whose servers keep little for them, or hang. */
@Timeout(120)
final class StreamWindowTest {
    private static final int MIB = 1 << 20;
    private static final String RECEIVED = "tatami.block.received.max";

    @TempDir
    Path directory;

    @Test
    void moreThanAWindowPassesThroughThreeServersByConnections() throws Exception {
        byte[] bytes = BlockRig.bytes(1, 40 * MIB);
        try (BlockRig rig = new BlockRig(directory, 3, BlockRig.settings())) {
            write(rig.clientWithoutMemory(), rig.chain(), BlockRig.block(1), bytes);
            for (int server = 0; server < 3; server++) {
                assertArrayEquals(bytes, rig.read(server, BlockRig.block(1), 0, bytes.length), "server " + server);
            }
        }
    }

    @Test
    void chainsInACircleAllEndThoughEachServerKeepsLittle() throws Exception {
        int each = 6;
        byte[] bytes = BlockRig.bytes(2, 3 * MIB + 4_321);
        ExecutorService writers = Executors.newFixedThreadPool(3 * each);
        try (BlockRig rig = new BlockRig(directory, 3, BlockRig.settings(RECEIVED, "1m"), 128L * MIB)) {
            BlockClient client = rig.clientWithoutMemory();
            List<Future<?>> written = new ArrayList<>();
            for (int i = 0; i < 3 * each; i++) {
                BlockId block = BlockRig.block(i + 1);
                List<BlockTarget> chain = turned(rig.chain(), i % 3);
                written.add(writers.submit(() -> {
                    write(client, chain, block, bytes);
                    return null;
                }));
            }
            for (Future<?> end : written) {
                end.get(100, TimeUnit.SECONDS);
            }
            for (int i = 0; i < 3 * each; i++) {
                assertArrayEquals(bytes, rig.read(i % 3, BlockRig.block(i + 1), 0, bytes.length), "block " + i);
            }
        } finally {
            writers.shutdownNow();
        }
    }

    @Test
    void aHungDiskHoldsUpNoStreamOfTheSameConnectionToAnotherVolume() throws Exception {
        byte[] bytes = BlockRig.bytes(3, 16 * MIB);
        try (HangingVolume hanging = new HangingVolume(10 * BlockRig.VOLUME_BYTES, VolumeResources.withBuffers(4, 4));
                BlockRig rig = new BlockRig(
                        directory,
                        1,
                        BlockRig.settings(RECEIVED, "1m"),
                        BlockRig.VOLUME_BYTES,
                        List.of(hanging.volume()))) {
            BlockClient client = rig.clientWithoutMemory();
            ExecutorService writers = Executors.newFixedThreadPool(4);
            List<Future<?>> waiting = new ArrayList<>();
            try {
                hanging.device().hang();
                for (int number = 1; number <= 4; number++) {
                    BlockId block = BlockRig.block(number);
                    WriteSpec longer = WriteSpec.create(block, Generation.FIRST, 2 * BlockRig.VOLUME_BYTES);
                    waiting.add(writers.submit(() -> {
                        try (BlockWriteStream stream = client.openWriter(rig.chain(), longer)) {
                            BlockRig.write(stream, bytes);
                            stream.finish();
                        }
                        return null;
                    }));
                }
                hanging.device().awaitHanging();

                write(client, rig.chain(), BlockRig.block(100), bytes);

                assertArrayEquals(bytes, rig.read(0, BlockRig.block(100), 0, bytes.length));
                hanging.device().goOn();
                for (Future<?> end : waiting) {
                    end.get(100, TimeUnit.SECONDS);
                }
            } finally {
                hanging.device().goOn();
                writers.shutdownNow();
            }
        }
    }

    @RepeatedTest(3)
    void theTailThatHangsIsNamedAndNoServerBeforeIt() throws Exception {
        byte[] bytes = BlockRig.bytes(4, 8 * MIB);
        try (HangingVolume hanging = new HangingVolume(10 * BlockRig.VOLUME_BYTES, VolumeResources.withBuffers(4, 4));
                BlockRig rig = new BlockRig(
                        directory,
                        3,
                        BlockRig.settings("tatami.block.chain.silence.max", "1s"),
                        BlockRig.VOLUME_BYTES,
                        number -> number == 3 ? List.of(hanging.volume()) : List.of())) {
            WriteSpec longer = WriteSpec.create(BlockRig.block(1), Generation.FIRST, 2 * BlockRig.VOLUME_BYTES);
            try (BlockWriteStream stream = rig.clientWithoutMemory().openWriter(rig.chain(), longer)) {
                stream.write(bytes, 0, MIB);
                stream.hsync();
                hanging.device().hang();
                assertThrows(TatamiException.class, () -> {
                    stream.write(bytes, MIB, bytes.length - MIB);
                    stream.hsync();
                });
                assertEquals(3, stream.failedServer().value(), () -> String.valueOf(stream.failure()));
            } finally {
                hanging.device().goOn();
            }
        }
    }

    private static List<BlockTarget> turned(List<BlockTarget> chain, int by) {
        List<BlockTarget> turned = new ArrayList<>(chain.subList(by, chain.size()));
        turned.addAll(chain.subList(0, by));
        return turned;
    }

    private static void write(BlockClient client, List<BlockTarget> chain, BlockId block, byte[] bytes)
            throws TatamiException {
        try (BlockWriteStream stream =
                client.openWriter(chain, WriteSpec.create(block, Generation.FIRST, bytes.length))) {
            BlockRig.write(stream, bytes);
            stream.finish();
        }
    }
}
