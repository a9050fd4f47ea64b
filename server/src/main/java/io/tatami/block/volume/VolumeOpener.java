package io.tatami.block.volume;

import io.tatami.base.BlockId;
import io.tatami.base.ChunkChecksum;
import io.tatami.base.Clock;
import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.block.device.AccessKind;
import io.tatami.block.device.AlignedBuffer;
import io.tatami.block.device.Device;
import io.tatami.block.device.DirectDevice;
import io.tatami.block.device.FailStop;
import io.tatami.block.device.GuardedDevice;
import io.tatami.block.device.IoThreads;
import io.tatami.block.device.SharedFlush;
import io.tatami.block.volume.format.SuperblockFormat;
import io.tatami.block.volume.format.VolumeFormatter;
import io.tatami.block.volume.index.BlockIndex;
import io.tatami.block.volume.index.BlockRecord;
import io.tatami.block.volume.index.FlushedEnd;
import io.tatami.block.volume.index.FlushedEnds;
import io.tatami.block.volume.index.IndexDirectories;
import io.tatami.block.volume.index.IndexStore;
import io.tatami.block.volume.index.RocksIndexStore;
import io.tatami.block.volume.space.Extent;
import io.tatami.block.volume.space.ExtentAllocator;
import io.tatami.files.CrashPoint;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ConcurrentNavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Opens formatted volumes of one cluster. Opening writes nothing but the sum of an index that has none, and to the
 * index what a process of the same boot had flushed ({@link FlushedEnds}); it may be broken off and repeated at will.
 * Blocks that were being written are there with what was durable of them, and what no record names is free.
 */
public final class VolumeOpener {
    private static final Logger LOG = LoggerFactory.getLogger(VolumeOpener.class);

    private final UUID cluster;
    private final VolumeResources resources;
    private final Clock clock;

    /** @param resources given to every volume opened, and shared by them */
    public VolumeOpener(UUID cluster, VolumeResources resources) {
        this(cluster, resources, Clock.SYSTEM);
    }

    /** @param clock by which accesses are timed */
    VolumeOpener(UUID cluster, VolumeResources resources, Clock clock) {
        this.cluster = cluster;
        this.resources = resources;
        this.clock = clock;
    }

    /**
     * Opens and locks a volume.
     *
     * @param path a block device or file
     * @param indexDirectory where {@link VolumeFormatter} put its block index
     * @throws TatamiException what {@link DirectDevice#open} throws; CORRUPT where the device bears no superblock, or
     *     index and superblock do not name each other, or the index contradicts itself; WRONG_CLUSTER; FORMAT_TOO_OLD
     *     or FORMAT_TOO_NEW; NOT_FOUND where there is no index. Each message names the remedy.
     */
    public Volume open(Path path, Path indexDirectory) throws TatamiException {
        return open(path, volume -> indexDirectory);
    }

    /** {@link #open(Path, Path)} with the index of that volume among those of a server. */
    public Volume open(Path path, IndexDirectories indexes) throws TatamiException {
        return open(path, indexes::find);
    }

    @FunctionalInterface
    private interface IndexFinder {
        Path of(UUID volume) throws TatamiException;
    }

    private Volume open(Path path, IndexFinder indexes) throws TatamiException {
        FailStop failStop = new FailStop("volume " + path);
        Device device = DirectDevice.open(path);
        IndexStore store;
        FlushedEnds flushedEnds;
        try {
            UUID volume = checkSuperblock(device).volume();
            Path indexDirectory = indexes.of(volume);
            store = RocksIndexStore.open(indexDirectory, failStop);
            flushedEnds = FlushedEnds.read(FlushedEnds.beside(indexDirectory), volume, FlushedEnds.bootId());
        } catch (TatamiException | RuntimeException e) {
            closeAfter(device, e);
            throw e;
        }
        IoThreads threads = IoThreads.start(
                "volume-" + path.getFileName(), resources.settings().ioThreads());
        return open(device, store, flushedEnds, threads, failStop);
    }

    /** Opens a volume on parts that are given; all of them are closed where this fails. */
    Volume open(Device device, IndexStore store, FlushedEnds flushedEnds, IoThreads threads, FailStop failStop)
            throws TatamiException {
        GuardedDevice guarded = new GuardedDevice(device, failStop, clock);
        failStop.whenInDoubt(flushedEnds::doubt);
        BlockIndex index = new BlockIndex(store, failStop);
        try {
            SuperblockFormat.Superblock superblock = checkSuperblock(guarded);
            checkIdentity(superblock, trusted(index::identity), device.name());
            CrashPoint.hit("volume.open.after-identity");
            long dataBytes = Device.alignDown(superblock.sizeBytes()) - SuperblockFormat.DATA_OFFSET;
            ExtentAllocator allocator = new ExtentAllocator(
                    new Extent(SuperblockFormat.DATA_OFFSET, dataBytes),
                    resources.settings().reserveBytes());
            ConcurrentNavigableMap<BlockId, Replica> replicas =
                    new ConcurrentSkipListMap<>(Comparator.comparingLong(BlockId::value));
            boolean isWhole = flushedEnds.foundAll();
            trusted(() -> {
                index.scan(entry -> claim(entry, allocator, replicas, isWhole));
                return replicas;
            });
            CrashPoint.hit("volume.open.after-scan");
            VolumeParts parts = new VolumeParts(
                    guarded,
                    threads,
                    new SharedFlush(guarded, threads),
                    index,
                    allocator,
                    resources,
                    failStop,
                    new DamageRecord(guarded.name(), failStop, resources.damage()),
                    new ReentrantLock(true),
                    flushedEnds,
                    ConcurrentHashMap.newKeySet());
            takeOver(parts, replicas);
            return new Volume(superblock, parts, replicas, trusted(index::unwritten));
        } catch (TatamiException | RuntimeException e) {
            threads.close();
            closeAfter(index, e);
            closeAfter(guarded, e);
            throw e;
        }
    }

    private SuperblockFormat.Superblock checkSuperblock(Device device) throws TatamiException {
        if (device.sizeBytes() < SuperblockFormat.SIZE_BYTES_MIN) {
            throw VolumeFormatter.tooSmall(device);
        }
        SuperblockFormat.Superblock superblock;
        try {
            superblock = SuperblockFormat.read(device);
        } catch (TatamiException e) {
            throw e.code() != ErrorCode.CORRUPT
                    ? e
                    : new TatamiException(
                            ErrorCode.CORRUPT,
                            device.name() + " has no superblock of Tatami; format it with 'tatami format'",
                            e);
        }
        if (!superblock.cluster().equals(cluster)) {
            throw new TatamiException(
                    ErrorCode.WRONG_CLUSTER,
                    device.name() + " belongs to cluster " + superblock.cluster() + ", not to " + cluster
                            + "; choose another device, or overwrite it with 'format --force'");
        }
        if (superblock.sizeBytes() > device.sizeBytes()) {
            throw new TatamiException(
                    ErrorCode.CORRUPT,
                    device.name() + " was formatted with " + superblock.sizeBytes() + " bytes and now has only "
                            + device.sizeBytes() + "; restore its size");
        }
        return superblock;
    }

    private static void checkIdentity(SuperblockFormat.Superblock superblock, BlockIndex.Identity identity, String name)
            throws TatamiException {
        BlockIndex.Identity wanted =
                new BlockIndex.Identity(superblock.cluster(), superblock.volume(), superblock.index());
        if (!wanted.equals(identity)) {
            throw new TatamiException(
                    ErrorCode.CORRUPT,
                    "the block index names volume " + identity.volume() + " and index " + identity.index() + ", but "
                            + name
                            + " is volume " + wanted.volume() + " and needs index " + wanted.index()
                            + "; name the index directory of this volume");
        }
    }

    private static void claim(
            BlockRecord entry, ExtentAllocator allocator, ConcurrentMap<BlockId, Replica> replicas, boolean isWhole)
            throws TatamiException {
        if (!allocator.claim(entry.extent())) {
            throw new TatamiException(
                    ErrorCode.CORRUPT,
                    "block index: " + entry.extent() + " of block " + entry.block()
                            + " is outside the volume or belongs to another block too");
        }
        replicas.put(entry.block(), Replica.found(entry, isWhole || entry.isFinalized()));
    }

    /** What the index says of a block, and what was kept behind that. */
    private record Behind(BlockRecord before, FlushedEnd end) {}

    /**
     * Gives the index what a process of the same boot had flushed and not synced. What does not begin where the index
     * ends was synced, cut or deleted after it was kept.
     */
    private static void takeOver(VolumeParts parts, ConcurrentMap<BlockId, Replica> replicas) throws TatamiException {
        List<Behind> behind = new ArrayList<>();
        for (FlushedEnd end : parts.flushedEnds().found()) {
            Replica replica = replicas.get(end.base().block());
            BlockRecord entry = replica == null ? null : replica.committed();
            if (entry != null && end.continues(entry) && end.lengthBytes() > entry.lengthBytes()) {
                behind.add(new Behind(entry, end));
            }
        }
        if (!behind.isEmpty()) {
            parts.flush().flush();
            CrashPoint.hit("volume.open.after-flush");
            for (Behind one : behind) {
                replicas.put(one.before().block(), takenOver(parts, one));
                CrashPoint.hit("volume.open.after-taken-over");
            }
            LOG.info(
                    "{}: took over what was flushed of {} blocks",
                    parts.device().name(),
                    behind.size());
        }
        boolean isLacking = replicas.values().stream()
                .anyMatch(replica -> replica.describe().mayLackFlushed());
        parts.flushedEnds().begin(isLacking);
    }

    /** What is damaged of one block's checksums is a matter of that block, and is found by whoever reads it. */
    private static Replica takenOver(VolumeParts parts, Behind one) throws TatamiException {
        FlushedEnd end = one.end();
        BlockRecord now = end.entry(one.before());
        int chunksBefore = ChunkChecksum.pieces(0, one.before().lengthBytes());
        int chunks = ChunkChecksum.pieces(0, end.lengthBytes());
        int[] before;
        try {
            before = readTwice(() -> parts.index().checksums(one.before().block(), 0, chunksBefore));
        } catch (TatamiException e) {
            if (e.code() != ErrorCode.CORRUPT) {
                throw e;
            }
            LOG.warn("what was flushed of block {} is lost", one.before().block(), e);
            return Replica.found(one.before(), false);
        }
        int[] checksums = Arrays.copyOf(before, chunks);
        System.arraycopy(end.checksums(), 0, checksums, end.firstChunk(), end.checksums().length);
        if (parts.flushedEnds().isInDoubt() && !isOnDevice(parts, now, end, checksums)) {
            LOG.warn(
                    "what was flushed of block {} did not reach the device",
                    one.before().block());
            return Replica.found(one.before(), false);
        }
        parts.index()
                .put(
                        one.before(),
                        now,
                        new BlockIndex.ChecksumUpdate(checksums, end.firstChunk(), chunks, chunksBefore));
        return Replica.found(now, true);
    }

    /** Whether the device has what was kept of a block's end, with the checksums that all its chunks are to have. */
    private static boolean isOnDevice(VolumeParts parts, BlockRecord now, FlushedEnd end, int[] checksums)
            throws TatamiException {
        Replica replica = Replica.found(now, true);
        Replica.View view = new Replica.View(replica.location(), 0, end.lengthBytes(), 0, checksums);
        AlignedBuffer buffer = parts.acquireWriteBuffer();
        try {
            long start = (long) end.firstChunk() * ChunkChecksum.CHUNK_BYTES;
            for (long at = start; at < end.lengthBytes(); at += Device.UNIT_BYTES) {
                long from = at;
                long to = Math.min(end.lengthBytes(), at + Device.UNIT_BYTES);
                parts.threads().stream(AccessKind.READ)
                        .submit(
                                (int) (to - from),
                                () -> replica.fetch(parts.device(), replica.extent(), from, to, buffer))
                        .await();
                if (view.firstDamaged(buffer.memory(), from, to) >= 0) {
                    return false;
                }
            }
            return true;
        } finally {
            buffer.release();
        }
    }

    private static <R> R readTwice(IndexReading<R> reading) throws TatamiException {
        try {
            return reading.read();
        } catch (TatamiException e) {
            LOG.debug("the index is read again", e);
            return reading.read();
        }
    }

    @FunctionalInterface
    private interface IndexReading<R> {
        R read() throws TatamiException;
    }

    /** What is wrong with the index is told together with the remedy. */
    private static <R> R trusted(IndexReading<R> reading) throws TatamiException {
        try {
            return reading.read();
        } catch (TatamiException e) {
            throw e.code() != ErrorCode.CORRUPT
                    ? e
                    : new TatamiException(
                            ErrorCode.CORRUPT,
                            e.getMessage() + "; the volume cannot be trusted: format it again, and let other copies"
                                    + " replace its blocks",
                            e);
        }
    }

    private static void closeAfter(AutoCloseable closeable, Exception reason) {
        try {
            closeable.close();
        } catch (Exception e) {
            reason.addSuppressed(e);
        }
    }
}
