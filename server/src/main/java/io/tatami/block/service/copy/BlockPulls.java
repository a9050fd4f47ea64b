package io.tatami.block.service.copy;

import io.tatami.base.BlockId;
import io.tatami.base.ErrorCode;
import io.tatami.base.Generation;
import io.tatami.base.TatamiException;
import io.tatami.base.WaitLimit;
import io.tatami.block.service.context.BlockServerSettings;
import io.tatami.block.service.context.CopyRate;
import io.tatami.block.service.context.ServerContext;
import io.tatami.block.service.volumes.VolumeSet;
import io.tatami.block.volume.StoredBlock;
import io.tatami.block.volume.Volume;
import io.tatami.block.volume.VolumeStatistics;
import io.tatami.files.CrashPoint;
import io.tatami.protocol.wire.CopiesMadeRequest;
import io.tatami.protocol.wire.PullBlocksReply;
import io.tatami.protocol.wire.PullBlocksRequest;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The copies that this server is told to make. Each is admitted onto a volume, waits in its line, is filled on a thread
 * of its own, is finished together with the others that were filled meanwhile, and is reported; what is under way when
 * the server stops is not, and is asked for again. Safe for use by many threads.
 */
public final class BlockPulls {
    private static final Logger LOG = LoggerFactory.getLogger(BlockPulls.class);

    private final ServerContext context;
    private final BlockPuller maker;
    private final Executor threads;
    private final Consumer<CopiesMadeRequest.Item> reports;

    // Guarded by this.
    private final Map<Volume, PullLine> lines = new HashMap<>();
    private final Map<BlockId, Placed> pulls = new HashMap<>();
    private boolean closed;

    /** A pull, the volume that it goes to, and its line there, which is none of {@link #lines} once that is removed. */
    private record Placed(Pull pull, Volume volume, PullLine line) {}

    /** What is known of copies that are not to be made any more. */
    @FunctionalInterface
    public interface Refusals {
        /** @throws TatamiException FENCED where the copy was deleted, or its block fenced under a higher generation */
        void requireNone(BlockId block, int copyNumber, Generation generation) throws TatamiException;
    }

    /**
     * @param refusals asked before a copy is begun, and again once others can find it
     * @param threads one for each pull that runs, and one for each volume that finishes copies; they may wait for disks
     *     and servers
     * @param reports told of each copy that is made, or has failed, on any thread; must return soon
     */
    public BlockPulls(
            ServerContext context,
            CopySources sources,
            CopyRate rate,
            Refusals refusals,
            Executor threads,
            Consumer<CopiesMadeRequest.Item> reports) {
        this.context = context;
        this.maker = new BlockPuller(context, sources, rate, refusals);
        this.threads = threads;
        this.reports = reports;
        context.volumes().volumes().forEach(served -> add(served.volume()));
    }

    /** Takes copies for one more volume. */
    public synchronized void add(Volume volume) {
        BlockServerSettings settings = context.settings();
        lines.put(
                volume,
                new PullLine(
                        settings.pullsMax(),
                        settings.pullsQueuedMax(),
                        settings.copyBatchMax(),
                        volume.writeBuffers()));
    }

    /** Takes no more for a volume that is no longer served, drops what waits, and has what runs onto it end soon. */
    public synchronized void endOn(Volume volume) {
        TatamiException reason = takenOut();
        PullLine ended = line(volume);
        lines.remove(volume);
        for (Pull pull : ended.removeAll()) {
            pulls.remove(pull.block());
            reports.accept(pull.failed(reason));
        }
        for (Placed placed : pulls.values()) {
            if (placed.volume() == volume) {
                placed.pull().cancel(reason);
            }
        }
    }

    private static TatamiException takenOut() {
        return new TatamiException(ErrorCode.IO_ERROR, "the volume was taken out of the server; ask again");
    }

    /** @throws TatamiException MALFORMED, and nothing is done; UNAVAILABLE where the server stops */
    public PullBlocksReply pull(PullBlocksRequest request) throws TatamiException {
        List<Pull> asked = new ArrayList<>();
        for (PullBlocksRequest.Item item : request.getItemList()) {
            asked.add(Pull.of(item));
        }
        PullBlocksReply.Builder reply = PullBlocksReply.newBuilder();
        for (Pull pull : asked) {
            reply.addAnswer(admit(pull) ? PullBlocksReply.Answer.ADMITTED : PullBlocksReply.Answer.BUSY);
        }
        return reply.build();
    }

    /** Copies being made now. */
    public synchronized int running() {
        return lines.values().stream().mapToInt(PullLine::running).sum();
    }

    /** Copies that wait to be made. */
    public synchronized int queued() {
        return lines.values().stream().mapToInt(PullLine::queued).sum();
    }

    /** Admits no more, drops what waits, and has what runs end soon, without copies and reports. */
    public synchronized void close() {
        closed = true;
        for (PullLine line : lines.values()) {
            line.removeAll().forEach(pull -> pulls.remove(pull.block()));
        }
        pulls.values().forEach(placed -> placed.pull().cancel(ServerContext.stopping()));
    }

    /** Whether none runs onto a volume, within {@code limitMillis}; after {@link #close} or {@link #endOn}. */
    public synchronized boolean awaitEnd(Volume volume, long limitMillis) throws InterruptedException {
        WaitLimit limit = WaitLimit.ofMillis(limitMillis);
        long leftMillis = limitMillis;
        while (isUnderWay(volume) && leftMillis > 0) {
            wait(leftMillis);
            leftMillis = limit.leftMillis();
        }
        return !isUnderWay(volume);
    }

    private boolean isUnderWay(Volume volume) {
        return pulls.values().stream().anyMatch(placed -> placed.volume() == volume);
    }

    private synchronized boolean admit(Pull pull) throws TatamiException {
        if (closed) {
            throw ServerContext.stopping();
        }
        Placed before = pulls.get(pull.block());
        if (before != null) {
            if (before.pull().copyNumber() == pull.copyNumber()) {
                return !isHeldUp(before.volume());
            }
            if (before.pull().copyNumber() > pull.copyNumber()) {
                reports.accept(pull.failed(outdated(pull)));
                return true;
            }
            if (!cancel(before)) {
                return false;
            }
        }
        if (isMade(pull)) {
            reports.accept(pull.made());
            return true;
        }
        Volume volume = volumeFor(pull);
        if (volume == null) {
            return false;
        }
        PullLine line = line(volume);
        line.add(pull);
        pulls.put(pull.block(), new Placed(pull, volume, line));
        begin(volume, line);
        return true;
    }

    /** Whether a pull there may never end: who asks for the copy is to ask another server. */
    private boolean isHeldUp(Volume volume) {
        return !lines.containsKey(volume) || volume.accessTimes().isHanging();
    }

    /** Whether it has ended already; else it does soon, and only then another pull of the block can begin. */
    private boolean cancel(Placed older) {
        TatamiException reason = outdated(older.pull());
        older.pull().cancel(reason);
        if (older.line().remove(older.pull())) {
            pulls.remove(older.pull().block());
            reports.accept(older.pull().failed(reason));
            return true;
        }
        return false;
    }

    private static TatamiException outdated(Pull pull) {
        return new TatamiException(ErrorCode.FENCED, pull + " is outdated: a copy with a higher number was asked for");
    }

    private boolean isMade(Pull pull) {
        StoredBlock stored = context.volumes()
                .find(pull.block())
                .map(VolumeSet.Found::stored)
                .orElse(null);
        return stored != null
                && stored.finalized()
                && !stored.damaged()
                && stored.generation().equals(pull.generation())
                && stored.durableBytes() == pull.lengthBytes()
                && stored.copyNumber() == pull.copyNumber();
    }

    /**
     * The volume with the fewest pulls, and of these the one with the most free room; null where none takes another.
     */
    private @Nullable Volume best(Pull pull) {
        Comparator<Volume> fewestPulls = Comparator.comparingInt(
                volume -> line(volume).running() + line(volume).queued());
        return context.volumes().volumes().stream()
                .map(VolumeSet.ServedVolume::volume)
                .filter(volume -> line(volume).hasRoomFor(pull) && hasRoomFor(volume, pull))
                .min(fewestPulls.thenComparingLong(
                        volume -> -volume.statistics().freeBytes()))
                .orElse(null);
    }

    /** A volume that has something of the block already, which then decides; else the best. */
    private @Nullable Volume volumeFor(Pull pull) {
        Volume holder = context.volumes()
                .find(pull.block())
                .map(VolumeSet.Found::volume)
                .orElse(null);
        if (holder == null) {
            return best(pull);
        }
        return line(holder).hasRoomFor(pull) ? holder : null;
    }

    private boolean hasRoomFor(Volume volume, Pull pull) {
        VolumeStatistics now = volume.statistics();
        long queuedBytes = line(volume).queuedBytes();
        return now.failure().isEmpty()
                && !volume.isClosedToNew()
                && !volume.accessTimes().isHanging()
                && now.hasRoomForCopies(pull.lengthBytes(), queuedBytes + pull.lengthBytes());
    }

    private void begin(Volume volume, PullLine line) {
        for (Pull next = line.next(); next != null; next = line.next()) {
            Placed placed = new Placed(next, volume, line);
            threads.execute(() -> run(placed));
        }
    }

    private void run(Placed placed) {
        FilledCopy copy;
        try {
            copy = maker.fill(placed.pull(), placed.volume(), placed.line().writePlaces());
        } catch (TatamiException e) {
            endRunning(placed, e);
            return;
        } catch (RuntimeException e) {
            LOG.error("{} was not made", placed.pull(), e);
            endRunning(placed, BlockPuller.failed(placed.pull(), e));
            return;
        }
        if (context.settings().copyBatchMax() == 1) {
            endRunning(placed, finish(placed.volume(), List.of(copy)).get(copy.pull()));
        } else {
            filled(placed, copy);
        }
    }

    private synchronized void filled(Placed placed, FilledCopy copy) {
        placed.line().filled(copy);
        beginBatch(placed.volume(), placed.line());
        begin(placed.volume(), placed.line());
    }

    private void beginBatch(Volume volume, PullLine line) {
        if (line.filled().begin()) {
            threads.execute(() -> finishBatch(volume, line));
        }
    }

    private void finishBatch(Volume volume, PullLine line) {
        List<FilledCopy> batch = closeBatch(volume, line);
        // What an error of Java leaves of the batch is unknown, and the next start finds it; other copies go on.
        Map<Pull, TatamiException> failures = failures(batch, new IllegalStateException("the batch was not finished"));
        try {
            failures = finish(volume, batch);
        } finally {
            endBatch(volume, line);
            for (FilledCopy copy : batch) {
                end(new Placed(copy.pull(), volume, line), failures.get(copy.pull()));
            }
        }
    }

    private static Map<Pull, TatamiException> failures(List<FilledCopy> copies, RuntimeException cause) {
        Map<Pull, TatamiException> failures = new HashMap<>();
        copies.forEach(copy -> failures.put(copy.pull(), BlockPuller.failed(copy.pull(), cause)));
        return failures;
    }

    /** Why those failed that have. */
    private Map<Pull, TatamiException> finish(Volume volume, List<FilledCopy> copies) {
        try {
            return maker.finish(volume, copies);
        } catch (RuntimeException e) {
            LOG.error("{} were not made", copies, e);
            return failures(copies, e);
        }
    }

    private synchronized List<FilledCopy> closeBatch(Volume volume, PullLine line) {
        List<FilledCopy> batch = line.filled().close();
        begin(volume, line);
        return batch;
    }

    private synchronized void endBatch(Volume volume, PullLine line) {
        line.filled().ended();
        beginBatch(volume, line);
    }

    private void endRunning(Placed placed, @Nullable TatamiException failure) {
        synchronized (this) {
            placed.line().ended(placed.pull());
        }
        end(placed, failure);
    }

    /** @param failure null where the copy is made */
    private void end(Placed placed, @Nullable TatamiException failure) {
        if (failure != null) {
            LOG.info("{} was not made", placed.pull(), failure);
        }
        CopiesMadeRequest.Item told = report(placed, failure);
        if (told != null) {
            CrashPoint.hit("service.copy.before-report");
            reports.accept(told);
        }
    }

    /** Takes out a pull that has ended; returns what is to be reported, null for nothing. */
    private synchronized CopiesMadeRequest.@Nullable Item report(Placed placed, @Nullable TatamiException failure) {
        Pull pull = placed.pull();
        // One that was past its last look whether it is cancelled has gone with its volume.
        TatamiException outcome = failure == null && !lines.containsKey(placed.volume()) ? takenOut() : failure;
        if (outcome == null) {
            context.metrics().madeCopy();
        }
        pulls.remove(pull.block());
        notifyAll();
        if (closed) {
            return null;
        }
        begin(placed.volume(), placed.line());
        return outcome == null ? pull.made() : pull.failed(outcome);
    }

    private PullLine line(Volume volume) {
        PullLine line = lines.get(volume);
        if (line == null) {
            throw new IllegalArgumentException("volume " + volume.id() + " is not of this server");
        }
        return line;
    }
}
