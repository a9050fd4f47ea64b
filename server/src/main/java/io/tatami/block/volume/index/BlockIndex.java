package io.tatami.block.volume.index;

import io.tatami.base.BlockId;
import io.tatami.base.ChunkChecksum;
import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.base.UuidBytes;
import io.tatami.block.device.FailStop;
import io.tatami.block.volume.space.Extent;
import io.tatami.files.CrashPoint;
import io.tatami.files.Envelope;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The durable record of every block of a volume, and the checksums of its chunks, laid out as {@link BlockIndexFormat}
 * says. Every change is one synced batch. The first error of the store stops the volume; where it only found no room,
 * what is committed is still read. Safe for use by many threads; the caller sees to it that one thread at a time
 * changes a block.
 */
public final class BlockIndex implements AutoCloseable {
    private static final String SUM_IS_WRONG =
            "block index: the records are not those that were written last: one is lost, or an old one is back";

    private final IndexStore store;
    private final FailStop failStop;

    /** @param store owned by the new object, which closes it */
    public BlockIndex(IndexStore store, FailStop failStop) {
        this.store = store;
        this.failStop = failStop;
    }

    /** To which cluster and volume an index belongs, and its own id. */
    public record Identity(UUID cluster, UUID volume, UUID index) {}

    /**
     * The chunks of a block whose checksums a commit changes.
     *
     * @param checksums the checksums of all chunks of the block, from index 0
     * @param firstChanged the first chunk whose checksum the index does not have
     * @param chunks how many chunks the block has
     * @param chunksBefore how many it had in the index
     */
    public record ChecksumUpdate(int[] checksums, int firstChanged, int chunks, int chunksBefore) {}

    /**
     * Makes an empty store the index of a volume.
     *
     * @param unwritten see {@link #unwritten()}
     */
    public static void writeIdentity(IndexStore store, Identity identity, Extent unwritten) throws TatamiException {
        List<IndexStore.Change> changes = new ArrayList<>(identityChanges(identity, BlockIndexFormat.SUM_START));
        if (!unwritten.isEmpty()) {
            changes.add(
                    new IndexStore.Change(BlockIndexFormat.UNWRITTEN_KEY, BlockIndexFormat.encodeUnwritten(unwritten)));
        }
        CrashPoint.hit("volume.index.before-identity");
        store.write(changes);
    }

    private static List<IndexStore.Change> identityChanges(Identity identity, long sum) {
        byte[] payload = BlockIndexFormat.encodeIdentity(identity.volume(), identity.index());
        byte[] value = Envelope.wrap(
                Envelope.Kind.BLOCK_INDEX, BlockIndexFormat.IDENTITY_VERSION, identity.cluster(), payload);
        return List.of(
                new IndexStore.Change(BlockIndexFormat.IDENTITY_KEY, value),
                new IndexStore.Change(BlockIndexFormat.SUM_KEY, BlockIndexFormat.encodeSum(sum)));
    }

    /**
     * Reads it, and gives the index its sum where it is of before there was one.
     *
     * @throws TatamiException CORRUPT where there is none, FORMAT_TOO_OLD, FORMAT_TOO_NEW, IO_ERROR
     */
    public Identity identity() throws TatamiException {
        byte[] value = store.get(BlockIndexFormat.IDENTITY_KEY);
        if (value == null) {
            throw new TatamiException(
                    ErrorCode.CORRUPT,
                    "the block index has no identity: its formatting was not finished; format the volume again");
        }
        Envelope.Opened opened = Envelope.unwrap(
                Envelope.Kind.BLOCK_INDEX,
                BlockIndexFormat.IDENTITY_VERSION_WITHOUT_SUM,
                BlockIndexFormat.IDENTITY_VERSION,
                value,
                "the identity of the block index");
        if (opened.payload().length != BlockIndexFormat.IDENTITY_PAYLOAD_BYTES) {
            throw new TatamiException(ErrorCode.CORRUPT, "the identity of the block index has a wrong length");
        }
        ByteBuffer payload = ByteBuffer.wrap(opened.payload());
        Identity identity = new Identity(opened.owner(), UuidBytes.get(payload), UuidBytes.get(payload));
        if (opened.version() == BlockIndexFormat.IDENTITY_VERSION_WITHOUT_SUM) {
            long[] sum = {BlockIndexFormat.SUM_START};
            store.scan(BlockIndexFormat.RECORD_PREFIX, (key, record) -> sum[0] += BlockIndexFormat.hash(key, record));
            store.write(identityChanges(identity, sum[0]));
        }
        return identity;
    }

    /**
     * Outside of what nothing is written for the first time; nothing where that was never said.
     *
     * @throws TatamiException CORRUPT, IO_ERROR
     */
    public Extent unwritten() throws TatamiException {
        return BlockIndexFormat.decodeUnwritten(store.get(BlockIndexFormat.UNWRITTEN_KEY));
    }

    /** Commits {@link #unwritten()}. */
    public void setUnwritten(Extent unwritten) throws TatamiException {
        RecordChanges changes = new RecordChanges();
        changes.put(BlockIndexFormat.UNWRITTEN_KEY, BlockIndexFormat.encodeUnwritten(unwritten));
        write(changes);
    }

    /** Takes one record of a scan. */
    @FunctionalInterface
    public interface Visitor {
        void visit(BlockRecord entry) throws TatamiException;
    }

    /**
     * Shows all records, by rising block id; checksums are not read.
     *
     * @throws TatamiException CORRUPT also where a record is lost or an old one is back, after all were shown
     */
    public void scan(Visitor visitor) throws TatamiException {
        if (!hasSumOf((key, value) -> visitor.visit(BlockIndexFormat.decodeRecord(key, value)))) {
            throw new TatamiException(ErrorCode.CORRUPT, SUM_IS_WRONG);
        }
    }

    /** Whether there is no block, whatever else may be wrong. */
    public boolean isEmpty() throws TatamiException {
        boolean[] empty = {true};
        store.scan(
                BlockIndexFormat.RECORD_PREFIX,
                (key, value) -> empty[0] &= Arrays.equals(key, BlockIndexFormat.SUM_KEY));
        return empty[0];
    }

    /** Shows all records, and tells whether they are those that the sum was made of. */
    private boolean hasSumOf(IndexStore.Visitor records) throws TatamiException {
        long[] sum = {BlockIndexFormat.SUM_START};
        byte[][] stored = {null};
        store.scan(BlockIndexFormat.RECORD_PREFIX, (key, value) -> {
            if (Arrays.equals(key, BlockIndexFormat.SUM_KEY)) {
                stored[0] = value;
            } else {
                sum[0] += BlockIndexFormat.hash(key, value);
                records.visit(key, value);
            }
        });
        return BlockIndexFormat.isSum(stored[0], sum[0]);
    }

    /**
     * What is damaged of the store and of the records in it, one sentence each; the checksums of blocks are checked by
     * those who read the blocks. Does not stop the volume.
     *
     * @throws TatamiException IO_ERROR
     */
    public List<String> findDamage() throws TatamiException {
        List<String> damages = new ArrayList<>(store.findDamage());
        try {
            boolean isWhole = hasSumOf((key, value) -> {
                try {
                    BlockRecord unused = BlockIndexFormat.decodeRecord(key, value);
                } catch (TatamiException e) {
                    damages.add(String.valueOf(e.getMessage()));
                }
            });
            if (!isWhole) {
                damages.add(SUM_IS_WRONG);
            }
            identity();
            Extent unused = unwritten();
        } catch (TatamiException e) {
            if (e.code() != ErrorCode.CORRUPT) {
                throw e;
            }
            damages.add(String.valueOf(e.getMessage()));
        }
        return damages;
    }

    /**
     * The stored checksums of {@code chunks} chunks from {@code firstChunk} on.
     *
     * @throws TatamiException CORRUPT where one is not there; this does not stop the volume
     */
    public int[] checksums(BlockId block, int firstChunk, int chunks) throws TatamiException {
        failStop.checkReads();
        int[] checksums = new int[chunks];
        int done = 0;
        while (done < chunks) {
            int chunk = firstChunk + done;
            byte[] key = BlockIndexFormat.segmentKey(block, chunk / BlockIndexFormat.SEGMENT_CHUNKS);
            ByteBuffer segment = BlockIndexFormat.decodeSegment(key, get(key), block);
            int from = chunk % BlockIndexFormat.SEGMENT_CHUNKS;
            int count = Math.min(chunks - done, BlockIndexFormat.SEGMENT_CHUNKS - from);
            if (segment.remaining() < (from + count) * Integer.BYTES) {
                throw new TatamiException(
                        ErrorCode.CORRUPT, "block index: block " + block + " lacks checksums from chunk " + chunk);
            }
            segment.asIntBuffer().get(from, checksums, done, count);
            done += count;
        }
        return checksums;
    }

    /**
     * Commits a record whose checksums the index already has.
     *
     * @param before what the index says of the block now; null for nothing
     */
    public void put(@Nullable BlockRecord before, BlockRecord entry) throws TatamiException {
        RecordChanges changes = new RecordChanges();
        changes.replace(before, entry);
        write(changes);
    }

    /** Commits a record together with the checksums that changed. */
    public void put(@Nullable BlockRecord before, BlockRecord entry, ChecksumUpdate update) throws TatamiException {
        RecordChanges changes = new RecordChanges();
        put(changes, before, entry, update);
        write(changes);
    }

    /**
     * A finalized block that comes from elsewhere.
     *
     * @param checksums of all its chunks
     */
    public record Arrived(BlockRecord entry, int[] checksums) {}

    /** Commits blocks of which nothing is here yet, all of them or none. */
    public void arrive(List<Arrived> blocks) throws TatamiException {
        RecordChanges changes = new RecordChanges();
        for (Arrived block : blocks) {
            int[] checksums = block.checksums();
            put(changes, null, block.entry(), new ChecksumUpdate(checksums, 0, checksums.length, 0));
        }
        write(changes);
    }

    private static void put(
            RecordChanges changes, @Nullable BlockRecord before, BlockRecord entry, ChecksumUpdate update) {
        changes.replace(before, entry);
        int segment = update.firstChanged() / BlockIndexFormat.SEGMENT_CHUNKS;
        int first = segment * BlockIndexFormat.SEGMENT_CHUNKS;
        while (first < Math.max(update.chunks(), update.chunksBefore())) {
            byte[] key = BlockIndexFormat.segmentKey(entry.block(), segment);
            int count = Math.min(update.chunks() - first, BlockIndexFormat.SEGMENT_CHUNKS);
            byte[] value = count <= 0 ? null : BlockIndexFormat.encodeSegment(key, update.checksums(), first, count);
            changes.put(key, value);
            segment++;
            first += BlockIndexFormat.SEGMENT_CHUNKS;
        }
    }

    /** What a move changes of a block: where it is, and nothing else. */
    public record Moved(BlockRecord before, BlockRecord now) {}

    /** Commits where blocks are now, all of them or none. */
    public void move(List<Moved> blocks) throws TatamiException {
        RecordChanges changes = new RecordChanges();
        blocks.forEach(block -> changes.replace(block.before(), block.now()));
        write(changes);
    }

    /** Commits that a block is gone. */
    public void delete(BlockRecord before) throws TatamiException {
        delete(List.of(before));
    }

    /** Commits that blocks are gone, all of them or none. */
    public void delete(List<BlockRecord> gone) throws TatamiException {
        RecordChanges changes = new RecordChanges();
        for (BlockRecord before : gone) {
            changes.replace(before, null);
            int chunks = ChunkChecksum.pieces(0, before.lengthBytes());
            for (int segment = 0; segment * BlockIndexFormat.SEGMENT_CHUNKS < chunks; segment++) {
                changes.put(BlockIndexFormat.segmentKey(before.block(), segment), null);
            }
        }
        write(changes);
    }

    /** What the file system of the index has left. */
    public long usableBytes() throws TatamiException {
        return store.usableBytes();
    }

    @Override
    public void close() throws TatamiException {
        store.close();
    }

    /** A batch, and what it changes of the sum. Used by one thread. */
    private static final class RecordChanges {
        private final List<IndexStore.Change> changes = new ArrayList<>();
        private long added;

        /** @param now null where the block is gone */
        public void replace(@Nullable BlockRecord before, @Nullable BlockRecord now) {
            if (before != null) {
                added -= BlockIndexFormat.hash(
                        BlockIndexFormat.recordKey(before.block()), BlockIndexFormat.encodeRecord(before));
            }
            if (now != null) {
                byte[] key = BlockIndexFormat.recordKey(now.block());
                byte[] value = BlockIndexFormat.encodeRecord(now);
                added += BlockIndexFormat.hash(key, value);
                put(key, value);
            } else if (before != null) {
                put(BlockIndexFormat.recordKey(before.block()), null);
            }
        }

        public void put(byte[] key, byte @Nullable [] value) {
            changes.add(new IndexStore.Change(key, value));
        }
    }

    private byte @Nullable [] get(byte[] key) throws TatamiException {
        try {
            return store.get(key);
        } catch (TatamiException e) {
            throw failStop.stop(e);
        }
    }

    private void write(RecordChanges batch) throws TatamiException {
        failStop.check();
        try {
            CrashPoint.hit("volume.index.before-write");
            store.write(batch.changes, new IndexStore.Addition(BlockIndexFormat.SUM_KEY, batch.added));
            CrashPoint.hit("volume.index.after-write");
        } catch (TatamiException e) {
            throw e.code() == ErrorCode.NO_SPACE ? failStop.stopWrites(e) : failStop.stop(e);
        }
    }
}
