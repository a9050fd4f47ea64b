package io.tatami.meta.op.write;

import io.tatami.base.BlockId;
import io.tatami.base.ErrorCode;
import io.tatami.base.FileId;
import io.tatami.base.ServerId;
import io.tatami.base.TatamiException;
import io.tatami.meta.op.Operation;
import io.tatami.meta.op.UnsettledException;
import io.tatami.meta.op.file.HomedFile;
import io.tatami.meta.op.file.HomedFile.OpenBlock;
import io.tatami.meta.state.BlockCopies;
import io.tatami.meta.state.RequestContext;
import io.tatami.meta.state.ShardState;
import io.tatami.meta.state.wire.BlockRecord;
import io.tatami.protocol.wire.Grant;
import io.tatami.protocol.wire.RenewBlockReply;
import io.tatami.protocol.wire.RenewBlockRequest;
import java.util.ArrayList;
import java.util.List;

/**
 * A new generation of a block, after its chain of servers failed or its file was opened again, in two steps. The first
 * issues the generation; the writer has the servers that are left adopt it durably. The second, with {@code committed},
 * makes it count: copies below it are void, and those of the servers that failed are spares. No byte is acknowledged
 * under a generation that was not committed. A block of which nothing was acknowledged gets other servers for those
 * that failed at the first step, and goes on with fewer where there are none.
 */
public final class RenewBlock implements Operation<ShardState, RenewBlockRequest, RenewBlockReply> {
    private final WriterLoads writers;

    /** Of a shard that counts no writers. */
    public RenewBlock() {
        this(WriterLoads.NONE);
    }

    public RenewBlock(WriterLoads writers) {
        this.writers = writers;
    }

    @Override
    public RenewBlockReply decide(ShardState state, RequestContext context, RenewBlockRequest request)
            throws TatamiException, UnsettledException {
        HomedFile file = Writer.requireBegun(state, context, new FileId(request.getFileId()), request.getRecoveryId());
        OpenBlock open = open(file, request.getBlockId());
        BlockRecord renewed = request.getCommitted()
                ? commit(open.block(), request)
                : issue(state, context, file, open.block(), request);
        file.changeBlock(open.index(), renewed);
        file.save();
        Grant.Builder grant =
                Grant.newBuilder().setBlockId(renewed.getBlockId()).setGeneration(renewed.getIssuedGeneration());
        List<ServerId> servers = request.getCommitted() ? serversOf(renewed) : left(renewed, request);
        servers.forEach(server -> grant.addServerId(server.value()));
        return RenewBlockReply.newBuilder().setGrant(grant).build();
    }

    private static OpenBlock open(HomedFile file, long block) throws TatamiException {
        for (OpenBlock open : file.openBlocks()) {
            if (open.block().getBlockId() == block) {
                return open;
            }
        }
        throw new TatamiException(ErrorCode.FENCED, new BlockId(block) + " is not being written in " + file.id());
    }

    private BlockRecord issue(
            ShardState state, RequestContext context, HomedFile file, BlockRecord block, RenewBlockRequest request)
            throws TatamiException, UnsettledException {
        BlockRecord.Builder issued = block.toBuilder().setIssuedGeneration(block.getIssuedGeneration() + 1);
        List<ServerId> left = left(block, request);
        if (block.getLength() == 0 && (request.getUnwritten() || left.isEmpty())) {
            replace(state, context, file, block, request, issued);
        } else if (left.isEmpty()) {
            throw new TatamiException(
                    ErrorCode.UNAVAILABLE,
                    "no remaining block server holds the " + block.getLength() + " committed bytes of "
                            + new BlockId(block.getBlockId()));
        }
        return issued.build();
    }

    /** Has other servers take the places of those that failed, as far as there are such. */
    private void replace(
            ShardState state,
            RequestContext context,
            HomedFile file,
            BlockRecord block,
            RenewBlockRequest request,
            BlockRecord.Builder issued)
            throws TatamiException, UnsettledException {
        List<ServerId> left = left(block, request);
        List<ServerId> excluded = new ArrayList<>(ServerId.listOf(request.getFailedServerIdList()));
        BlockCopies.all(block).forEach(copy -> excluded.add(copy.server()));
        Grants grants = new Grants(state, context, request.getClientHost(), excluded, writers);
        int missing = Math.max(1, file.home().getReplication()) - left.size();
        List<ServerId> others = grants.placeBeside(left, Math.max(0, missing), block.getBlockId());
        if (left.isEmpty() && others.isEmpty()) {
            grants.awaitCredits();
            throw grants.noSpace();
        }
        List<ServerId> failed = new ArrayList<>(serversOf(block));
        failed.removeAll(left);
        file.dropCopies(block, failed);
        failed.forEach(server -> BlockCopies.of(issued).remove(server));
        others.forEach(server -> file.grantCopy(issued, server));
    }

    private static BlockRecord commit(BlockRecord block, RenewBlockRequest request) throws TatamiException {
        if (request.getGeneration() != block.getIssuedGeneration()) {
            throw new TatamiException(
                    ErrorCode.FENCED,
                    "generation " + request.getGeneration() + " of " + new BlockId(block.getBlockId())
                            + " is outdated: " + block.getIssuedGeneration() + " was issued");
        }
        List<ServerId> left = left(block, request);
        if (left.isEmpty()) {
            throw new TatamiException(
                    ErrorCode.INVALID_ARGUMENT, "no block server is left for " + new BlockId(block.getBlockId()));
        }
        BlockRecord.Builder committed = block.toBuilder().setGeneration(request.getGeneration());
        BlockCopies.of(committed).keepCounted(left);
        return committed.build();
    }

    private static List<ServerId> serversOf(BlockRecord block) {
        return ServerId.listOf(block.getServerIdList());
    }

    private static List<ServerId> left(BlockRecord block, RenewBlockRequest request) {
        List<ServerId> failed = ServerId.listOf(request.getFailedServerIdList());
        return serversOf(block).stream()
                .filter(server -> !failed.contains(server))
                .toList();
    }
}
