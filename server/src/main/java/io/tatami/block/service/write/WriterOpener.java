package io.tatami.block.service.write;

import io.tatami.base.BlockId;
import io.tatami.base.ErrorCode;
import io.tatami.base.Generation;
import io.tatami.base.TatamiException;
import io.tatami.block.service.context.ServerContext;
import io.tatami.block.service.volumes.VolumeSet;
import io.tatami.block.service.volumes.VolumeStreams;
import io.tatami.block.volume.BlockWriter;
import io.tatami.block.volume.StoredBlock;
import io.tatami.block.volume.Volume;
import io.tatami.block.volume.VolumeStatistics;
import io.tatami.block.volume.space.Reservation;
import io.tatami.files.CrashPoint;
import io.tatami.protocol.wire.WriteBlockRequest;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Opens the writers of write streams: on the volume that has the block, or, for a new block, on the volume that
 * {@link VolumeChoice} names. Safe for use by many threads; calls block on the disk.
 */
final class WriterOpener {
    /** Shorter blocks are not worth their records and seeks. */
    private static final long RESERVED_BYTES_MIN = 4L << 20;

    /** Of the free room, the part that a writer may have at most for having written much. */
    private static final int EARNED_PART = 8;

    /** What one volume answers and another one may not. */
    private static final Set<ErrorCode> OTHER_VOLUME_MAY_HELP =
            EnumSet.of(ErrorCode.NO_SPACE, ErrorCode.IO_ERROR, ErrorCode.BUSY, ErrorCode.UNAVAILABLE);

    private final VolumeSet volumes;
    private final VolumeStreams streams;
    private final Tombstones tombstones;
    private final Set<BlockId> opening = ConcurrentHashMap.newKeySet();

    /**
     * @param streams counts the writers of each volume
     * @param tombstones of blocks that are not to be begun any more
     */
    WriterOpener(VolumeSet volumes, VolumeStreams streams, Tombstones tombstones) {
        this.volumes = volumes;
        this.streams = streams;
        this.tombstones = tombstones;
    }

    /** A writer, and its place among those of its volume, which whoever has done with the writer closes. */
    record Opened(BlockWriter writer, VolumeStreams.Counted stream) {}

    /**
     * The writer that a write stream asks for; see {@code WriteBlockRequest}.
     *
     * @throws TatamiException BUSY where the volume, or each of those that have room, has as many writers as it may, or
     *     where the same block is being opened for another writer: one block on two volumes would be two; FENCED for a
     *     block that was deleted; what {@link Volume#create} and {@link Volume#reopen} throw
     */
    Opened open(WriteBlockRequest request) throws TatamiException {
        BlockId block = new BlockId(request.getBlockId());
        if (!opening.add(block)) {
            throw new TatamiException(ErrorCode.BUSY, block + " is being opened for another writer; try again");
        }
        try {
            return openAlone(block, request);
        } finally {
            opening.remove(block);
        }
    }

    private Opened openAlone(BlockId block, WriteBlockRequest request) throws TatamiException {
        while (true) {
            Volume holder = volumes.find(block).map(VolumeSet.Found::volume).orElse(null);
            try {
                return openOnce(block, request);
            } catch (TatamiException e) {
                if (holder == null || !volumes.hasLeft(block, holder, e)) {
                    throw e;
                }
            }
        }
    }

    private Opened openOnce(BlockId block, WriteBlockRequest request) throws TatamiException {
        Generation generation = ServerContext.generation(request.getGeneration());
        Optional<VolumeSet.Found> found = volumes.find(block);
        if (found.isEmpty()) {
            if (request.getStartOffset() > 0) {
                throw volumes.notFound(block);
            }
            tombstones.requireNone(block, 0, generation);
            return undeleted(create(block, generation, request));
        }
        StoredBlock stored = found.get().stored();
        if (stored.promised().isAbove(generation)) {
            throw new TatamiException(
                    ErrorCode.FENCED,
                    block + " has promised generation " + stored.promised() + ", so generation " + generation
                            + " cannot write it");
        }
        Generation previous = ServerContext.generation(request.getPreviousGeneration());
        if (previous.equals(Generation.NONE)) {
            throw new TatamiException(ErrorCode.ALREADY_EXISTS, block + " is already on this server");
        }
        if (stored.generation().isBelow(previous)) {
            throw new TatamiException(
                    ErrorCode.NO_SUCH_BLOCK,
                    block + " is on this server only with generation " + stored.generation() + ", which missed writes");
        }
        Volume volume = found.get().volume();
        return counted(streams.open(volume), () -> reopen(volume, block, generation, request));
    }

    /** A deletion that looked for the block before it was here left a tombstone before that. */
    private Opened undeleted(Opened created) throws TatamiException {
        BlockWriter writer = created.writer();
        try {
            CrashPoint.hit("service.write.after-create");
            tombstones.requireNone(writer.block(), 0, writer.generation());
            return created;
        } catch (TatamiException e) {
            created.stream().close();
            try {
                writer.abort();
            } catch (TatamiException left) {
                e.addSuppressed(left);
            }
            throw e;
        }
    }

    private static BlockWriter reopen(Volume volume, BlockId block, Generation generation, WriteBlockRequest request)
            throws TatamiException {
        BlockWriter writer = volume.reopen(block, generation, request.getStartOffset(), request.getReserveBytes());
        if (writer.capacityBytes() < request.getNeededBytes()) {
            writer.close();
            throw new TatamiException(
                    ErrorCode.NO_SPACE,
                    block + " has room for " + writer.capacityBytes() + " bytes and cannot grow to "
                            + request.getNeededBytes());
        }
        return writer;
    }

    /** On the volume that is the best; where that has no room after all, on the next. */
    private Opened create(BlockId block, Generation generation, WriteBlockRequest request) throws TatamiException {
        long wanted = Math.max(1, request.getReserveBytes());
        long needed = Math.max(1, Math.min(wanted, request.getNeededBytes()));
        Set<Volume> tried = new HashSet<>();
        TatamiException failure = null;
        while (true) {
            try {
                ChosenVolume chosen = chooseVolume(wanted, tried);
                if (chosen == null) {
                    break;
                }
                Volume volume = chosen.volume();
                Reservation room = new Reservation(
                        fairShare(volume, wanted, needed, request.getPrecedingBytes()), needed, request.getPacked());
                return counted(chosen.stream(), () -> volume.create(block, generation, room));
            } catch (TatamiException e) {
                failure = together(e, failure);
                if (!OTHER_VOLUME_MAY_HELP.contains(e.code())) {
                    throw failure;
                }
            }
        }
        throw failure == null
                ? new TatamiException(ErrorCode.IO_ERROR, "every volume of this server has stopped or is drained")
                : failure;
    }

    /**
     * The bytes that a writer reserves: a whole block if each open writer could reserve as much again, else an equal
     * part of the free room. So many open files do not take all room for bytes they may never write. A writer that has
     * filled blocks may reserve as much again as it has written, up to a part of the free room: beside thousands of
     * files that rest, one that is streamed soon has whole blocks. A block whose reservation is full ends there, and
     * its file continues with another block.
     */
    private long fairShare(Volume volume, long wantedBytes, long neededBytes, long writtenBytes) {
        long freeBytes = volume.statistics().freeBytes();
        long equalBytes = freeBytes / Math.max(1, streams.count(volume));
        long earnedBytes = Math.min(writtenBytes, freeBytes / EARNED_PART);
        long fairBytes = Math.max(RESERVED_BYTES_MIN, Math.max(equalBytes, earnedBytes));
        return Math.min(wantedBytes, Math.max(neededBytes, fairBytes));
    }

    /** A volume, and a writer's place on it. */
    private record ChosenVolume(Volume volume, VolumeStreams.Counted stream) {}

    /**
     * Chooses a volume and counts the writer at once, so that those who come together do not all choose the same.
     *
     * @param tried is not chosen, and is what was chosen too afterwards
     * @return null where no volume is left that serves
     */
    private synchronized @Nullable ChosenVolume chooseVolume(long wantedBytes, Set<Volume> tried)
            throws TatamiException {
        List<VolumeChoice.Candidate<Volume>> candidates = new ArrayList<>();
        for (VolumeSet.ServedVolume served : volumes.volumes()) {
            Volume volume = served.volume();
            VolumeStatistics statistics = volume.statistics();
            if (!tried.contains(volume)
                    && !volume.isClosedToNew()
                    && statistics.failure().isEmpty()) {
                candidates.add(new VolumeChoice.Candidate<>(
                        volume,
                        volume.accessTimes().isHanging(),
                        streams.count(volume),
                        statistics.freeBytes(),
                        statistics.largestFreeExtentBytes()));
            }
        }
        Volume best = VolumeChoice.best(candidates, wantedBytes).orElse(null);
        if (best == null) {
            return null;
        }
        tried.add(best);
        return new ChosenVolume(best, streams.open(best));
    }

    private interface WriterSource {
        BlockWriter open() throws TatamiException;
    }

    /** What could not be opened does not count. */
    private static Opened counted(VolumeStreams.Counted stream, WriterSource opening) throws TatamiException {
        try {
            return new Opened(opening.open(), stream);
        } catch (TatamiException | RuntimeException e) {
            stream.close();
            throw e;
        }
    }

    /** The last failure tells, but for one of a volume that may have room later. */
    private static TatamiException together(TatamiException now, @Nullable TatamiException earlier) {
        if (earlier == null) {
            return now;
        }
        TatamiException told = earlier.code() == ErrorCode.BUSY ? earlier : now;
        told.addSuppressed(told == now ? earlier : now);
        return told;
    }
}
