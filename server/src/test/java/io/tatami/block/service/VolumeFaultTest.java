package io.tatami.block.service;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.BlockId;
import io.tatami.base.Clock;
import io.tatami.base.ErrorCode;
import io.tatami.base.Generation;
import io.tatami.base.ServerId;
import io.tatami.base.TatamiException;
import io.tatami.block.device.SimFaults;
import io.tatami.block.service.registration.IdentityFile;
import io.tatami.block.service.volumes.VolumeSet;
import io.tatami.block.volume.SimVolume;
import io.tatami.client.block.BlockClient;
import io.tatami.client.block.BlockClientSettings;
import io.tatami.client.block.BlockReadStream;
import io.tatami.client.block.BlockTarget;
import io.tatami.client.block.BlockWriteStream;
import io.tatami.client.block.WriteSpec;
import io.tatami.conf.Settings;
import io.tatami.protocol.BlockMethods;
import io.tatami.protocol.UserIdentity;
import io.tatami.protocol.wire.BlockServerStatusReply;
import io.tatami.protocol.wire.BlockServerStatusRequest;
import io.tatami.protocol.wire.DeleteBlocksRequest;
import io.tatami.protocol.wire.FenceBlockReply;
import io.tatami.rpc.CallOptions;
import io.tatami.rpc.Connection;
import io.tatami.rpc.netty.client.RpcClient;
import io.tatami.rpc.netty.server.RpcServer;
import io.tatami.rpc.netty.shared.ClientIdentity;
import io.tatami.rpc.netty.shared.EventLoops;
import io.tatami.rpc.netty.shared.RpcSettings;
import io.tatami.rpc.netty.shared.ServerIdentity;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * One server with two simulated volumes, of which one has an I/O error: at each access of its device and of its index
 * that the requests of a client make, one after the other.
 */
final class VolumeFaultTest {
    private static final long DATA_BYTES = 8 << 20;
    private static final int BLOCKS = 4;
    private static final int LENGTH = 200_001;
    private static final int SYNCED = 70_001;
    private static final int CUT = 150_000;

    @TempDir
    private Path directory;

    @Test
    void anErrorAtAnyAccessStopsThatVolumeAndNothingElse() throws Exception {
        int struck = 0;
        while (strikes(struck)) {
            struck++;
        }
        assertTrue(struck > 20, "only " + struck + " accesses");
    }

    /** False where the requests make fewer accesses. */
    private boolean strikes(int access) throws Exception {
        try (Scene scene = new Scene(Files.createDirectories(directory.resolve("access-" + access)))) {
            scene.sick.faults().arm(access, SimFaults.Fault.IO_ERROR);
            scene.requests();
            if (!scene.sick.faults().hasStruck()) {
                assertEquals(List.of(), List.copyOf(scene.failures.values()));
                return false;
            }
            scene.checkThatOnlyTheSickVolumeIsConcerned("an error at access " + access);
            scene.checkWhatWasAcknowledged("an error at access " + access);
            return true;
        }
    }

    /** The server, a client, and what the client was told. */
    private static final class Scene implements AutoCloseable {
        private final SimVolume sick = new SimVolume(DATA_BYTES, 1);
        private final SimVolume well = new SimVolume(DATA_BYTES, 2);
        private final Map<Integer, byte[]> acknowledged = new TreeMap<>();
        private final Map<String, TatamiException> failures = new TreeMap<>();
        private final EventLoops loops;
        private final RpcClient connector;
        private final BlockServer server;
        private final RpcServer listener;
        private final BlockClient client;
        private final BlockTarget target;
        private boolean closed;

        Scene(Path home) throws Exception {
            RpcSettings rpc = RpcSettings.from(Settings.of(Map.of()));
            loops = new EventLoops("faults", rpc);
            connector =
                    new RpcClient(loops, rpc, Clock.SYSTEM, ClientIdentity.simple("faults", UserIdentity.of("anna")));
            new IdentityFile(home, SimVolume.CLUSTER).write(IdentityFile.Identity.notStarted(new ServerId(1)));
            VolumeSet volumes = new VolumeSet(List.of(
                    new VolumeSet.ServedVolume(sick.volume(), "sick"),
                    new VolumeSet.ServedVolume(well.volume(), "well")));
            server = new BlockServer(
                    BlockRig.settings(),
                    volumes,
                    null,
                    new IdentityFile(home, SimVolume.CLUSTER),
                    connector,
                    Clock.SYSTEM);
            server.credential().learn(BlockRig.AS_METADATA.credential());
            listener = new RpcServer(
                    loops, rpc, Clock.SYSTEM, ServerIdentity.simple("server", SimVolume.CLUSTER), server.handlers());
            InetSocketAddress address =
                    (InetSocketAddress) listener.start(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            client = new BlockClient(connector, BlockClientSettings.DEFAULT.withTimeoutMillis(20_000));
            target = new BlockTarget(new ServerId(1), address.getHostString(), address.getPort());
        }

        /** Writes, synced in the middle, reads, a cut and a deletion, each of which may fail. */
        void requests() throws Exception {
            for (int number = 1; number <= BLOCKS; number++) {
                int block = number;
                attempt("write " + block, () -> write(block));
            }
            for (int block : List.copyOf(acknowledged.keySet())) {
                attempt("read " + block, () -> checkRead(block));
            }
            int cut = anyOn(sick);
            if (cut > 0) {
                attempt("cut " + cut, () -> cut(cut));
                attempt("read " + cut + " again", () -> checkRead(cut));
                attempt("delete " + cut, () -> delete(cut));
            }
        }

        private interface Request {
            void run() throws Exception;
        }

        private void attempt(String what, Request request) throws Exception {
            try {
                request.run();
            } catch (TatamiException e) {
                failures.put(what, e);
            }
        }

        private void write(int number) throws TatamiException {
            byte[] bytes = BlockRig.bytes(number, LENGTH);
            WriteSpec spec = WriteSpec.create(BlockRig.block(number), Generation.FIRST, 1 << 20);
            try (BlockWriteStream stream = client.openWriter(List.of(target), spec)) {
                stream.write(bytes, 0, SYNCED);
                stream.hsync();
                acknowledged.put(number, Arrays.copyOf(bytes, SYNCED));
                stream.write(bytes, SYNCED, LENGTH - SYNCED);
                stream.finish();
                acknowledged.put(number, bytes);
            }
        }

        private void checkRead(int number) throws TatamiException {
            byte[] expected = acknowledged.getOrDefault(number, new byte[0]);
            byte[] found = new byte[expected.length];
            int total = 0;
            try (BlockReadStream stream =
                    client.openReader(target, BlockRig.block(number), Generation.FIRST, 0, expected.length)) {
                int count = 0;
                while (count >= 0 && total < found.length) {
                    count = stream.read(found, total, found.length - total);
                    total += Math.max(0, count);
                }
            }
            assertArrayEquals(expected, Arrays.copyOf(found, total), "block " + number);
        }

        private void cut(int number) throws Exception {
            // From here on either length may be there.
            byte[] before = acknowledged.getOrDefault(number, new byte[0]);
            int length = Math.min(CUT, before.length);
            acknowledged.put(number, Arrays.copyOf(before, length));
            Connection server = connect();
            FenceBlockReply unused = RecoveryCalls.fence(server, BlockRig.block(number), 2);
            RecoveryCalls.finalizeAt(server, BlockRig.block(number), 2, length);
        }

        private void delete(int number) throws Exception {
            DeleteBlocksRequest request = DeleteBlocksRequest.newBuilder()
                    .addItem(DeleteBlocksRequest.Item.newBuilder()
                            .setBlockId(BlockRig.block(number).value())
                            .setGeneration(9))
                    .build();
            byte[] before = acknowledged.remove(number);
            int deleted = connect()
                    .callAndWait(BlockMethods.DELETE_BLOCKS, BlockRig.AS_METADATA, request)
                    .getDeletedBlockIdCount();
            if (deleted == 0) {
                failures.put("delete " + number, new TatamiException(ErrorCode.IO_ERROR, "not confirmed"));
            } else {
                assertNotNull(before);
                assertTrue(sick.volume().find(BlockRig.block(number)).isEmpty());
            }
        }

        private Connection connect() throws Exception {
            return connector.connect(target.address()).get(20, TimeUnit.SECONDS);
        }

        private int anyOn(SimVolume volume) {
            return acknowledged.keySet().stream()
                    .filter(number ->
                            volume.volume().find(BlockRig.block(number)).isPresent())
                    .findFirst()
                    .orElse(0);
        }

        void checkThatOnlyTheSickVolumeIsConcerned(String when) throws Exception {
            String reason = sick.volume().statistics().failure();
            boolean isToldToBeUnreadable = failures.values().stream()
                    .anyMatch(failure -> failure.toString().contains("cannot read"));
            // A read that failed once is made again.
            boolean wasReadAgain = failures.isEmpty() && sick.disk().failedReads() == 1;
            assertTrue(!reason.isEmpty() || isToldToBeUnreadable || wasReadAgain, when + ": " + failures);
            for (Map.Entry<String, TatamiException> failure : failures.entrySet()) {
                assertEquals(ErrorCode.IO_ERROR, failure.getValue().code(), when + ": " + failure);
            }
            assertEquals("", well.volume().statistics().failure(), when);
            for (int number : acknowledged.keySet()) {
                if (well.volume().find(BlockRig.block(number)).isPresent()) {
                    checkRead(number);
                }
            }
            write(50);
            checkRead(50);
            write(51);
            checkRead(51);
            BlockServerStatusReply status = connect()
                    .callAndWait(
                            BlockMethods.BLOCK_SERVER_STATUS,
                            CallOptions.DEFAULT,
                            BlockServerStatusRequest.getDefaultInstance());
            assertEquals(reason, status.getVolume(0).getFailure(), when);
            assertEquals("", status.getVolume(1).getFailure(), when);
        }

        /** After the power of all has gone for a moment. */
        void checkWhatWasAcknowledged(String when) throws TatamiException {
            closeServer();
            sick.crash();
            well.crash();
            for (Map.Entry<Integer, byte[]> entry : acknowledged.entrySet()) {
                BlockId block = BlockRig.block(entry.getKey());
                SimVolume volume = sick.volume().find(block).isPresent() ? sick : well;
                byte[] found = SimVolume.readAll(volume.volume(), block);
                int length = entry.getValue().length;
                assertTrue(found.length >= length, when + ": " + block + " is too short");
                assertArrayEquals(entry.getValue(), Arrays.copyOf(found, length), when + ": " + block);
            }
        }

        private void closeServer() {
            if (!closed) {
                closed = true;
                server.close();
            }
        }

        @Override
        public void close() throws IOException {
            closeServer();
            listener.close();
            connector.close();
            loops.close();
            sick.close();
            well.close();
        }
    }
}
