package io.tatami.client.entry;

import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.client.meta.BlockServers;
import io.tatami.client.meta.Deadline;
import io.tatami.client.meta.MetadataCaller;
import io.tatami.client.model.CreateSpec;
import io.tatami.client.model.TatamiPath;
import io.tatami.protocol.MetaMethods;
import io.tatami.protocol.wire.AppendReply;
import io.tatami.protocol.wire.AppendRequest;
import io.tatami.protocol.wire.CreateReply;
import io.tatami.protocol.wire.CreateRequest;

/** Opens files for writing, as the shards that own their names see it. Safe for use by many threads. */
public final class FileOpenings {
    private final MetadataCaller caller;
    private final PathResolver resolver;
    private final EntryChanges changes;
    private final BlockServers servers;

    public FileOpenings(MetadataCaller caller, PathResolver resolver, EntryChanges changes, BlockServers servers) {
        this.caller = caller;
        this.resolver = resolver;
        this.changes = changes;
        this.servers = servers;
    }

    /**
     * @param spec with replication and block size set
     * @param withGrant asks for the first block too, where its place is at hand
     */
    public CreateReply create(TatamiPath path, CreateSpec spec, boolean withGrant) throws TatamiException {
        if (path.isRoot()) {
            throw new TatamiException(ErrorCode.ALREADY_EXISTS, "/ already exists as a directory");
        }
        Deadline deadline = caller.deadline();
        CreateRequest request = CreateRequest.newBuilder()
                .setName(path.name())
                .setModes(spec.modes())
                .setOverwrite(spec.overwrite())
                .setReplication(spec.replication())
                .setBlockSize(spec.blockSizeBytes())
                .setGrants(withGrant ? 1 : 0)
                .setClientHost(servers.clientHost())
                .build();
        PathResolver.InDirectory<CreateReply> creation = parent -> caller.call(
                parent.shardOf(path.name(), caller.shards()),
                MetaMethods.CREATE,
                request.toBuilder().setHandle(parent.signed()).build(),
                deadline);
        return spec.createParents()
                ? changes.withParents(path, deadline, creation)
                : resolver.inParent(path, deadline, creation);
    }

    /** @param newBlock begin a new block even where the last one is not full */
    public AppendReply append(TatamiPath path, boolean newBlock) throws TatamiException {
        if (path.isRoot()) {
            throw new TatamiException(ErrorCode.IS_A_DIRECTORY, "Path is not a file: /");
        }
        Deadline deadline = caller.deadline();
        AppendRequest request = AppendRequest.newBuilder()
                .setName(path.name())
                .setClientHost(servers.clientHost())
                .setNewBlock(newBlock)
                .build();
        return resolver.inParent(
                path,
                deadline,
                parent -> caller.call(
                        parent.shardOf(path.name(), caller.shards()),
                        MetaMethods.APPEND,
                        request.toBuilder().setHandle(parent.signed()).build(),
                        deadline));
    }
}
