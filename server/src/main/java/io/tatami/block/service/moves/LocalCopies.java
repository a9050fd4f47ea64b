package io.tatami.block.service.moves;

import io.tatami.base.BlockId;
import io.tatami.base.TatamiException;
import io.tatami.block.service.volumes.VolumeSet;
import io.tatami.block.service.volumes.VolumeSet.Found;
import io.tatami.block.volume.BlockReader;
import io.tatami.block.volume.ReadUnit;
import io.tatami.block.volume.StoredBlock;
import io.tatami.block.volume.Volume;
import java.util.Comparator;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.LongConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Blocks that two volumes of the server have: a move was cut short between the two indexes, or the block was begun
 * again while a volume was not there. Of copies with the same number a finalized one is kept: that of the highest
 * generation; of several, which have the same length, one on a volume that takes blocks, and the emptiest of these;
 * where no such volume has a sound one, all stay, since a volume that takes none may be about to be removed, or to fail
 * as a whole. The others are dropped once all bytes of the one that is kept were read and are sound, and it has
 * promised as much as they have. A copy that is being written, or that is as new and is not finalized or has another
 * length, is left, as is one with another number: the shard knows which one is to be. Used by one thread.
 */
final class LocalCopies {
    private static final Logger LOG = LoggerFactory.getLogger(LocalCopies.class);
    private static final int PAGE = 1024;

    private final VolumeSet volumes;
    private final BooleanSupplier mayGoOn;
    private final LongConsumer read;

    /**
     * @param mayGoOn may wait; false once all is to end
     * @param read told how many bytes were read
     */
    LocalCopies(VolumeSet volumes, BooleanSupplier mayGoOn, LongConsumer read) {
        this.volumes = volumes;
        this.mayGoOn = mayGoOn;
        this.read = read;
    }

    /**
     * Looks at the blocks of all volumes.
     *
     * @return whether all were looked at
     */
    boolean settleAll() {
        for (VolumeSet.ServedVolume served : volumes.volumes()) {
            BlockId after = new BlockId(0);
            List<StoredBlock> page = served.volume().blocks(after, new BlockId(Long.MAX_VALUE), PAGE);
            while (!page.isEmpty()) {
                if (!mayGoOn.getAsBoolean()) {
                    return false;
                }
                for (StoredBlock stored : page) {
                    settle(stored.block());
                }
                after = page.get(page.size() - 1).block();
                page = served.volume().blocks(after, new BlockId(Long.MAX_VALUE), PAGE);
            }
        }
        return true;
    }

    /** Drops what needs not be kept of a block, where the volumes allow that. */
    void settle(BlockId block) {
        List<Found> copies = volumes.findAll(block);
        if (copies.size() < 2) {
            return;
        }
        Found kept = copies.stream()
                .filter(copy -> copy.stored().finalized() && !copy.stored().damaged())
                .max(Comparator.comparing((Found copy) -> copy.stored().generation())
                        .thenComparing(copy -> MoveTargets.takes(copy.volume()))
                        .thenComparingDouble(copy -> -MoveTargets.fullness(copy.volume())))
                .orElse(null);
        if (kept == null) {
            return;
        }
        List<Found> others = copies.stream().filter(copy -> mayGo(copy, kept)).toList();
        if (!others.isEmpty() && isSound(kept)) {
            for (Found other : others) {
                drop(other, kept);
            }
        }
    }

    private static boolean mayGo(Found copy, Found kept) {
        StoredBlock stored = copy.stored();
        StoredBlock better = kept.stored();
        if (copy.volume() == kept.volume() || stored.copyNumber() != better.copyNumber()) {
            return false;
        }
        return stored.generation().isBelow(better.generation())
                || (stored.generation().equals(better.generation())
                        && stored.finalized()
                        && stored.durableBytes() == better.durableBytes()
                        && (stored.damaged() || MoveTargets.takes(kept.volume())));
    }

    /** Whether all its bytes match their checksums; that they do not is noted by the reader. */
    private boolean isSound(Found copy) {
        StoredBlock stored = copy.stored();
        try (BlockReader reader =
                copy.volume().readInBackground(stored.block(), stored.generation(), 0, stored.durableBytes())) {
            while (mayGoOn.getAsBoolean()) {
                try (ReadUnit unit = reader.next()) {
                    if (unit == null) {
                        return true;
                    }
                    read.accept(unit.data().remaining());
                }
            }
        } catch (TatamiException e) {
            LOG.info("{} is not settled between two volumes", stored.block(), e);
        }
        return false;
    }

    private static void drop(Found other, Found kept) {
        try {
            dropUnchanged(other, kept);
        } catch (TatamiException e) {
            LOG.info("{} stays on two volumes", other.stored().block(), e);
        }
    }

    private static void dropUnchanged(Found other, Found kept) throws TatamiException {
        BlockId block = other.stored().block();
        Volume volume = kept.volume();
        if (other.stored().promised().isAbove(kept.stored().promised())) {
            boolean unused = volume.fence(block, other.stored().promised());
        }
        if (volume.has(block) && mayGo(other, kept) && other.volume().deleteUnchanged(other.stored())) {
            LOG.info("{} was on two volumes, and is on {} now", block, volume.id());
        }
    }
}
