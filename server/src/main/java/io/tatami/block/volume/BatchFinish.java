package io.tatami.block.volume;

import io.tatami.base.Check;
import io.tatami.base.TatamiException;
import io.tatami.files.CrashPoint;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Finalizes blocks of which nothing was synced before, some at once: one flush of the device, then one synced batch of
 * the index that names all of them. A crash before that batch leaves none of them.
 *
 * <p>No right to change a block is held during the flush: a fence and a deletion do not wait for it, and what they
 * change is seen before the block is named. From then to the end of the batch they wait. Nobody who waits for the right
 * to change a block holds that of another one, but for a batch; the batches of a volume have no block in common.
 */
final class BatchFinish {
    private final VolumeParts parts;
    private final BlockCommitter committer;

    BatchFinish(VolumeParts parts, BlockCommitter committer) {
        this.parts = parts;
        this.committer = committer;
    }

    /** @see Volume#finish */
    Map<BlockWriter, TatamiException> finish(List<BlockWriter> writers, Volume.LastLook lastLook)
            throws TatamiException {
        parts.failStop().check();
        if (writers.stream().anyMatch(writer -> writer.lengthBytes() > 0)) {
            parts.flush().flush();
        }
        CrashPoint.hit("volume.batch.after-flush");
        Map<BlockWriter, TatamiException> refused = new HashMap<>();
        List<BlockCommitter.Flushed> flushed = new ArrayList<>();
        List<Replica.Change> held = new ArrayList<>();
        try {
            for (BlockWriter writer : writers) {
                Replica.Change change = writer.replica().change();
                held.add(change);
                try {
                    flushed.add(flushed(writer, change, lastLook));
                } catch (TatamiException e) {
                    refused.put(writer, e);
                }
            }
            if (!flushed.isEmpty()) {
                committer.finish(flushed);
            }
        } finally {
            held.forEach(Replica.Change::close);
        }
        return refused;
    }

    private static BlockCommitter.Flushed flushed(BlockWriter writer, Replica.Change change, Volume.LastLook lastLook)
            throws TatamiException {
        OpenBlock open = change.openFor(writer);
        lastLook.requireWanted(writer);
        Check.check(change.replica().committed() == null, "%s was synced before", writer.block());
        return new BlockCommitter.Flushed(change, open, writer.generation());
    }
}
