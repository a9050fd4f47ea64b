package io.tatami.benchmarks.workload.bulk;

import com.google.protobuf.ByteString;
import io.tatami.base.BlockId;
import io.tatami.base.Clock;
import io.tatami.base.FileId;
import io.tatami.base.Generation;
import io.tatami.base.ServerId;
import io.tatami.base.TatamiException;
import io.tatami.client.block.BlockClient;
import io.tatami.client.block.BlockClientSettings;
import io.tatami.client.block.BlockWriteStream;
import io.tatami.client.block.WriteSpec;
import io.tatami.client.entry.EntryChanges;
import io.tatami.client.entry.PathResolver;
import io.tatami.client.meta.BlockServers;
import io.tatami.client.meta.LocalHost;
import io.tatami.client.meta.MetadataAddress;
import io.tatami.client.meta.MetadataCaller;
import io.tatami.client.meta.MetadataRouter;
import io.tatami.client.model.ClientSettings;
import io.tatami.client.model.CreateSpec;
import io.tatami.client.model.TatamiPath;
import io.tatami.conf.Settings;
import io.tatami.protocol.MetaMethods;
import io.tatami.protocol.UserIdentity;
import io.tatami.protocol.wire.AddBlocksRequest;
import io.tatami.protocol.wire.CompleteRequest;
import io.tatami.protocol.wire.CreateReply;
import io.tatami.protocol.wire.Grant;
import io.tatami.rpc.netty.client.RpcClient;
import io.tatami.rpc.netty.shared.ClientIdentity;
import io.tatami.rpc.netty.shared.RpcSettings;
import java.io.Closeable;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * A client that can create files in each {@link CreateMode}: made of the parts of the product's client, whose own
 * writer asks for a block only where it expects bytes. Connections, session and handles are its own. Used by one
 * thread.
 */
final class FileMaker implements Closeable {
    /** What a writer that streams needs at least; so that many who ask at once find room on a small volume. */
    private static final long RESERVED_BYTES = WriteSpec.STREAMED_BYTES_MIN;

    private static final Duration LIMIT = Duration.ofSeconds(120);
    private static final String NAME = "bench-bulk";

    private final CreateSpec spec;
    private final RpcClient connector;
    private final MetadataCaller caller;
    private final BlockServers servers;
    private final EntryChanges entries;
    private final BlockClient blocks;
    private long withoutGrant;

    /**
     * A file that is open for writing.
     *
     * @param blocks that it has a place for
     */
    record OpenFile(FileId id, List<Long> blocks) {}

    /** @param authority {@code host:port} of a metadata server */
    FileMaker(String authority) throws TatamiException {
        ClientSettings settings = ClientSettings.from(Settings.of(Map.of()));
        spec = CreateSpec.DEFAULT.withReplication(1).withBlockSizeBytes(settings.blockSizeBytes());
        RpcSettings rpc = RpcSettings.from(Settings.of(Map.of()));
        UserIdentity user = UserIdentity.of(System.getProperty("user.name"));
        connector = RpcClient.onSharedLoops(rpc, Clock.SYSTEM, ClientIdentity.simple(NAME, user));
        MetadataRouter router = new MetadataRouter(connector, MetadataAddress.of(authority, Settings.of(Map.of())));
        caller = new MetadataCaller(
                router,
                new MetadataCaller.Limits(NAME, LIMIT, settings.attemptTimeout(), settings.traced()),
                Clock.SYSTEM,
                new Random());
        servers = new BlockServers(router, new LocalHost(settings.host(), settings.rack()));
        PathResolver resolver = new PathResolver(caller, settings.handlesMax());
        entries = new EntryChanges(caller, resolver, servers);
        blocks = new BlockClient(connector, BlockClientSettings.DEFAULT.withSharedMemory(false));
        try {
            caller.connect(caller.deadline());
        } catch (TatamiException e) {
            disconnect();
            throw e;
        }
    }

    /** The file is there for everybody, and durable, and has what the mode promises when this returns. */
    OpenFile create(TatamiPath path, CreateMode mode) throws TatamiException {
        CreateReply created = entries.create(path, spec, mode.hasBlock());
        FileId id = new FileId(created.getStatus().getId());
        List<Grant> grants = created.getGrantList();
        if (mode.hasBlock() && grants.isEmpty()) {
            withoutGrant++;
            grants = askShard(id);
        }
        if (mode == CreateMode.ASKING) {
            askServers(grants.get(0));
        }
        return new OpenFile(id, grants.stream().map(Grant::getBlockId).toList());
    }

    /** As a writer does whose shard had no credits left when the file was created. */
    private List<Grant> askShard(FileId file) throws TatamiException {
        AddBlocksRequest request = AddBlocksRequest.newBuilder()
                .setFileId(file.value())
                .setGrants(1)
                .setClientHost(servers.clientHost())
                .build();
        return caller.call(file.home(), MetaMethods.ADD_BLOCKS, request, caller.deadline())
                .getGrantList();
    }

    /**
     * One round trip to the server, which takes an extent for the block; that is given back later, by no round trip.
     */
    private void askServers(Grant grant) throws TatamiException {
        WriteSpec place =
                WriteSpec.create(new BlockId(grant.getBlockId()), Generation.of(grant.getGeneration()), RESERVED_BYTES);
        try (BlockWriteStream stream = blocks.openWriter(
                servers.targets(ServerId.listOf(grant.getServerIdList()), caller.deadline()), place)) {
            stream.awaitReady();
        }
    }

    /** Closes the file, empty; its places are given up. */
    void close(OpenFile file) throws TatamiException {
        CompleteRequest request = CompleteRequest.newBuilder()
                .setFileId(file.id().value())
                .setInline(ByteString.EMPTY)
                .addAllUnusedBlockId(file.blocks())
                .build();
        caller.call(file.id().home(), MetaMethods.COMPLETE, request, caller.deadline());
    }

    /** For how many files the shard had no place at hand and was asked a second time. */
    long withoutGrant() {
        return withoutGrant;
    }

    @Override
    public void close() {
        caller.close();
        disconnect();
    }

    private void disconnect() {
        connector.close();
    }
}
