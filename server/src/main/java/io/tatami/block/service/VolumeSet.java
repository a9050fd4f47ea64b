package io.tatami.block.service;

import io.tatami.base.BlockId;
import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.block.cache.UnitSource;
import io.tatami.block.volume.BlockReader;
import io.tatami.block.volume.StoredBlock;
import io.tatami.block.volume.Volume;
import io.tatami.block.volume.VolumeStatistics;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The volumes of one server as one. A block is on one of them at most. A volume that stopped is left out of writing;
 * what is on it is still found, and answers with IO_ERROR. Safe for use by many threads; calls block on the disk.
 */
public final class VolumeSet implements UnitSource {
    private final List<ServedVolume> volumes;
    private final List<FailedVolume> failed;

    /** A volume and where it is. */
    public record ServedVolume(Volume volume, String path) {}

    /**
     * A volume that could not be opened when the server started, and why.
     *
     * @param id null where it could not be read
     */
    public record FailedVolume(String path, @Nullable UUID id, String reason) {}

    /** A block and the volume it is on. */
    record Found(Volume volume, StoredBlock stored) {}

    /** The volumes are the caller's to close. */
    public VolumeSet(List<ServedVolume> volumes) {
        this(volumes, List.of());
    }

    /** @param failed those that are missing, to be reported */
    public VolumeSet(List<ServedVolume> volumes, List<FailedVolume> failed) {
        this.volumes = List.copyOf(volumes);
        this.failed = List.copyOf(failed);
    }

    List<ServedVolume> volumes() {
        return volumes;
    }

    List<FailedVolume> failed() {
        return failed;
    }

    Optional<Found> find(BlockId block) {
        for (ServedVolume served : volumes) {
            Optional<StoredBlock> stored = served.volume().find(block);
            if (stored.isPresent()) {
                return Optional.of(new Found(served.volume(), stored.get()));
            }
        }
        return Optional.empty();
    }

    /** @throws TatamiException NO_SUCH_BLOCK where it is not here, FENCED where the copy is below {@code generation} */
    Found require(BlockId block, long generation) throws TatamiException {
        Found found = find(block)
                .orElseThrow(() -> new TatamiException(ErrorCode.NO_SUCH_BLOCK, block + " is not on this server"));
        if (found.stored().generation() < generation) {
            throw new TatamiException(
                    ErrorCode.FENCED,
                    block + " is here with generation " + found.stored().generation() + ", below " + generation);
        }
        return found;
    }

    @Override
    public int volumeCount() {
        return volumes.size();
    }

    @Override
    public int volumeOf(BlockId block) {
        for (int number = 0; number < volumes.size(); number++) {
            if (volumes.get(number).volume().find(block).isPresent()) {
                return number;
            }
        }
        return 0;
    }

    @Override
    public boolean isHanging(int volume) {
        return volumes.get(volume).volume().accessTimes().isHanging();
    }

    @Override
    public long lengthBytes(BlockId block, long generation) throws TatamiException {
        StoredBlock stored = require(block, generation).stored();
        if (!stored.finalized()) {
            throw new TatamiException(ErrorCode.BUSY, block + " is still being written");
        }
        return stored.visibleBytes();
    }

    @Override
    public BlockReader open(BlockId block, long generation, long offsetBytes, long lengthBytes) throws TatamiException {
        return require(block, generation).volume().readInBackground(block, generation, offsetBytes, lengthBytes);
    }

    /** Sums over the volumes that serve; what is free on one that hangs is not to be had now. */
    Room room() {
        long capacity = 0;
        long used = 0;
        long free = 0;
        for (ServedVolume served : volumes) {
            VolumeStatistics statistics = served.volume().statistics();
            if (statistics.failure().isEmpty()) {
                capacity += statistics.capacityBytes();
                used += statistics.usedBytes();
                free += served.volume().accessTimes().isHanging() ? 0 : statistics.freeBytes();
            }
        }
        return new Room(capacity, used, free);
    }

    /** Room for blocks, in bytes. */
    record Room(long capacityBytes, long usedBytes, long freeBytes) {}
}
