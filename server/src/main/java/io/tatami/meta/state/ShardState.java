package io.tatami.meta.state;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnsafeByteOperations;
import io.tatami.base.BlockId;
import io.tatami.base.Check;
import io.tatami.base.DirectoryId;
import io.tatami.base.FileId;
import io.tatami.base.GroupId;
import io.tatami.base.ServerId;
import io.tatami.base.SessionId;
import io.tatami.meta.state.wire.BlockRecord;
import io.tatami.meta.state.wire.CreditRecord;
import io.tatami.meta.state.wire.DirectorySliceRecord;
import io.tatami.meta.state.wire.EntryRecord;
import io.tatami.meta.state.wire.GateRecord;
import io.tatami.meta.state.wire.GroupRecord;
import io.tatami.meta.state.wire.GrowthRecord;
import io.tatami.meta.state.wire.HomeRecord;
import io.tatami.meta.state.wire.HomeRecordOrBuilder;
import io.tatami.meta.state.wire.LeaseRecord;
import io.tatami.meta.state.wire.LeavingRecord;
import io.tatami.meta.state.wire.ReclaimRecord;
import io.tatami.meta.state.wire.ReplicaRecord;
import io.tatami.meta.state.wire.TransactionRecord;
import io.tatami.protocol.wire.OutboxDelivery;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.LongSummaryStatistics;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** A shard's records by type, over one draft. What is written here is seen here; nothing is kept but in the draft. */
public final class ShardState extends Records {
    private static final byte[] NOTHING = {};
    private static final byte[] LEAVING = Keys.singleton("leaving");

    /** Ids of directories are near to one another where so many could lie between two of them, each. */
    private static final int SHARES_SPAN_MAX = 8;

    /** A step of a walk costs a fraction of a look-up, and its beginning several. */
    private static final int BLOCKS_LOOKED_UP_MAX = 8;

    /** Written when the shard is formatted, and never by an operation. */
    private @Nullable GroupRecord group;

    private final Entries entries = new Entries(this);
    private final Needs needs = new Needs(this);

    /** An operation reads an entry before it changes it. */
    private @Nullable LastEntry lastEntry;

    public ShardState(Draft draft) {
        super(draft);
    }

    public GroupRecord group() {
        GroupRecord known = group;
        if (known == null) {
            known = read(Keys.singleton("group"), GroupRecord.parser());
            Check.check(known != null, "the shard is not formatted");
            group = Objects.requireNonNull(known);
        }
        return Objects.requireNonNull(known);
    }

    public GroupId id() {
        return new GroupId(group().getGroup());
    }

    public @Nullable EntryRecord entry(DirectoryId directory, String name) {
        byte[] key = Keys.entry(directory, name);
        EntryRecord record = read(key, EntryRecord.parser());
        lastEntry = new LastEntry(key, draft().change(key), record);
        return record;
    }

    /**
     * The same, without another look-up where it is the entry that was read last: below a draft nothing changes during
     * a decision, so the record is still the one that was read unless the draft itself has another change of it.
     */
    @Nullable
    EntryRecord entryBefore(byte[] key) {
        LastEntry last = lastEntry;
        return last != null && Arrays.equals(last.key, key) && last.change == draft().change(key)
                ? last.record
                : read(key, EntryRecord.parser());
    }

    /**
     * An entry as it was read.
     *
     * @param change the draft's own change of it then
     */
    private record LastEntry(
            byte[] key,
            Draft.@Nullable Change change,
            @Nullable EntryRecord record) {}

    /** Where entries are put, changed and removed. */
    public Entries entries() {
        return entries;
    }

    /** Blocks whose copies are to be looked at. */
    public Needs needs() {
        return needs;
    }

    public @Nullable HomeRecord home(FileId file) {
        return read(Keys.home(file), HomeRecord.parser());
    }

    public void putHome(FileId file, HomeRecord home) {
        write(Keys.home(file), home);
    }

    /** The home record of a file that was minted in this draft. */
    public void putNewHome(FileId file, HomeRecord home) {
        writeNew(Keys.home(file), home);
    }

    public void removeHome(FileId file) {
        remove(Keys.home(file));
    }

    /** All bytes of a file whose content is stored inline; null where it is not. */
    public @Nullable ByteString inline(FileId file) {
        byte[] bytes = draft().get(Keys.inline(file));
        return bytes == null ? null : UnsafeByteOperations.unsafeWrap(bytes);
    }

    public void putInline(FileId file, ByteString bytes) {
        draft().put(Keys.inline(file), bytes.toByteArray());
    }

    public void removeInline(FileId file) {
        remove(Keys.inline(file));
    }

    public @Nullable BlockRecord block(FileId file, int index) {
        return read(Keys.block(file, index), BlockRecord.parser());
    }

    /** All blocks of a file in the order of its bytes, as many as there are; none where there is no such file. */
    public List<BlockRecord> blocks(FileId file) {
        HomeRecord home = home(file);
        return home == null ? List.of() : blocks(home, walkBlocks(file));
    }

    /** All blocks of a file in the order of its bytes, by what its home is known to say. */
    public List<BlockRecord> blocks(FileId file, HomeRecordOrBuilder home) {
        return blocks(home, recordedBlocks(file, home));
    }

    private static List<BlockRecord> blocks(HomeRecordOrBuilder home, Map<Integer, BlockRecord> recorded) {
        List<BlockRecord> blocks = new ArrayList<>();
        if (home.hasGranted()) {
            blocks.add(home.getGranted());
        }
        blocks.addAll(recorded.values());
        return blocks;
    }

    /**
     * The blocks of a file that have records of their own, by their index and in its order. Few are looked up, which
     * needs no walk and so costs nothing where there are none.
     */
    public Map<Integer, BlockRecord> recordedBlocks(FileId file, HomeRecordOrBuilder home) {
        if (home.getBlocks() > BLOCKS_LOOKED_UP_MAX) {
            return walkBlocks(file);
        }
        Map<Integer, BlockRecord> blocks = new LinkedHashMap<>();
        for (int index = home.hasGranted() ? 1 : 0; index < home.getBlocks(); index++) {
            BlockRecord block = block(file, index);
            if (block != null) {
                blocks.put(index, block);
            }
        }
        return blocks;
    }

    private Map<Integer, BlockRecord> walkBlocks(FileId file) {
        Map<Integer, BlockRecord> blocks = new LinkedHashMap<>();
        byte[] prefix = Keys.blocks(file);
        try (View.Cursor cursor = draft().scan(prefix, Keys.after(prefix))) {
            while (cursor.next()) {
                blocks.put(Keys.indexOf(cursor.key()), parse(cursor.value(), BlockRecord.parser()));
            }
        }
        return blocks;
    }

    /** Also records which file the block belongs to. */
    public void putBlock(FileId file, int index, BlockRecord block) {
        write(Keys.block(file, index), block);
        write(
                Keys.fileOfBlock(new BlockId(block.getBlockId())),
                ReplicaRecord.newBuilder().setFileId(file.value()).build());
    }

    /** A block that {@link #putBlock} put before, changed: which file it belongs to stays as it was. */
    public void changeBlock(FileId file, int index, BlockRecord block) {
        write(Keys.block(file, index), block);
    }

    public void removeBlock(FileId file, int index, BlockId block) {
        remove(Keys.block(file, index));
        remove(Keys.fileOfBlock(block));
    }

    /** The file a block belongs to, or null where this shard has no such block. */
    public @Nullable FileId fileOf(BlockId block) {
        ReplicaRecord record = read(Keys.fileOfBlock(block), ReplicaRecord.parser());
        if (record != null) {
            return new FileId(record.getFileId());
        }
        return granted(block) == null ? null : new FileId(block.value());
    }

    /** A block that was granted when its file was made, and has no records of its own yet. */
    private @Nullable BlockRecord granted(BlockId block) {
        HomeRecord home = home(new FileId(block.value()));
        return home != null && home.hasGranted() ? home.getGranted() : null;
    }

    /** What is known of a copy that a server has or is to have; null where it is to have none. */
    public @Nullable ReplicaRecord replica(ServerId server, BlockId block) {
        ReplicaRecord record = read(Keys.replica(server, block), ReplicaRecord.parser());
        if (record != null) {
            return record;
        }
        BlockRecord granted = granted(block);
        return granted != null && granted.getServerIdList().contains(server.value())
                ? ReplicaRecord.newBuilder().setFileId(block.value()).build()
                : null;
    }

    /** Of a copy that begins or changes now. What the rounds of audits that run at this moment say of it is old. */
    public ReplicaRecord replicaFromNow(FileId file, boolean held) {
        return ReplicaRecord.newBuilder()
                .setFileId(file.value())
                .setHeld(held)
                .setRound(newestAuditRound())
                .build();
    }

    public void putReplica(ServerId server, BlockId block, ReplicaRecord replica) {
        write(Keys.replica(server, block), replica);
    }

    public void removeReplica(ServerId server, BlockId block) {
        remove(Keys.replica(server, block));
    }

    public @Nullable LeaseRecord lease(SessionId session, FileId file) {
        return read(Keys.lease(session, file), LeaseRecord.parser());
    }

    /** A lease under a session and file that have none. */
    public void putNewLease(SessionId session, FileId file, LeaseRecord lease) {
        writeNew(Keys.lease(session, file), lease);
    }

    public void putLease(SessionId session, FileId file, LeaseRecord lease) {
        write(Keys.lease(session, file), lease);
    }

    public void removeLease(SessionId session, FileId file) {
        remove(Keys.lease(session, file));
    }

    /** The lease of a file that nothing was written to, or a spent one; null where the leader knows of none. */
    public @Nullable LeaseRecord firstLease(SessionId session, FileId file) {
        return read(Keys.firstLease(session, file), LeaseRecord.parser());
    }

    /** @param lease with a directory, by which it differs from a spent one */
    public void putFirstLease(SessionId session, FileId file, LeaseRecord lease) {
        Check.check(lease.getAncestorIdCount() > 0, "the first lease of %s knows no directory", file);
        write(Keys.firstLease(session, file), lease);
    }

    public void removeFirstLease(SessionId session, FileId file) {
        remove(Keys.firstLease(session, file));
    }

    /**
     * Another record than before tells from here on whether the file is open. Who reads the records as they were finds
     * that the lease was there then.
     */
    public void spendFirstLease(SessionId session, FileId file) {
        draft().put(Keys.firstLease(session, file), NOTHING);
    }

    /** This shard's part of a directory; all zero where it has none. */
    public DirectorySliceRecord slice(DirectoryId directory) {
        return readOr(Keys.slice(directory), DirectorySliceRecord.getDefaultInstance(), DirectorySliceRecord.parser());
    }

    /**
     * This shard's parts of those directories of which it has one. Directories that were made together have ids next to
     * one another; between ids that are far apart a scan might walk over any number of records that were deleted.
     */
    public Map<DirectoryId, DirectorySliceRecord> slices(Collection<DirectoryId> directories) {
        LongSummaryStatistics ids =
                directories.stream().mapToLong(DirectoryId::value).summaryStatistics();
        Map<DirectoryId, DirectorySliceRecord> slices = new HashMap<>();
        if (ids.getMax() - ids.getMin() < (long) SHARES_SPAN_MAX * directories.size()) {
            NearbyRecords.read(draft(), directories, Keys::slice)
                    .forEach((directory, value) -> slices.put(directory, parse(value, DirectorySliceRecord.parser())));
            return slices;
        }
        for (DirectoryId directory : directories) {
            DirectorySliceRecord slice = read(Keys.slice(directory), DirectorySliceRecord.parser());
            if (slice != null) {
                slices.put(directory, slice);
            }
        }
        return slices;
    }

    /** For {@link Entries}, which keeps its sums. */
    void putSlice(DirectoryId directory, DirectorySliceRecord slice) {
        write(Keys.slice(directory), slice);
    }

    /** After the last entry of a directory that is gone. */
    public void removeSlice(DirectoryId directory) {
        remove(Keys.slice(directory));
    }

    /** Whether a name of a directory that is being widened was fetched ahead of its turn. */
    public boolean isFetched(DirectoryId directory, String name) {
        return draft().get(Keys.fetched(directory, name)) != null;
    }

    public void putFetched(DirectoryId directory, String name) {
        draft().put(Keys.fetched(directory, name), NOTHING);
    }

    public void removeFetched(DirectoryId directory, String name) {
        remove(Keys.fetched(directory, name));
    }

    /** Notes that this shard's part of a directory has changed often. */
    public void putGrowth(DirectoryId directory, GrowthRecord growth) {
        write(Keys.growth(directory), growth);
    }

    public void removeGrowth(DirectoryId directory) {
        remove(Keys.growth(directory));
    }

    /** What the gate knows of a directory; all zero where nothing changed it lately. */
    public GateRecord gate(DirectoryId directory) {
        return readOr(Keys.gate(directory), GateRecord.getDefaultInstance(), GateRecord.parser());
    }

    public void putGate(DirectoryId directory, GateRecord gate) {
        write(Keys.gate(directory), gate);
    }

    public void removeGate(DirectoryId directory) {
        remove(Keys.gate(directory));
    }

    /**
     * At or above the version of every change the gate was told of; 0 where it was told of none. A handle of this
     * version or a later one is fresh without a look at its directories.
     */
    public TreeVersion gateNewest() {
        return new TreeVersion(longOr(Keys.singleton("gate.newest"), 0));
    }

    public void putGateNewest(TreeVersion version) {
        writeLong(Keys.singleton("gate.newest"), version.value());
    }

    /** Handles below this version are refused, because what the gate knew of older changes is forgotten. */
    public TreeVersion gateFloor() {
        return new TreeVersion(longOr(Keys.singleton("gate.floor"), 0));
    }

    public void putGateFloor(TreeVersion version) {
        writeLong(Keys.singleton("gate.floor"), version.value());
    }

    public @Nullable TransactionRecord transaction(TransactionId id) {
        return read(Keys.transaction(id), TransactionRecord.parser());
    }

    public void putTransaction(TransactionId id, TransactionRecord transaction) {
        countLeaving(transaction(id), -1);
        write(Keys.transaction(id), transaction);
        countLeaving(transaction, 1);
    }

    public void removeTransaction(TransactionId id) {
        countLeaving(transaction(id), -1);
        remove(Keys.transaction(id));
    }

    /** The shards to which files are on their way from here: their moves are prepared, and have not ended here. */
    public Set<GroupId> leavingTo() {
        LeavingRecord counted = read(LEAVING, LeavingRecord.parser());
        if (counted == null) {
            counted = countedLeaving();
            write(LEAVING, counted);
        }
        return counted.getTransactionsMap().keySet().stream().map(GroupId::new).collect(Collectors.toSet());
    }

    private LeavingRecord countedLeaving() {
        Map<Integer, Long> counts = new HashMap<>();
        try (View.Cursor cursor = draft().scan(Keys.kind('t'), Keys.after(Keys.kind('t')))) {
            while (cursor.next()) {
                TransactionRecord transaction = parse(cursor.value(), TransactionRecord.parser());
                if (!transaction.getDestination()) {
                    counts.merge(transaction.getOtherGroup(), 1L, Long::sum);
                }
            }
        }
        return LeavingRecord.newBuilder().putAllTransactions(counts).build();
    }

    private void countLeaving(@Nullable TransactionRecord transaction, int more) {
        if (transaction == null || transaction.getDestination()) {
            return;
        }
        LeavingRecord counted = read(LEAVING, LeavingRecord.parser());
        if (counted != null) {
            int group = transaction.getOtherGroup();
            long count = counted.getTransactionsOrDefault(group, 0) + more;
            if (count < 0) {
                // A server of an older release has led the shard, and did not count. Somebody counts again.
                remove(LEAVING);
                return;
            }
            LeavingRecord.Builder changed = counted.toBuilder();
            write(
                    LEAVING,
                    count == 0
                            ? changed.removeTransactions(group).build()
                            : changed.putTransactions(group, count).build());
        }
    }

    /** The newest round of an audit that has begun; 0 before the first. */
    public long newestAuditRound() {
        return longOr(Keys.singleton("counter.audit"), 0);
    }

    public CreditRecord credit(ServerId server) {
        return readOr(Keys.credit(server), CreditRecord.getDefaultInstance(), CreditRecord.parser());
    }

    /** Whether no block is placed on a server, as it drains. */
    public boolean isClosed(ServerId server) {
        return credit(server).getClosedRound() != 0;
    }

    /** Whether an audit that began after a server was closed has found no block there. */
    public boolean isFoundEmpty(ServerId server) {
        CreditRecord credit = credit(server);
        return credit.getClosedRound() != 0 && credit.getEmptyRound() >= credit.getClosedRound();
    }

    public void putCredit(ServerId server, CreditRecord credit) {
        write(Keys.credit(server), credit);
    }

    /** Puts something on the queue of what is to be reclaimed in the background. */
    public void addReclaim(ReclaimRecord reclaim) {
        writeNew(Keys.reclaim(next("reclaim")), reclaim);
    }

    /** Puts a message for another group behind those already waiting for it; its number is set here. */
    public void addOutbox(GroupId to, OutboxDelivery message) {
        long number = next("outbox." + to.value());
        writeNew(
                Keys.outbox(to.value(), number),
                message.toBuilder().setFromGroup(id().value()).setNumber(number).build());
    }

    /** Removes the messages for another group with a number above {@code after}, up to {@code upTo}. */
    public void removeOutbox(GroupId to, long after, long upTo) {
        List<byte[]> keys = new ArrayList<>();
        try (View.Cursor cursor = draft().scan(Keys.outbox(to.value(), after + 1), Keys.outbox(to.value(), upTo + 1))) {
            while (cursor.next()) {
                keys.add(cursor.key());
            }
        }
        keys.forEach(this::remove);
    }

    /** No block has its number but the one that is granted with it. */
    public FileId mintFile() {
        GroupRecord group = group();
        return FileId.of(group.getGroup(), group.getRestoreEpoch(), next("minted"));
    }

    /** No file has its number. */
    public BlockId mintBlock() {
        GroupRecord group = group();
        return BlockId.of(group.getGroup(), group.getRestoreEpoch(), next("minted"));
    }

    /** A transaction id that no other shard gives: rising within this shard, with its number below. */
    public TransactionId mintTransaction() {
        return new TransactionId(next("transaction") * GroupId.SHARDS_MAX + id().shard());
    }

    /** The number of a mark that a move leaves on an entry; never given twice by this shard. */
    public MoveMark mintMark() {
        return new MoveMark(next("mark"));
    }

    /** The last message from another group's outbox that was applied here; 0 before the first. */
    public long delivered(GroupId from) {
        return longOr(Keys.singleton("delivered." + from.value()), 0);
    }

    public void putDelivered(GroupId from, long number) {
        writeLong(Keys.singleton("delivered." + from.value()), number);
    }

    /** The number of an audit round of this shard; never given twice. */
    public long mintAuditRound() {
        return next("audit");
    }

    /**
     * Whether this shard has minted the block in its present epoch. An id has the epoch in its upper bits, so one of an
     * older epoch sorts below all of this one's.
     */
    public boolean hasMinted(BlockId block) {
        BlockId oldest = BlockId.of(group().getGroup(), group().getRestoreEpoch(), 1);
        return block.home().equals(id())
                && block.value() >= oldest.value()
                && block.value() <= newestBlock().value();
    }

    /** At or above every block id that this shard minted in its present restore epoch. */
    public BlockId newestBlock() {
        GroupRecord group = group();
        long counter = longOr(Keys.singleton("counter.minted"), 0);
        return counter == 0 ? BlockId.NONE : BlockId.of(group.getGroup(), group.getRestoreEpoch(), counter);
    }

    public @Nullable ReclaimRecord reclaim(long number) {
        return read(Keys.reclaim(number), ReclaimRecord.parser());
    }

    public void putReclaim(long number, ReclaimRecord reclaim) {
        write(Keys.reclaim(number), reclaim);
    }

    public void removeReclaim(long number) {
        remove(Keys.reclaim(number));
    }
}
