package io.tatami.meta.op.file;

import com.google.protobuf.ByteString;
import io.tatami.base.BlockId;
import io.tatami.base.DirectoryId;
import io.tatami.base.FileId;
import io.tatami.base.GroupId;
import io.tatami.base.ServerId;
import io.tatami.base.SessionId;
import io.tatami.meta.op.FileRemoval;
import io.tatami.meta.op.MoveMarks;
import io.tatami.meta.op.UnsettledException;
import io.tatami.meta.op.WriteLease;
import io.tatami.meta.state.BlockCopies;
import io.tatami.meta.state.BlockCopies.Copy;
import io.tatami.meta.state.ShardState;
import io.tatami.meta.state.wire.BlockRecord;
import io.tatami.meta.state.wire.EntryRecord;
import io.tatami.meta.state.wire.FileEntry;
import io.tatami.meta.state.wire.HomeRecord;
import io.tatami.meta.state.wire.HomeRecordOrBuilder;
import io.tatami.meta.state.wire.LeaseRecord;
import io.tatami.meta.state.wire.ReplicaRecord;
import io.tatami.protocol.wire.FileClosed;
import io.tatami.protocol.wire.OutboxDelivery;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A file at its home, during one decision: its record, its blocks, and the entry of its name where that is here, too.
 * Changes of the record reach the draft with {@link #save}, or with {@link #publish}, which also tells the name;
 * changes of blocks may be such.
 *
 * <p>Blocks that are open always follow those that are final. While the content is inline no block counts: those that
 * are there, of which the first may be final, are to take the content over. A file that is closed before they hold all
 * of it keeps its content inline, and no block.
 */
public final class HomedFile {
    private final ShardState state;
    private final FileId id;
    private final HomeRecord.Builder home;
    private @Nullable EntryRecord entry;
    private boolean entryRead;
    private final boolean isNew;

    private HomedFile(ShardState state, FileId id, HomeRecord home, boolean isNew) {
        this.state = state;
        this.id = id;
        this.home = home.toBuilder();
        this.isNew = isNew;
    }

    /** A block of this file that is not final. */
    public record OpenBlock(int index, BlockRecord block) {}

    /** Null where there is no such file (any more). */
    public static @Nullable HomedFile find(ShardState state, FileId id) {
        HomeRecord home = state.home(id);
        return home == null ? null : new HomedFile(state, id, home, false);
    }

    /** A file that is being made; it was minted in this draft. */
    public static HomedFile create(ShardState state, FileId id, HomeRecord home) {
        return new HomedFile(state, id, home, true);
    }

    public FileId id() {
        return id;
    }

    public HomeRecord.Builder home() {
        return home;
    }

    /** The blocks that are not final, in the order of the file's bytes. */
    public List<OpenBlock> openBlocks() {
        List<OpenBlock> open = new ArrayList<>();
        for (int index = home.getBlocks() - 1; index >= 0; index--) {
            BlockRecord block = requireBlock(index);
            if (!block.getOpen()) {
                break;
            }
            open.add(new OpenBlock(index, block));
        }
        Collections.reverse(open);
        return open;
    }

    /** Bytes in final blocks: where the first of the open ones begins. */
    public long finalLength(List<OpenBlock> open) {
        if (home.getContentInline()) {
            return finalLengthBesideInline(home.getBlocks() - open.size());
        }
        long length = home.getLength();
        for (OpenBlock block : open) {
            length -= block.block().getLength();
        }
        return length;
    }

    /** Of the final blocks that hold a part of the content already: fewer bytes than are inline. */
    private long finalLengthBesideInline(int count) {
        long length = 0;
        for (int index = 0; index < count; index++) {
            length += requireBlock(index).getLength();
        }
        return length;
    }

    public BlockRecord requireBlock(int index) {
        BlockRecord block = index == 0 && home.hasGranted() ? home.getGranted() : state.block(id, index);
        if (block == null) {
            throw new IllegalStateException(id + " has no block " + index + " of " + home.getBlocks());
        }
        return block;
    }

    /** The id under which the next block is to be granted. */
    public BlockId mintBlock() {
        return canGrant() ? new BlockId(id.value()) : state.mintBlock();
    }

    private boolean canGrant() {
        return isNew && home.getBlocks() == 0;
    }

    /**
     * Puts a block that was {@linkplain #mintBlock minted} just now behind the others. The first one of a file that is
     * being made is kept in the file's record, so that it costs no record of its own before anything is known of it.
     */
    public void grantBlock(BlockRecord block) {
        if (canGrant()) {
            home.setGranted(block).setBlocks(1);
        } else {
            addBlock(block);
        }
    }

    /**
     * Gives the granted block, where it is still kept in the file's record, records of its own, which are changed next.
     */
    private void storeGranted() {
        if (home.hasGranted()) {
            storeBlock(0, home.getGranted());
            home.clearGranted();
        }
    }

    /** Puts a new, open block behind the others; its copies are intended from here on. */
    void addBlock(BlockRecord block) {
        storeBlock(home.getBlocks(), block);
        home.setBlocks(home.getBlocks() + 1);
    }

    private void storeBlock(int index, BlockRecord block) {
        state.putBlock(id, index, block);
        BlockId blockId = new BlockId(block.getBlockId());
        BlockCopies.all(block).forEach(copy -> state.putReplica(copy.server(), blockId, replica(false)));
    }

    /** Puts another file's block, which is final, behind the others. */
    public void adoptBlock(BlockRecord block) {
        addBlock(block);
        finishBlock(home.getBlocks() - 1, block.toBuilder());
    }

    /** A block under its index as it is to be from here on; its servers are as they were. */
    public void changeBlock(int index, BlockRecord block) {
        storeGranted();
        state.changeBlock(id, index, block);
    }

    /**
     * A block is final: its copies are held. If there are fewer or more than the file asks for, or one is on a server
     * that drains, they are looked at.
     */
    public void finishBlock(int index, BlockRecord.Builder block) {
        changeBlock(index, block.setOpen(false).build());
        BlockId blockId = new BlockId(block.getBlockId());
        BlockCopies.counted(block).forEach(copy -> state.putReplica(copy.server(), blockId, replica(true)));
        if (block.getServerIdCount() != Math.max(1, home.getReplication())
                || block.getSpareCount() > 0
                || ServerId.listOf(block.getServerIdList()).stream().anyMatch(state::isClosed)) {
            state.needs().look(blockId, id, index);
        }
    }

    /**
     * A final block is about to change: copies of what it was, which are being made, do not count, and are deleted by
     * their numbers. The record is the caller's to write.
     */
    public void voidIntents(BlockRecord.Builder block) {
        List<Copy> intended = BlockCopies.intended(block);
        if (!intended.isEmpty()) {
            BlockCopies.of(block).clearIntended();
            FileRemoval.reclaim(state, block.build(), intended);
        }
    }

    /** Takes the last block away, to be reclaimed. */
    public void dropLastBlock() {
        int index = home.getBlocks() - 1;
        BlockRecord block = requireBlock(index);
        if (index == 0 && home.hasGranted()) {
            FileRemoval.reclaimGranted(state, block);
            home.clearGranted();
        } else {
            FileRemoval.reclaim(state, block);
            state.removeBlock(id, index, new BlockId(block.getBlockId()));
        }
        home.setBlocks(index);
    }

    /** Forgets that some servers of a block hold it, and has them delete copies up to its committed generation. */
    public void dropCopies(BlockRecord block, List<ServerId> servers) {
        storeGranted();
        List<Copy> dropped = BlockCopies.all(block).stream()
                .filter(copy -> servers.contains(copy.server()))
                .toList();
        FileRemoval.reclaim(
                state,
                block.toBuilder().setIssuedGeneration(block.getGeneration()).build(),
                dropped);
    }

    /** A server is given a copy of a block of which nothing was written. */
    public void grantCopy(BlockRecord.Builder block, ServerId server) {
        storeGranted();
        BlockCopies.of(block).grant(server);
        state.putReplica(server, new BlockId(block.getBlockId()), replica(false));
    }

    /**
     * Counts the length anew after open blocks changed. Content that was inline is taken over once the blocks hold at
     * least as much; before that they do not count.
     */
    public void setBlockLength(long lengthBytes) {
        if (!home.getContentInline()) {
            home.setLength(lengthBytes);
        } else if (lengthBytes > 0 && lengthBytes >= home.getLength()) {
            home.setLength(lengthBytes);
            setInline(null);
        }
    }

    /** The content of a small file; null where it is in blocks. */
    public @Nullable ByteString inline() {
        return home.getContentInline() ? state.inline(id) : null;
    }

    /** The whole content from here on; null where it is in blocks. The file's length is the caller's to set. */
    public void setInline(@Nullable ByteString content) {
        if (content != null) {
            state.putInline(id, content);
        } else if (home.getContentInline()) {
            state.removeInline(id);
        }
        home.setContentInline(content != null);
    }

    /** The session's lease, or under {@link SessionId#NONE} that of a recovery. */
    public void moveLease(SessionId to) {
        SessionId from = new SessionId(home.getWriterSession());
        LeaseRecord lease = state.lease(from, id);
        state.removeLease(from, id);
        state.putLease(to, id, lease == null ? LeaseRecord.getDefaultInstance() : lease);
        home.setWriterSession(to.value());
    }

    /** Whether it was made without a block and nothing was written since; who made it may have it open still. */
    public boolean isUnwritten() {
        return home.getState() == HomeRecord.State.UNWRITTEN;
    }

    /** Whether somebody writes it, or it is being recovered or cut. */
    public boolean isOpen() {
        return WriteLease.isOpen(state, id, home);
    }

    /** Something is about to be written: a file that was unwritten has a lease like others from here on. */
    public void begin(long nowMillis) throws UnsettledException {
        if (isUnwritten()) {
            LeaseRecord first = WriteLease.of(state, id, home);
            WriteLease.remove(state, id, home);
            state.putNewLease(
                    new SessionId(home.getWriterSession()),
                    id,
                    first == null ? LeaseRecord.getDefaultInstance() : first);
            home.setState(HomeRecord.State.OPEN);
            publish(nowMillis);
        }
    }

    /** Closes a file that is unwritten, which changes no record but the leader's. */
    public void closeUnwritten() {
        state.removeFirstLease(new SessionId(home.getWriterSession()), id);
    }

    /**
     * Closed from here on: the lease is gone, the content is another version, and the name is told. Blocks that hold
     * less than the content that is inline are given up.
     */
    public void close(long nowMillis) throws UnsettledException {
        while (home.getContentInline() && home.getBlocks() > 0) {
            dropLastBlock();
        }
        WriteLease.remove(state, id, home);
        home.setState(HomeRecord.State.CLOSED).clearWriterSession().clearTruncateLength();
        publish(nowMillis);
    }

    /**
     * The content is another version from here on, and the name is told of it: in the same batch where it is here, else
     * by the outbox. An unwritten file that stays closed is one like others.
     *
     * @throws UnsettledException the name is leaving for another shard, whose copy of it would miss this
     */
    public void publish(long nowMillis) throws UnsettledException {
        if (isUnwritten()) {
            home.setState(HomeRecord.State.CLOSED).clearWriterSession();
        }
        boolean open = home.getState() != HomeRecord.State.CLOSED;
        home.setContentVersion(home.getContentVersion() + 1);
        if (!open) {
            home.setModifiedMillis(Math.max(nowMillis, home.getModifiedMillis()));
        }
        EntryRecord here = entry();
        if (here != null) {
            FileEntry.Builder file = here.getFile().toBuilder()
                    .setOpen(open)
                    .setLength(home.getLength())
                    .setContentInline(home.getContentInline())
                    .setContentVersion(home.getContentVersion())
                    .clearUnwrittenBy();
            if (!open) {
                file.getAttributesBuilder().setModifiedMillis(home.getModifiedMillis());
            }
            changeEntry(here, file);
        } else if (home.getEntryGroup() != state.id().value()) {
            FileClosed news = closed(state, id, home);
            state.addOutbox(
                    new GroupId(home.getEntryGroup()),
                    OutboxDelivery.newBuilder().setClosed(news).build());
        }
        save();
    }

    /** What a name in another shard is told of a file. */
    public static FileClosed closed(ShardState state, FileId id, HomeRecordOrBuilder home) {
        return FileClosed.newBuilder()
                .setFileId(id.value())
                .setParentId(home.getParentId())
                .setName(home.getName())
                .setLength(home.getLength())
                // Nothing was written, and since then the time may have been set with the name.
                .setModifiedMillis(home.getState() == HomeRecord.State.UNWRITTEN ? 0 : home.getModifiedMillis())
                .setContentVersion(home.getContentVersion())
                .setContentInline(home.getContentInline())
                .setOpen(WriteLease.isOpen(state, id, home))
                .build();
    }

    /** Writes the record; the name is not told. */
    public void save() {
        if (isNew) {
            state.putNewHome(id, home.build());
        } else {
            state.putHome(id, home.build());
        }
    }

    /** The entry of the file's name, where it is here. */
    @Nullable
    public EntryRecord entry() throws UnsettledException {
        if (!entryRead && home.getEntryGroup() == state.id().value()) {
            DirectoryId parent = new DirectoryId(home.getParentId());
            EntryRecord found = state.entry(parent, home.getName());
            MoveMarks.requireReadable(parent, home.getName(), found);
            entry = found != null && found.getFile().getFileId() == id.value() ? found : null;
        }
        entryRead = true;
        return entry;
    }

    private void changeEntry(EntryRecord before, FileEntry.Builder file) {
        EntryRecord after = before.toBuilder().setFile(file).build();
        DirectoryId parent = new DirectoryId(home.getParentId());
        state.entries().changeRecord(parent, home.getName(), after);
        entry = after;
    }

    private ReplicaRecord replica(boolean held) {
        return state.replicaFromNow(id, held);
    }
}
