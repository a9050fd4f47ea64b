package io.tatami.client.file;

import io.tatami.base.ErrorCode;
import io.tatami.base.ServerId;
import io.tatami.base.TatamiException;
import io.tatami.base.WaitLimit;
import io.tatami.client.block.BlockReadStream;
import io.tatami.client.block.BlockTarget;
import io.tatami.client.block.ReadAttempt;
import io.tatami.client.block.ReadOrigin;
import io.tatami.client.block.ReadTerms;
import io.tatami.client.meta.BlockServers;
import io.tatami.client.meta.ReadOrder;
import io.tatami.client.model.CallerContext;
import io.tatami.protocol.wire.ReadBlockRequest.Distance;
import io.tatami.protocol.wire.ReadBlockRequest.Reason;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Chooses the copy of a block that a reader reads, in the order of {@link StagedFirst}. A copy that is silent for a
 * second, or for less as the settings say, is read beside another one: {@link CopyRace}. Its server may ask for more
 * patience: where it tells that the reader is queued, that is ten seconds. After all have failed, it asks the home for
 * the present copies: {@link CopyRetries}. A damaged copy comes last, and is read as far as it is sound. Used by one
 * thread.
 */
final class CopyChoice {
    /** The silence after which another copy is read beside the first, whatever the settings say. */
    static final long STALL_NANOS = TimeUnit.SECONDS.toNanos(1);

    /**
     * The same, of a copy whose server tells that the reader is queued, unless the settings make the second shorter.
     */
    static final long QUEUED_NANOS = TimeUnit.SECONDS.toNanos(10);

    /** How often it is looked whether the server still tells so. */
    static final long QUEUED_LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

    /** Of failures of a copy on this host; of others it is LOCAL_FAILED. */
    private static final Map<ErrorCode, Reason> REASONS = Map.of(
            ErrorCode.UNAVAILABLE, Reason.LOCAL_DEAD,
            ErrorCode.DEADLINE_EXCEEDED, Reason.LOCAL_SLOW,
            ErrorCode.CORRUPT, Reason.LOCAL_DAMAGED,
            ErrorCode.NO_SUCH_BLOCK, Reason.NO_LOCAL_COPY);

    private final FileLocator locator;
    private final StagedFirst orders;
    private final ReadStatistics statistics;
    private final boolean vectored;
    private final FileContent content;
    private final CallerContext context;
    private final CopyRetries retries;

    /** The copies that may be read, the present one first. */
    private final List<ServerId> untried = new ArrayList<>();

    /** The block's servers with damaged copies, as found by this reader. */
    private final Deque<ServerId> damaged = new ArrayDeque<>();

    private BlockExtent extent;

    /** Why a copy on this host is passed over; null while one is to be read first, or was read. */
    private @Nullable Reason whyNotLocal;

    private boolean anyCorrupt;
    private boolean sharesMemory = true;

    /** Whether only undamaged copies are accepted; false if no other copy is left. */
    private boolean soundOnly = true;

    /** For the first byte of the present stream; null after it, and where there is no other copy. */
    private @Nullable WaitLimit firstByteLimit;

    /**
     * @param vectored whether the block is read for a call of many ranges, which counts as one opening itself
     * @param context of the thread that opened the reader
     */
    CopyChoice(
            FileLocator locator,
            StagedFirst orders,
            ReadStatistics statistics,
            boolean vectored,
            FileContent content,
            BlockExtent extent,
            CallerContext context)
            throws TatamiException {
        this.locator = locator;
        this.orders = orders;
        this.statistics = statistics;
        this.vectored = vectored;
        this.content = content;
        this.context = context;
        this.retries = locator.retries();
        this.extent = extent;
        fill();
    }

    BlockExtent extent() {
        return extent;
    }

    boolean isLocal() {
        return !untried.isEmpty() && locator.servers().isLocal(present());
    }

    /** Opens a range of the block, by its own offsets, at the copy that is to be read now. */
    BlockReadStream open(long offsetBytes, long lengthBytes) throws TatamiException {
        while (true) {
            if (untried.isEmpty()) {
                throw new TatamiException(
                        ErrorCode.UNAVAILABLE,
                        extent.block() + " of " + content.status().path() + " has no known copy");
            }
            BlockReadStream stream = openPresent(offsetBytes, lengthBytes);
            if (stream != null) {
                return stream;
            }
        }
    }

    /** Null where the copy failed, and another one is the present one now. */
    private @Nullable BlockReadStream openPresent(long offsetBytes, long lengthBytes) throws TatamiException {
        ReadAttempt attempt;
        try {
            firstByteLimit = hasOther() ? WaitLimit.ofNanos(locator.blocks().clock(), locator.patienceNanos()) : null;
            statistics.countStream(vectored);
            attempt = attempt(present(), offsetBytes, lengthBytes);
            BlockReadStream stream = attempt.await(patienceNanos());
            if (stream != null) {
                return stream;
            }
            if (firstByteLimit == null) {
                throw new TatamiException(
                        ErrorCode.UNAVAILABLE, "cannot connect to " + present() + ": no answer within the time limit");
            }
        } catch (TatamiException e) {
            drop(present(), e);
            findOthers(e);
            return null;
        }
        return race(attempt, offsetBytes, lengthBytes);
    }

    private ReadAttempt attempt(ServerId server, long offsetBytes, long lengthBytes) throws TatamiException {
        BlockTarget target = locator.servers().target(server, retries.deadline());
        return locator.blocks()
                .beginReader(
                        target,
                        extent.block(),
                        extent.generation(),
                        offsetBytes,
                        lengthBytes,
                        new ReadTerms(sharesMemory, soundOnly, false, origin(server)));
    }

    private ReadOrigin origin(ServerId server) {
        BlockServers servers = locator.servers();
        Distance distance = switch (servers.distance(server)) {
            case HOST -> Distance.HOST;
            case RACK -> Distance.RACK;
            case OTHER_RACK -> Distance.OTHER_RACK;
        };
        return new ReadOrigin(
                context.bytes(),
                content.status().id(),
                servers.readerHost(),
                distance == Distance.HOST ? Reason.LOCAL : whyOther(),
                distance);
    }

    /** Why a copy on another host is read: where one on this host is the present one, that is silent. */
    private Reason whyOther() {
        Reason reason = whyNotLocal;
        return reason == null ? Reason.LOCAL_SLOW : reason;
    }

    /** A copy is not read any more, or after all others. */
    private void passedOver(ServerId server, Reason reason) {
        if (locator.servers().isLocal(server)) {
            whyNotLocal = reason;
        }
    }

    /**
     * Waits until {@code stream}, which {@link #open} gave, has something to be read; not where there is no other copy.
     *
     * @return whether it has; if not, another copy is to be read
     */
    boolean await(BlockReadStream stream) throws TatamiException {
        if (!hasOther()) {
            return true;
        }
        boolean isThere = stream.await(patienceNanos());
        firstByteLimit = null;
        WaitLimit queued = WaitLimit.ofNanos(locator.blocks().clock(), locator.queuedPatienceNanos());
        while (!isThere && stream.isQueued() && queued.leftNanos() > 0) {
            isThere = stream.await(Math.min(QUEUED_LOOK_NANOS, queued.leftNanos()));
        }
        // What has come since the last look ended is there, and the reader not queued any more.
        return isThere || stream.await(0);
    }

    /**
     * Reads on from the copy that delivers first: the present one, whose stream {@link #await} found silent, or
     * another.
     *
     * @return null if all failed; those that there are then are for {@link #open}
     */
    @Nullable
    BlockReadStream race(BlockReadStream silent, long offsetBytes, long lengthBytes) throws TatamiException {
        return race(ReadAttempt.of(silent), offsetBytes, lengthBytes);
    }

    private @Nullable BlockReadStream race(ReadAttempt silent, long offsetBytes, long lengthBytes)
            throws TatamiException {
        firstByteLimit = null;
        Remaining remaining = new Remaining(offsetBytes, lengthBytes);
        try (CopyRace race = new CopyRace(
                remaining,
                locator.blocks().clock(),
                present(),
                silent,
                locator.patienceNanos(),
                locator.queuedPatienceNanos(),
                locator.timeoutNanos())) {
            CopyRace.Winner winner = race.run();
            if (winner == null) {
                findOthers(remaining.last);
                return null;
            }
            for (ServerId loser : race.losers()) {
                putLast(loser, race.hasStalled(loser));
            }
            untried.remove(winner.server());
            untried.add(0, winner.server());
            if (winner.rank() > 0) {
                statistics.countHedgeWin();
            }
            return winner.stream();
        }
    }

    /** The copies for a race over a range. */
    private final class Remaining implements CopyRace.Entrants {
        private final long offsetBytes;
        private final long lengthBytes;
        private TatamiException last = new TatamiException(ErrorCode.UNAVAILABLE, "no copy was tried");

        Remaining(long offsetBytes, long lengthBytes) {
            this.offsetBytes = offsetBytes;
            this.lengthBytes = lengthBytes;
        }

        @Override
        public boolean joinNext(CopyRace race) throws TatamiException {
            for (ServerId server : List.copyOf(untried)) {
                if (!race.has(server)) {
                    try {
                        race.join(server, attempt(server, offsetBytes, lengthBytes));
                        statistics.countHedge();
                        return true;
                    } catch (TatamiException e) {
                        gaveUp(server, e);
                    }
                }
            }
            return false;
        }

        @Override
        public int count() {
            return untried.size();
        }

        @Override
        public void gaveUp(ServerId server, TatamiException failure) throws TatamiException {
            drop(server, failure);
            last = failure;
        }
    }

    /**
     * The present copy was silent for too long while bytes were skipped: another one is the present one from now on.
     */
    void passOver() {
        putLast(present(), locator.patienceNanos() >= STALL_NANOS);
    }

    private void putLast(ServerId server, boolean isStalled) {
        untried.remove(server);
        untried.add(server);
        passedOver(server, Reason.LOCAL_SLOW);
        if (isStalled) {
            locator.suspects().suspect(server);
        } else {
            locator.suspects().doubt(server);
        }
    }

    /**
     * Requests the bytes again, verified by the server, after bytes that it had not verified failed their checksum. The
     * rest of the block is read in this way, too.
     */
    void askVerified() {
        sharesMemory = false;
    }

    /** Bytes came from the present copy. */
    void delivered() {
        retries.succeeded();
    }

    /**
     * Goes to the next copy, after the present one failed.
     *
     * @throws TatamiException CORRUPT if one copy failed its checksum and no other is left; else the failure given
     */
    void failed(TatamiException failure) throws TatamiException {
        drop(present(), failure);
        findOthers(failure);
    }

    private void drop(ServerId server, TatamiException failure) throws TatamiException {
        FileLocator.requireOtherCopyMayHelp(failure);
        retries.failed(failure);
        if (failure.code() == ErrorCode.CORRUPT) {
            anyCorrupt = true;
            statistics.countChecksumFailure();
        } else {
            statistics.countCopyFailure();
            locator.suspects().failed(server, failure);
        }
        passedOver(server, REASONS.getOrDefault(failure.code(), Reason.LOCAL_FAILED));
        boolean wasThere = untried.remove(server);
        if (soundOnly && wasThere && failure.code() == ErrorCode.CORRUPT) {
            damaged.add(server);
        }
    }

    /** Where no copy is left: allows damaged ones, or asks the home again. */
    private void findOthers(TatamiException failure) throws TatamiException {
        if (untried.isEmpty() && !damaged.isEmpty()) {
            soundOnly = false;
            untried.addAll(damaged);
            damaged.clear();
        }
        if (!untried.isEmpty()) {
            return;
        }
        TatamiException reason = retries.pause(failure);
        if (reason == null) {
            throw new TatamiException(
                    anyCorrupt ? ErrorCode.CORRUPT : failure.code(),
                    "no copy of " + extent.block() + " of " + content.status().path() + " can be read: "
                            + failure.getMessage(),
                    failure);
        }
        locator.servers().reconsider(reason, retries.deadline());
        extent = locator.extentNow(content.status(), extent, context);
        fill();
    }

    private void fill() throws TatamiException {
        ReadOrder.Choice choice = orders.order(extent);
        untried.addAll(choice.servers());
        boolean isSetAside = whyNotLocal == Reason.LOCAL_DAMAGED && choice.whyNotLocal() == Reason.NO_LOCAL_COPY;
        whyNotLocal = isSetAside ? whyNotLocal : choice.whyNotLocal();
    }

    private ServerId present() {
        return untried.get(0);
    }

    private boolean hasOther() {
        return untried.size() > 1;
    }

    private long patienceNanos() {
        if (firstByteLimit != null) {
            return Math.max(0, firstByteLimit.leftNanos());
        }
        return hasOther() ? locator.patienceNanos() : locator.timeoutNanos();
    }
}
