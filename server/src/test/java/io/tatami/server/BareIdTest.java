package io.tatami.server;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.Message;
import io.tatami.base.Clock;
import io.tatami.base.DirectoryId;
import io.tatami.base.ErrorCode;
import io.tatami.base.FileId;
import io.tatami.base.GroupId;
import io.tatami.base.TatamiException;
import io.tatami.client.TatamiClient;
import io.tatami.client.file.FileReader;
import io.tatami.client.file.FileWriter;
import io.tatami.client.file.ReadPolicy;
import io.tatami.client.model.CreateSpec;
import io.tatami.client.model.LocatedBlock;
import io.tatami.client.model.PathStatus;
import io.tatami.client.model.TatamiPath;
import io.tatami.conf.Settings;
import io.tatami.protocol.BlockMethods;
import io.tatami.protocol.MetaMethods;
import io.tatami.protocol.Method;
import io.tatami.protocol.Placement;
import io.tatami.protocol.UserIdentity;
import io.tatami.protocol.wire.AttributeChange;
import io.tatami.protocol.wire.BlockInfoRequest;
import io.tatami.protocol.wire.CheckReadRequest;
import io.tatami.protocol.wire.CutFileRequest;
import io.tatami.protocol.wire.DeleteBlocksRequest;
import io.tatami.protocol.wire.DirectorySlice;
import io.tatami.protocol.wire.FenceBlockRequest;
import io.tatami.protocol.wire.FinalizeBlockRequest;
import io.tatami.protocol.wire.GetBlocksRequest;
import io.tatami.protocol.wire.ReadSharesRequest;
import io.tatami.protocol.wire.RecoverFileRequest;
import io.tatami.protocol.wire.ReopenFileRequest;
import io.tatami.rpc.CallOptions;
import io.tatami.rpc.netty.client.RpcClient;
import io.tatami.rpc.netty.shared.ClientIdentity;
import io.tatami.rpc.netty.shared.EventLoops;
import io.tatami.rpc.netty.shared.RpcSettings;
import io.tatami.server.node.ClusterAddress;
import io.tatami.server.node.StandaloneNode;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/**
 * Who knows ids and no more, and speaks to the servers without our client, gets no further than by the paths. The files
 * here have their names in one shard and their homes in another, so that two groups have to agree.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class BareIdTest {
    private static final Settings SETTINGS = Settings.of(Map.of("tatami.client.operation.timeout", "30s"));
    private static final String SUPERUSER = System.getProperty("user.name");
    private static final int SHARDS = 4;
    private static final byte[] SECRET = "a secret".getBytes(StandardCharsets.UTF_8);

    private StandaloneNode node;
    private TatamiClient superuser;
    private TatamiClient ann;
    private TatamiClient bob;

    @BeforeAll
    void start(@TempDir Path directory) throws Exception {
        node = StandaloneNode.open(
                new StandaloneNode.Setup(directory, List.of(), 1L << 30, "localhost", 0, SHARDS),
                SETTINGS,
                user -> List.of(user + "s-group"));
        superuser = connect(SUPERUSER);
        ann = connect("ann");
        bob = connect("bob");
    }

    @AfterAll
    void stop() throws Exception {
        ann.close();
        bob.close();
        superuser.close();
        node.close();
    }

    private TatamiClient connect(String user) throws TatamiException {
        return TatamiClient.connect(ClusterAddress.of(node.uri()).authority(), UserIdentity.of(user), SETTINGS);
    }

    /** What somebody gets who speaks the protocol by hand. */
    private <Q extends Message, R extends Message> R ask(String user, GroupId group, Method<Q, R> method, Q request)
            throws TatamiException {
        InetSocketAddress metadata =
                new InetSocketAddress("localhost", URI.create(node.uri()).getPort());
        return ask(metadata, user, CallOptions.DEFAULT.withGroup(group), method, request);
    }

    private static <Q extends Message, R extends Message> R ask(
            InetSocketAddress address, String user, CallOptions options, Method<Q, R> method, Q request)
            throws TatamiException {
        RpcSettings settings = RpcSettings.from(Settings.defaults());
        try (EventLoops loops = new EventLoops("by-hand", settings);
                RpcClient client = new RpcClient(
                        loops, settings, Clock.SYSTEM, ClientIdentity.simple("by-hand", UserIdentity.of(user)))) {
            return client.connect(address).join().callAndWait(method, options, request);
        }
    }

    private <Q extends Message> void assertDenied(String user, GroupId group, Method<Q, ?> method, Q request) {
        TatamiException refused =
                assertThrows(TatamiException.class, () -> ask(user, group, method, request), method.name());
        assertEquals(ErrorCode.PERMISSION_DENIED, refused.code(), refused.toString());
    }

    /** A directory that ann owns. */
    private TatamiPath directory(String name, int mode) throws TatamiException {
        TatamiPath path = TatamiPath.of("/" + name);
        assertTrue(superuser.mkdirs(path, CreateSpec.modes(mode, 0), true));
        superuser.setAttributes(
                path, AttributeChange.newBuilder().setOwner("ann").setMode(mode).build());
        return path;
    }

    /** A file of ann's in {@code to}, whose home is another shard than the one that has its name. */
    private TatamiPath moved(TatamiPath to, byte[] content, int mode) throws Exception {
        GroupId there = shardOf(to);
        for (int i = 0; ; i++) {
            TatamiPath from = directory("from-" + to.name() + "-" + i, 0755);
            if (shardOf(from).equals(there)) {
                continue;
            }
            TatamiPath source = from.child("f");
            try (FileWriter writer = ann.create(source, CreateSpec.DEFAULT.withModes(CreateSpec.modes(mode, 0)))) {
                writer.write(content, 0, content.length);
            }
            ann.rename(source, to.child("f"), false);
            PathStatus status = ann.status(to.child("f"), true);
            assertNotEquals(there, new FileId(status.id()).home());
            return to.child("f");
        }
    }

    /** The home tells the name by a message that the writer does not wait for. */
    private void awaitOpenUnder(TatamiPath file) throws Exception {
        for (int tries = 0; !bob.status(file, true).isOpen(); tries++) {
            assertTrue(tries < 3_000, "the name never heard that its file is open");
            Thread.sleep(10);
        }
    }

    private GroupId shardOf(TatamiPath directory) throws TatamiException {
        DirectoryId id = new DirectoryId(superuser.status(directory, true).id());
        return GroupId.ofShard(Placement.firstShardOf(id, SHARDS));
    }

    private FileId idOf(TatamiPath file) throws TatamiException {
        return new FileId(superuser.status(file, true).id());
    }

    private static byte[] read(FileReader open) throws Exception {
        try (FileReader reader = open) {
            ByteBuffer all = ByteBuffer.allocate((int) reader.lengthBytes());
            int length = 0;
            while (all.hasRemaining() && length >= 0) {
                length = reader.read(all);
            }
            return Arrays.copyOf(all.array(), all.position());
        }
    }

    private byte[] readById(TatamiClient client, TatamiPath file) throws Exception {
        return read(client.open(idOf(file), file, ReadPolicy.SEQUENTIAL));
    }

    private void assertNotReadById(TatamiClient client, TatamiPath file) {
        TatamiException refused = assertThrows(TatamiException.class, () -> readById(client, file));
        assertEquals(ErrorCode.PERMISSION_DENIED, refused.code(), refused.toString());
    }

    @Test
    void aFileIsReadByItsIdOnlyByWhoMayReadItUnderItsName() throws Exception {
        TatamiPath closed = moved(directory("private-file", 0755), SECRET, 0600);
        assertArrayEquals(SECRET, readById(ann, closed));
        assertArrayEquals(SECRET, readById(superuser, closed));
        assertNotReadById(bob, closed);
        superuser.setAttributes(
                closed, AttributeChange.newBuilder().setMode(0644).build());
        assertArrayEquals(SECRET, readById(bob, closed));
    }

    @Test
    void aFileBelowAClosedDirectoryIsNotReadByItsId() throws Exception {
        TatamiPath above = directory("private-directory", 0755);
        TatamiPath file = moved(directory("private-directory/inner", 0755), SECRET, 0644);
        assertArrayEquals(SECRET, readById(bob, file));
        superuser.setAttributes(
                above, AttributeChange.newBuilder().setMode(0700).build());
        assertNotReadById(bob, file);
        assertArrayEquals(SECRET, readById(ann, file));
    }

    @Test
    void whoShowsNothingIsToldNothing() throws Exception {
        TatamiPath directory = directory("by-hand", 0700);
        TatamiPath path = moved(directory, SECRET, 0600);
        FileId file = idOf(path);
        // A client asks again until the home has heard of the new name; who asks by hand does not.
        assertArrayEquals(SECRET, readById(ann, path));
        GetBlocksRequest blocks =
                GetBlocksRequest.newBuilder().setFileId(file.value()).build();
        assertDenied("bob", file.home(), MetaMethods.GET_BLOCKS, blocks);
        assertEquals(
                SECRET.length,
                ask("ann", file.home(), MetaMethods.GET_BLOCKS, blocks)
                        .getStatus()
                        .getLength());
        TatamiPath inner = directory("by-hand/inner", 0755);
        ReadSharesRequest slices = ReadSharesRequest.newBuilder()
                .addDirectoryId(superuser.status(inner, true).id())
                .build();
        assertDenied("bob", shardOf(inner), MetaMethods.READ_SHARES, slices);
        ReadSharesRequest root = ReadSharesRequest.newBuilder()
                .addDirectoryId(DirectoryId.ROOT.value())
                .build();
        assertEquals(
                1,
                ask("bob", shardOf(TatamiPath.ROOT), MetaMethods.READ_SHARES, root)
                        .getSliceCount());
    }

    @Test
    void sizesOfDirectoriesAreForServersAndTheSuperuser() throws Exception {
        TatamiPath directory = directory("sizes", 0755);
        moved(directory, SECRET, 0600);
        ReadSharesRequest slices = ReadSharesRequest.newBuilder()
                .addDirectoryId(superuser.status(directory, true).id())
                .build();
        DirectorySlice told =
                ask("bob", shardOf(directory), MetaMethods.READ_SHARES, slices).getSlice(0);
        assertNotEquals(0, told.getLastChangeMillis());
        assertEquals(0, told.getBytes());
        assertEquals(
                SECRET.length,
                ask(SUPERUSER, shardOf(directory), MetaMethods.READ_SHARES, slices)
                        .getSlice(0)
                        .getBytes());
        assertEquals(SECRET.length, bob.contentTotals(directory).lengthBytes());
    }

    @Test
    void whatShardsAskOfEachOtherIsRefusedToClients() throws Exception {
        TatamiPath path = moved(directory("servers-only", 0755), SECRET, 0600);
        FileId file = idOf(path);
        CutFileRequest cut = CutFileRequest.newBuilder().setFileId(file.value()).build();
        assertDenied("bob", file.home(), MetaMethods.CUT_FILE, cut);
        ReopenFileRequest reopen = ReopenFileRequest.newBuilder()
                .setFileId(file.value())
                .setSession(1)
                .build();
        assertDenied("bob", file.home(), MetaMethods.REOPEN_FILE, reopen);
        RecoverFileRequest recover =
                RecoverFileRequest.newBuilder().setFileId(file.value()).build();
        assertDenied("bob", file.home(), MetaMethods.RECOVER_FILE, recover);
        CheckReadRequest check = CheckReadRequest.newBuilder()
                .setFileId(file.value())
                .setUser("ann")
                .build();
        assertDenied("bob", file.home(), MetaMethods.CHECK_READ, check);
        assertArrayEquals(SECRET, readById(ann, path));
    }

    @Test
    void blocksAreDeletedAndRecoveredForMetadataServersAlone() throws Exception {
        byte[] content = new byte[100_000];
        TatamiPath file = moved(directory("blocks", 0777), content, 0644);
        LocatedBlock located = superuser.blockLocations(file, 0, 1).get(0);
        BlockInfoRequest about = BlockInfoRequest.newBuilder()
                .setBlockId(located.block().value())
                .build();
        DeleteBlocksRequest delete = DeleteBlocksRequest.newBuilder()
                .addItem(DeleteBlocksRequest.Item.newBuilder()
                        .setBlockId(located.block().value())
                        .setGeneration(1_000))
                .build();
        FenceBlockRequest fence = FenceBlockRequest.newBuilder()
                .setBlockId(located.block().value())
                .setGeneration(1_000)
                .build();
        FinalizeBlockRequest cut = FinalizeBlockRequest.newBuilder()
                .setBlockId(located.block().value())
                .setGeneration(1_000)
                .setLength(1)
                .build();
        for (String user : List.of("bob", "ann", SUPERUSER)) {
            assertDeniedAt(located, user, BlockMethods.DELETE_BLOCKS, delete);
            assertDeniedAt(located, user, BlockMethods.FENCE_BLOCK, fence);
            assertDeniedAt(located, user, BlockMethods.FINALIZE_BLOCK, cut);
        }
        assertArrayEquals(content, read(bob.open(file, ReadPolicy.SEQUENTIAL)));
        assertEquals(
                content.length,
                askAt(located, "bob", BlockMethods.BLOCK_INFO, about).getDurableLength());

        ann.delete(file, false);
        for (int tries = 0; isThere(located, about); tries++) {
            assertTrue(tries < 3_000, "the block of a deleted file was never deleted");
            Thread.sleep(10);
        }
    }

    private static boolean isThere(LocatedBlock located, BlockInfoRequest about) {
        try {
            askAt(located, SUPERUSER, BlockMethods.BLOCK_INFO, about);
            return true;
        } catch (TatamiException e) {
            assertEquals(ErrorCode.NO_SUCH_BLOCK, e.code());
            return false;
        }
    }

    private static <Q extends Message> void assertDeniedAt(
            LocatedBlock located, String user, Method<Q, ?> method, Q request) {
        TatamiException refused =
                assertThrows(TatamiException.class, () -> askAt(located, user, method, request), method.name());
        assertEquals(ErrorCode.PERMISSION_DENIED, refused.code(), refused.toString());
    }

    /** Asks the server that has a block. */
    private static <Q extends Message, R extends Message> R askAt(
            LocatedBlock located, String user, Method<Q, R> method, Q request) throws TatamiException {
        LocatedBlock.Holder holder = located.holders().get(0);
        InetSocketAddress address = new InetSocketAddress(holder.host(), holder.port());
        return ask(address, user, CallOptions.DEFAULT, method, request);
    }

    @Test
    void movedFilesAreOpenedListedAndAppendedToByTheirPaths() throws Exception {
        byte[] content = new byte[100_000];
        TatamiPath directory = directory("large", 0755);
        TatamiPath file = moved(directory, content, 0644);
        assertArrayEquals(content, read(bob.open(file, ReadPolicy.SEQUENTIAL)));
        PathStatus listed = bob.list(directory, true).toList().get(0);
        assertEquals(content.length, listed.blocks().get(0).lengthBytes());
        try (FileWriter writer = ann.append(file, false)) {
            writer.write(content, 0, 1_000);
            writer.hsync(true);
            awaitOpenUnder(file);
            assertEquals(content.length + 1_000, bob.status(file, true).lengthBytes());
            PathStatus open = bob.list(directory, false).toList().get(0);
            assertTrue(open.isOpen());
            assertEquals(content.length + 1_000, open.lengthBytes());
        }
        assertFalse(bob.status(file, true).isOpen());
    }
}
