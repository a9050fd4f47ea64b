package io.tatami.meta.op.write;

import io.tatami.base.BlockId;
import io.tatami.base.ErrorCode;
import io.tatami.base.FileId;
import io.tatami.base.TatamiException;
import io.tatami.meta.op.Operation;
import io.tatami.meta.op.UnsettledException;
import io.tatami.meta.op.file.FileLimits;
import io.tatami.meta.op.file.FileStatus;
import io.tatami.meta.op.file.HomedFile;
import io.tatami.meta.op.file.HomedFile.OpenBlock;
import io.tatami.meta.state.RequestContext;
import io.tatami.meta.state.ShardState;
import io.tatami.meta.state.wire.BlockRecord;
import io.tatami.meta.state.wire.EntryRecord;
import io.tatami.protocol.wire.BlockReport;
import io.tatami.protocol.wire.CompleteReply;
import io.tatami.protocol.wire.CompleteRequest;
import io.tatami.protocol.wire.Status;
import java.util.List;

/**
 * Closes a file for its writer: either every block is final, or the whole content comes along and is stored inline.
 * Unused grants are given up, and reclaimed in case a server has begun them. Fails with LEASE_EXPIRED after a recovery
 * was issued, and with BUSY while a block has fewer copies than the file's creator asked a close to wait for. For an
 * empty file that was created and closed, no record changes.
 */
public final class CompleteFile implements Operation<ShardState, CompleteRequest, CompleteReply> {
    private final FileLimits limits;
    private final WriterLoads writers;

    /** Of a shard that counts no writers. */
    public CompleteFile(FileLimits limits) {
        this(limits, WriterLoads.NONE);
    }

    public CompleteFile(FileLimits limits, WriterLoads writers) {
        this.limits = limits;
        this.writers = writers;
    }

    @Override
    public CompleteReply decide(ShardState state, RequestContext context, CompleteRequest request)
            throws TatamiException, UnsettledException {
        HomedFile file = Writer.require(state, context, new FileId(request.getFileId()), request.getRecoveryId());
        if (isLeftEmpty(state, file, request)) {
            file.closeUnwritten();
            return reply(FileStatus.ofHome(state, file.id(), file.home()));
        }
        List<BlockReport> written = request.getWrittenList().stream()
                .filter(report -> report.getLength() > 0)
                .toList();
        List<OpenBlock> open = file.openBlocks();
        List<OpenBlock> left = Writer.take(state, file, open, written, true);
        dropUnused(file, left, request);
        if (request.hasInline()) {
            storeInline(file, request);
        } else if (file.home().getContentInline() && file.home().getBlocks() > 0) {
            throw new TatamiException(
                    ErrorCode.INVALID_ARGUMENT,
                    "the blocks of " + file.id() + " contain fewer than the "
                            + file.home().getLength() + " bytes it had inline");
        }
        requireCopies(file);
        file.close(context.nowMillis());
        Writer.tellEnd(writers, open, left);
        EntryRecord entry = file.entry();
        return reply(
                entry == null
                        ? FileStatus.ofHome(state, file.id(), file.home())
                        : FileStatus.withoutXattrs(
                                FileStatus.of(state, file.home().getName(), entry)));
    }

    private static CompleteReply reply(Status.Builder status) {
        return CompleteReply.newBuilder().setStatus(status).build();
    }

    @Override
    public boolean mayChangeVolatileOnly(CompleteRequest request) {
        return request.getInline().isEmpty() && request.getWrittenCount() == 0 && request.getUnusedBlockIdCount() == 0;
    }

    /** A name in another shard may say that the file is open and is to be told of its end. */
    private boolean isLeftEmpty(ShardState state, HomedFile file, CompleteRequest request) {
        return mayChangeVolatileOnly(request)
                && file.isUnwritten()
                && file.home().getEntryGroup() == state.id().value();
    }

    /** From the last block to the first, so that those which stay are without a gap. */
    private static void dropUnused(HomedFile file, List<OpenBlock> left, CompleteRequest request)
            throws TatamiException {
        for (int i = left.size() - 1; i >= 0; i--) {
            OpenBlock open = left.get(i);
            BlockRecord block = open.block();
            if (block.getLength() == 0 && isGivenUp(request, block.getBlockId())) {
                file.dropLastBlock();
            } else if (block.getLength() > 0 && block.getIssuedGeneration() > block.getGeneration()) {
                // Reopened, and no byte was acknowledged under the new generation: the block is unchanged.
                file.finishBlock(open.index(), block.toBuilder());
            } else {
                throw new TatamiException(
                        ErrorCode.INVALID_ARGUMENT,
                        new BlockId(block.getBlockId()) + " of " + file.id()
                                + " is neither reported as written nor abandoned");
            }
        }
    }

    private static boolean isGivenUp(CompleteRequest request, long block) {
        return request.getUnusedBlockIdList().contains(block)
                || request.getWrittenList().stream()
                        .anyMatch(report -> report.getBlockId() == block && report.getLength() == 0);
    }

    /**
     * @throws TatamiException BUSY while a block has fewer copies than the close waits for. They are made of blocks
     *     that were reported as final before; of this request nothing is kept
     */
    private static void requireCopies(HomedFile file) throws TatamiException {
        int least = Math.min(file.home().getCopiesMin(), file.home().getReplication());
        if (least <= 1 || file.home().getContentInline()) {
            return;
        }
        for (int index = 0; index < file.home().getBlocks(); index++) {
            BlockRecord block = file.requireBlock(index);
            if (block.getServerIdCount() < least) {
                throw new TatamiException(
                        ErrorCode.BUSY,
                        file.id() + " cannot be closed yet: " + new BlockId(block.getBlockId()) + " has "
                                + block.getServerIdCount() + " of the " + least + " copies that "
                                + FileLimits.COPIES_MIN_KEY
                                + " asked for, and more are being made; close it again, add a block server, or"
                                + " lower its replication");
            }
        }
    }

    private void storeInline(HomedFile file, CompleteRequest request) throws TatamiException {
        int size = request.getInline().size();
        if (file.home().getBlocks() > 0 || size > limits.inlineBytesMax()) {
            throw new TatamiException(
                    ErrorCode.INVALID_ARGUMENT,
                    size + " bytes cannot be stored inline in " + file.id() + ", which has "
                            + file.home().getBlocks() + " blocks; up to " + limits.inlineBytesMax() + " can");
        }
        if (size == 0) {
            file.setInline(null);
        } else {
            file.setInline(request.getInline());
        }
        file.home().setLength(size);
    }
}
