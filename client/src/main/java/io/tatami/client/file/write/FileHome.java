package io.tatami.client.file.write;

import com.google.protobuf.ByteString;
import io.tatami.base.BlockId;
import io.tatami.base.FileId;
import io.tatami.base.Generation;
import io.tatami.base.ServerId;
import io.tatami.base.TatamiException;
import io.tatami.client.block.BlockTarget;
import io.tatami.client.meta.Backoff;
import io.tatami.client.meta.BlockServers;
import io.tatami.client.meta.CallerContexts;
import io.tatami.client.meta.Deadline;
import io.tatami.client.meta.MetadataCall;
import io.tatami.client.meta.MetadataCaller;
import io.tatami.client.model.CallerContext;
import io.tatami.protocol.MetaMethods;
import io.tatami.protocol.wire.AddBlocksReply;
import io.tatami.protocol.wire.AddBlocksRequest;
import io.tatami.protocol.wire.BlockReport;
import io.tatami.protocol.wire.CommitLengthRequest;
import io.tatami.protocol.wire.CompleteReply;
import io.tatami.protocol.wire.CompleteRequest;
import io.tatami.protocol.wire.Grant;
import io.tatami.protocol.wire.RenewBlockRequest;
import io.tatami.protocol.wire.SealBlockRequest;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A writer's calls to the home shard of its file, under its lease. */
public final class FileHome {
    private final MetadataCaller caller;
    private final BlockServers servers;
    private final FileId file;
    private final long recoveryId;

    /** Of the thread that opened the writer. */
    private final CallerContext context;

    /** @param recoveryId the file's newest recovery at the opening; after a newer one every call is refused */
    public FileHome(MetadataCaller caller, BlockServers servers, FileId file, long recoveryId) {
        this.caller = caller;
        this.servers = servers;
        this.file = file;
        this.recoveryId = recoveryId;
        this.context = caller.contexts().current();
    }

    public FileId file() {
        return file;
    }

    public Deadline deadline() {
        return caller.deadline();
    }

    Backoff backoff() {
        return caller.backoff();
    }

    List<BlockTarget> targets(List<ServerId> chain) throws TatamiException {
        return servers.targets(chain, deadline());
    }

    /** @see BlockServers#reconsider */
    void reconsiderServers(TatamiException failure) throws TatamiException {
        servers.reconsider(failure, deadline());
    }

    /**
     * Requests grants without waiting for them.
     *
     * @param written blocks that are final from now on
     * @param avoided servers that the blocks are not granted on
     */
    MetadataCall<AddBlocksRequest, AddBlocksReply> startAddBlocks(
            List<BlockReport> written, int grants, Set<ServerId> avoided) throws TatamiException {
        AddBlocksRequest request = AddBlocksRequest.newBuilder()
                .setFileId(file.value())
                .setRecoveryId(recoveryId)
                .addAllWritten(written)
                .setGrants(grants)
                .setClientHost(servers.clientHost())
                .addAllExcludedServerId(values(avoided))
                .build();
        return inContext(() -> caller.start(file.home(), MetaMethods.ADD_BLOCKS, request, deadline()));
    }

    /** Records how many bytes of each block are on devices. The blocks may still grow. */
    public void commitLength(List<BlockReport> written) throws TatamiException {
        CommitLengthRequest request = CommitLengthRequest.newBuilder()
                .setFileId(file.value())
                .setRecoveryId(recoveryId)
                .addAllWritten(written)
                .build();
        Object unused = inContext(() -> caller.call(file.home(), MetaMethods.COMMIT_LENGTH, request, deadline()));
    }

    /**
     * A request that closes the file, to be awaited: also again after an interrupt, as the home may have done it.
     *
     * @param inline the whole content, or null where it is in blocks
     */
    public MetadataCall<CompleteRequest, CompleteReply> completion(
            List<BlockReport> written, @Nullable ByteString inline, List<Long> unusedBlocks) throws TatamiException {
        CompleteRequest.Builder request = CompleteRequest.newBuilder()
                .setFileId(file.value())
                .setRecoveryId(recoveryId)
                .addAllWritten(written)
                .addAllUnusedBlockId(unusedBlocks);
        if (inline != null) {
            request.setInline(inline);
        }
        return inContext(() -> caller.prepare(file.home(), MetaMethods.COMPLETE, request.build(), deadline()));
    }

    /**
     * A new generation of a block, on servers without those that failed.
     *
     * @param unwritten whether nothing of it was acknowledged: others take the places of those
     */
    Grant renewBlock(BlockId block, Generation generation, Set<ServerId> failed, boolean unwritten)
            throws TatamiException {
        RenewBlockRequest request =
                renewal(block, generation, failed).setUnwritten(unwritten).build();
        return inContext(() -> caller.call(file.home(), MetaMethods.RENEW_BLOCK, request, deadline()))
                .getGrant();
    }

    /** Every server of the block but those that failed has adopted the generation durably: from here on it counts. */
    void commitGeneration(BlockId block, Generation generation, Set<ServerId> failed) throws TatamiException {
        RenewBlockRequest request =
                renewal(block, generation, failed).setCommitted(true).build();
        Object unused = inContext(() -> caller.call(file.home(), MetaMethods.RENEW_BLOCK, request, deadline()));
    }

    private RenewBlockRequest.Builder renewal(BlockId block, Generation generation, Set<ServerId> failed) {
        return RenewBlockRequest.newBuilder()
                .setFileId(file.value())
                .setRecoveryId(recoveryId)
                .setBlockId(block.value())
                .setGeneration(generation.value())
                .addAllFailedServerId(values(failed))
                .setClientHost(servers.clientHost());
    }

    /**
     * Makes a block final whose chain failed, as long as its servers have it. Nothing can be written to it from the
     * first request on. Waits while a server has to be waited for; may be called again after that or an interrupt.
     *
     * @param generation the newest that this writer has of the block
     * @param acknowledgedLength the least that it is to have, above 0
     * @param failed servers that need not be waited for
     * @param written blocks before it that are final, and are not reported again
     */
    BlockReport sealBlock(
            BlockId block,
            Generation generation,
            long acknowledgedLength,
            Set<ServerId> failed,
            List<BlockReport> written)
            throws TatamiException {
        SealBlockRequest request = SealBlockRequest.newBuilder()
                .setFileId(file.value())
                .setRecoveryId(recoveryId)
                .setBlockId(block.value())
                .setGeneration(generation.value())
                .setAcknowledgedLength(acknowledgedLength)
                .addAllFailedServerId(values(failed))
                .addAllWritten(written)
                .build();
        return inContext(() -> caller.call(file.home(), MetaMethods.SEAL_BLOCK, request, deadline()))
                .getBlock();
    }

    private <R> R inContext(CallerContexts.Work<R> call) throws TatamiException {
        return caller.contexts().within(context, call);
    }

    private static List<Integer> values(Set<ServerId> servers) {
        return servers.stream().map(ServerId::value).sorted().toList();
    }
}
