package io.tatami.meta.op.write;

import io.tatami.base.BlockId;
import io.tatami.base.DirectoryId;
import io.tatami.base.ErrorCode;
import io.tatami.base.FileId;
import io.tatami.base.ServerId;
import io.tatami.base.SessionId;
import io.tatami.base.TatamiException;
import io.tatami.meta.op.UnsettledException;
import io.tatami.meta.op.UnsettledException.WriterInDoubt;
import io.tatami.meta.op.WriteLease;
import io.tatami.meta.op.file.HomedFile;
import io.tatami.meta.op.file.HomedFile.OpenBlock;
import io.tatami.meta.state.RequestContext;
import io.tatami.meta.state.ShardState;
import io.tatami.meta.state.TreeVersion;
import io.tatami.meta.state.wire.BlockRecord;
import io.tatami.meta.state.wire.HomeRecord;
import io.tatami.meta.state.wire.LeaseRecord;
import io.tatami.protocol.wire.BlockReport;
import io.tatami.protocol.wire.Handle;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The rights of a session that writes a file, and what it says it has written. */
final class Writer {
    private Writer() {}

    /** The lease of a file opened through a handle. */
    static LeaseRecord.Builder lease(Handle handle) {
        return LeaseRecord.newBuilder()
                .addAllAncestorId(handle.getAncestorIdList())
                .addAncestorId(handle.getDirectoryId())
                .setVersion(handle.getVersion());
    }

    /** @throws TatamiException NO_SUCH_SESSION where the request comes from none: nobody could renew its lease */
    static void requireSession(RequestContext context) throws TatamiException {
        if (context.session().equals(SessionId.NONE)) {
            throw new TatamiException(ErrorCode.NO_SUCH_SESSION, "a file can be written only in a session");
        }
    }

    /**
     * The file that the request's session writes.
     *
     * @param recoveryId the file's newest recovery when it was opened: a session may write it again after one, but not
     *     go on with what it wrote before
     * @throws TatamiException LEASE_EXPIRED where it no longer does: the file is gone, closed, recovered or taken over
     */
    static HomedFile require(ShardState state, RequestContext context, FileId id, long recoveryId)
            throws TatamiException, UnsettledException {
        HomedFile file = HomedFile.find(state, id);
        if (file == null) {
            throw expired(id, "it was deleted or replaced");
        }
        HomeRecord.Builder home = file.home();
        if (home.getState() != HomeRecord.State.OPEN && !file.isUnwritten()) {
            throw expired(id, "it is " + home.getState());
        }
        if (home.getWriterSession() != context.session().value()) {
            throw expired(id, "it is written by another client than that of " + context.session());
        }
        if (home.getRecoveryId() != recoveryId) {
            throw expired(id, "it was recovered since it was opened, and opened again");
        }
        LeaseRecord lease = WriteLease.of(state, id, home);
        // A first lease may have gone with the leader that had it.
        if (lease == null ? file.isUnwritten() : hasChangedAbove(state, home, lease)) {
            requireStanding(state, context, file);
        }
        return file;
    }

    /** {@link #require} where the session writes something now. */
    static HomedFile requireBegun(ShardState state, RequestContext context, FileId id, long recoveryId)
            throws TatamiException, UnsettledException {
        HomedFile file = require(state, context, id, recoveryId);
        file.begin(context.nowMillis());
        return file;
    }

    /**
     * Takes the lengths of blocks written so far. Blocks that are final already are passed over, so that a repeated
     * report does no harm.
     *
     * @param open all of the file's
     * @param finished whether the blocks reported are final; else they may grow
     * @return the open blocks that were not reported
     * @throws TatamiException FENCED for a block written under a generation that was not committed; INVALID_ARGUMENT
     *     for lengths that cannot be
     */
    static List<OpenBlock> take(
            ShardState state, HomedFile file, List<OpenBlock> open, List<BlockReport> written, boolean finished)
            throws TatamiException, UnsettledException {
        long length = file.finalLength(open);
        int next = 0;
        for (BlockReport report : written) {
            OpenBlock block = next < open.size() ? open.get(next) : null;
            if (block == null || block.block().getBlockId() != report.getBlockId()) {
                requireFinal(state, file, open, report);
                continue;
            }
            requirePossible(file, block.block(), report);
            BlockRecord.Builder changed = block.block().toBuilder()
                    .setLength(Math.max(report.getLength(), block.block().getLength()));
            if (finished) {
                file.finishBlock(block.index(), changed);
            } else {
                file.changeBlock(block.index(), changed.build());
            }
            length += changed.getLength();
            next++;
        }
        List<OpenBlock> left = open.subList(next, open.size());
        for (OpenBlock block : left) {
            length += block.block().getLength();
        }
        file.setBlockLength(length);
        return left;
    }

    /**
     * Tells placement of a writer that has just finished a block, the last of those that it reported as final. It has
     * one stream, so the others ended earlier.
     *
     * @param open the blocks that were open before {@link #take}
     * @param left those that it has left; none of them has been begun
     */
    static void tellEnd(WriterLoads writers, List<OpenBlock> open, List<OpenBlock> left) {
        int finished = open.size() - left.size();
        if (finished > 0) {
            ServerId.listOf(open.get(finished - 1).block().getServerIdList()).forEach(writers::ended);
        }
    }

    private static void requirePossible(HomedFile file, BlockRecord block, BlockReport report) throws TatamiException {
        if (report.getGeneration() != block.getGeneration()) {
            throw new TatamiException(
                    ErrorCode.FENCED,
                    new BlockId(block.getBlockId()) + " was written under generation " + report.getGeneration()
                            + ", but its present generation is " + block.getGeneration());
        }
        if (report.getLength() < 1 || report.getLength() > file.home().getBlockSize()) {
            throw new TatamiException(
                    ErrorCode.INVALID_ARGUMENT,
                    "a length of " + report.getLength() + " bytes for " + new BlockId(block.getBlockId())
                            + ", in a file of blocks of " + file.home().getBlockSize());
        }
    }

    private static void requireFinal(ShardState state, HomedFile file, List<OpenBlock> open, BlockReport report)
            throws TatamiException {
        BlockId block = new BlockId(report.getBlockId());
        boolean isOpen = open.stream().anyMatch(other -> other.block().getBlockId() == report.getBlockId());
        FileId owner = state.fileOf(block);
        if (isOpen || !file.id().equals(owner)) {
            throw new TatamiException(
                    ErrorCode.INVALID_ARGUMENT,
                    isOpen
                            ? block + " was reported before an earlier block of the file"
                            : block + " does not belong to " + file.id());
        }
    }

    /**
     * Whether a directory that was above the file may have been changed, moved or deleted since that was known. This
     * shard is told only where it has the file's name.
     */
    private static boolean hasChangedAbove(ShardState state, HomeRecord.Builder home, LeaseRecord lease) {
        if (lease.getAncestorIdCount() == 0
                || home.getEntryGroup() != state.id().value()) {
            return true;
        }
        TreeVersion known = new TreeVersion(lease.getVersion());
        return known.isBelow(state.gateNewest())
                && (known.isBelow(state.gateFloor())
                        || lease.getAncestorIdList().stream()
                                .anyMatch(id -> state.gate(new DirectoryId(id)).getVersion() > known.value()));
    }

    /**
     * What the tree says of the file's directory, which is the one that its home knows. Where that is gone the file is
     * gone with it, unless it was moved out of it before.
     *
     * @throws TatamiException LEASE_EXPIRED; BUSY where the name is in another shard or none, from which a message is
     *     to come that says where it has moved to, or that it was deleted
     */
    private static void requireStanding(ShardState state, RequestContext context, HomedFile file)
            throws TatamiException, UnsettledException {
        DirectoryId parent = new DirectoryId(file.home().getParentId());
        if (state.gate(parent).getGone()) {
            throw file.entry() != null
                    ? expired(file.id(), "file is gone: directory " + parent + ", or one above it, was deleted")
                    : new TatamiException(
                            ErrorCode.BUSY,
                            file.id() + " was moved out of directory " + parent + " or deleted with it; ask again");
        }
        if (!context.treeAsked()) {
            throw new UnsettledException(new WriterInDoubt(file.id(), parent));
        }
    }

    private static TatamiException expired(FileId id, @Nullable String why) {
        return new TatamiException(ErrorCode.LEASE_EXPIRED, "the lease on " + id + " is lost: " + why);
    }
}
