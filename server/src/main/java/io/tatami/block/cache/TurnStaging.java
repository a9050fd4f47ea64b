package io.tatami.block.cache;

import io.tatami.base.TatamiException;
import io.tatami.block.device.Device;
import io.tatami.block.volume.BlockReader;
import io.tatami.block.volume.ReadUnit;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Copies the units of a plan's turn from their volume to their slots. Holds no lock while it waits for a device. */
final class TurnStaging {
    private static final Logger LOG = LoggerFactory.getLogger(TurnStaging.class);

    private final CacheTier tier;
    private final SlotDevice device;
    private final UnitSource source;

    TurnStaging(CacheTier tier, SlotDevice device, UnitSource source) {
        this.tier = tier;
        this.device = device;
        this.source = source;
    }

    /** Stages what can be staged of a turn, and ends it. */
    void stage(PlanBook.Turn turn) {
        Deque<StagedUnit> left = new ArrayDeque<>(turn.units());
        try {
            stage(turn.range(), left);
        } catch (TatamiException e) {
            LOG.debug("a part of plan {} is not staged", turn.plan().id(), e);
        } finally {
            tier.endTurn(left);
        }
    }

    /** Stages units of one block, one behind the other; those that are ready, or given up, are no longer left. */
    private void stage(PlannedRange range, Deque<StagedUnit> left) throws TatamiException {
        long length = source.lengthBytes(range.block(), range.generation());
        long start = (long) left.element().key.unit() * Device.UNIT_BYTES;
        long end = Math.min(length, start + (long) left.size() * Device.UNIT_BYTES);
        if (end <= start) {
            return;
        }
        try (BlockReader reader = source.open(range.block(), range.generation(), start, end - start)) {
            while (!left.isEmpty() && tier.isWanted(left.element())) {
                ReadUnit unit = reader.next();
                if (unit == null) {
                    return;
                }
                try (unit) {
                    if (unit.offsetBytes() + unit.data().remaining()
                            < Math.min(end, unit.offsetBytes() + Device.UNIT_BYTES)) {
                        // A damaged chunk comes next.
                        return;
                    }
                    copy(unit, left.element());
                }
                left.remove();
            }
        }
    }

    private void copy(ReadUnit from, StagedUnit to) throws TatamiException {
        ByteBuffer bytes = from.data().duplicate();
        int length = bytes.remaining();
        // The unit's buffer is longer, and what lies behind the block's end is never given out.
        bytes.limit((int) Device.alignUp(bytes.limit()));
        try {
            device.write(to.slot, bytes);
        } catch (TatamiException e) {
            tier.stop(e);
            throw e;
        }
        tier.staged(to, length);
    }
}
