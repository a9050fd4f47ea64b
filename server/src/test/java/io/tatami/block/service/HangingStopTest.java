package io.tatami.block.service;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.BlockId;
import io.tatami.base.Generation;
import io.tatami.base.ManualClock;
import io.tatami.base.TatamiException;
import io.tatami.block.device.AccessTimes;
import io.tatami.block.service.volumes.RememberedVolumes;
import io.tatami.block.service.volumes.VolumePlaces;
import io.tatami.block.service.volumes.VolumeSet;
import io.tatami.block.volume.BlockWriter;
import io.tatami.block.volume.HangingVolume;
import io.tatami.block.volume.Volume;
import io.tatami.block.volume.VolumeResources;
import io.tatami.client.block.BlockReadStream;
import io.tatami.client.block.BlockWriteStream;
import io.tatami.client.block.WriteSpec;
import io.tatami.protocol.BlockMethods;
import io.tatami.protocol.wire.ChangeVolumeReply;
import io.tatami.protocol.wire.ChangeVolumeRequest;
import io.tatami.protocol.wire.ScrubRequest;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A server with two volumes, one of which hangs, is stopped. */
final class HangingStopTest {
    private static final int MIB = 1 << 20;
    private static final int BLOCK_BYTES = 2 * MIB;
    private static final int READERS = 3;
    private static final BlockId OF_HANGING = BlockRig.block(200);
    private static final BlockId OF_OTHER = BlockRig.block(300);

    @TempDir
    Path directory;

    private final ManualClock clock = new ManualClock();
    private final byte[] bytes = BlockRig.bytes(5, BLOCK_BYTES);
    private HangingVolume hanging;
    private BlockRig rig;
    private BlockServer server;

    @BeforeEach
    void begin() throws Exception {
        hanging = new HangingVolume(5 * BlockRig.VOLUME_BYTES, VolumeResources.withBuffers(4, 4), clock);
        for (int number = 1; number <= READERS; number++) {
            BlockWriter writer = hanging.volume().create(BlockRig.block(number), Generation.FIRST, BLOCK_BYTES, false);
            writer.append(ByteBuffer.wrap(bytes), null);
            writer.finish();
        }
        rig = new BlockRig(directory, 1, BlockRig.settings(), BlockRig.VOLUME_BYTES, List.of(hanging.volume()));
        server = rig.server(0).running().server();
    }

    @AfterEach
    void end() throws Exception {
        hanging.device().goOn();
        rig.close();
        hanging.close();
    }

    @Test
    void whatHangsIsLeftAndTheOtherVolumeIsClosedProperly() throws Exception {
        List<BlockReadStream> readers = new ArrayList<>();
        try (BlockWriteStream held =
                        openAndReady(WriteSpec.create(OF_HANGING, Generation.FIRST, 2 * BlockRig.VOLUME_BYTES));
                BlockWriteStream going = openAndReady(WriteSpec.create(OF_OTHER, Generation.FIRST, BLOCK_BYTES))) {
            BlockRig.write(going, bytes);
            going.hsync();
            hanging.device().hang();
            BlockRig.write(held, BlockRig.bytes(6, 8 * MIB));
            for (int number = 1; number <= READERS; number++) {
                readers.add(
                        rig.client.openReader(rig.target(0), BlockRig.block(number), Generation.FIRST, 0, BLOCK_BYTES));
            }
            server.reports().scrub(request(ScrubRequest.Action.START));
            hanging.device().awaitHanging();
            BlockDamageTest.awaitTrue(() -> server.metrics().readStreams() == READERS);
            clock.advance(Duration.ofNanos(AccessTimes.HANG_NANOS));
            assertTrue(server.reports()
                    .scrub(request(ScrubRequest.Action.STOP))
                    .getVolume(1)
                    .getScrubbing());

            server.close();
            hanging.volume().close();

            assertEquals(READERS, server.metrics().readStreams());
            assertEquals(1, server.metrics().writeStreams());
            assertTrue(hanging.volume().accessTimes().isHanging());
        } finally {
            hanging.device().goOn();
            for (BlockReadStream reader : readers) {
                reader.close();
            }
        }
        rig.server(0).restart();
        assertArrayEquals(bytes, rig.read(0, OF_OTHER, 0, BLOCK_BYTES));
    }

    @Test
    void whatHangsOnAVolumeThatWasTakenOutIsLeftToo() throws Exception {
        CountDownLatch isClosed = new CountDownLatch(1);
        rig.server(0).stop();
        rig.server(0).places = new Places(isClosed);
        rig.server(0).start();
        server = rig.server(0).running().server();
        try (BlockWriteStream held =
                openAndReady(WriteSpec.create(OF_HANGING, Generation.FIRST, 2 * BlockRig.VOLUME_BYTES))) {
            hanging.device().hang();
            BlockRig.write(held, BlockRig.bytes(6, 8 * MIB));
            hanging.device().awaitHanging();
            clock.advance(Duration.ofNanos(AccessTimes.HANG_NANOS));
            ChangeVolumeReply removed = rig.connect(0)
                    .callAndWait(
                            BlockMethods.CHANGE_VOLUME,
                            BlockRig.AS_METADATA,
                            ChangeVolumeRequest.newBuilder()
                                    .setAction(ChangeVolumeRequest.Action.REMOVE)
                                    .setVolume(hanging.volume().id().toString())
                                    .setGiveUp(true)
                                    .build());
            assertEquals(1, removed.getStatus().getVolumeCount());
            assertTrue(isClosed.await(1, TimeUnit.MINUTES));

            server.close();

            assertEquals(1, server.metrics().writeStreams());
        } finally {
            hanging.device().goOn();
        }
    }

    /** The volume that hangs is closed, but for what hangs. */
    private final class Places implements VolumePlaces {
        private final CountDownLatch isClosed;

        Places(CountDownLatch isClosed) {
            this.isClosed = isClosed;
        }

        @Override
        public Volume open(String path, long capacityBytes, VolumeSet serving) {
            throw new UnsupportedOperationException(path);
        }

        @Override
        public void close(Volume volume) throws TatamiException {
            volume.close();
            isClosed.countDown();
        }

        @Override
        public String normal(String path) {
            return path;
        }

        @Override
        public RememberedVolumes remembered() {
            return new RememberedVolumes(directory, BlockRig.CLUSTER);
        }
    }

    /** The first is longer than the other volume, and the second goes where nobody writes. */
    private BlockWriteStream openAndReady(WriteSpec spec) throws TatamiException {
        BlockWriteStream stream = rig.client.openWriter(rig.chain(), spec);
        stream.awaitReady();
        return stream;
    }

    private static ScrubRequest request(ScrubRequest.Action action) {
        return ScrubRequest.newBuilder().setAction(action).build();
    }
}
