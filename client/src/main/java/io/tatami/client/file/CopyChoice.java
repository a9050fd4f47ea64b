package io.tatami.client.file;

import io.tatami.base.ErrorCode;
import io.tatami.base.ServerId;
import io.tatami.base.TatamiException;
import io.tatami.client.block.BlockReadStream;
import io.tatami.client.block.BlockTarget;
import io.tatami.client.block.ReadTerms;
import io.tatami.client.meta.Backoff;
import io.tatami.client.meta.BlockServers;
import io.tatami.client.meta.Deadline;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.function.Predicate;

/**
 * Chooses the copy of a block that a reader reads: one on this host first, then the others. After all have failed, it
 * asks the home for the present copies, for some rounds. A damaged copy comes last, and is read as far as it is sound.
 * Used by one thread.
 */
final class CopyChoice {
    private static final int ROUNDS_MAX = 4;

    private final FileLocator locator;
    private final ReadStatistics statistics;
    private final boolean vectored;
    private final FileContent content;
    private final Deadline deadline;
    private final Backoff backoff;
    private final Deque<ServerId> untried = new ArrayDeque<>();

    /** The block's servers with damaged copies, as found by this reader. */
    private final Deque<ServerId> damaged = new ArrayDeque<>();

    private BlockExtent extent;
    private int rounds;
    private boolean anyCorrupt;
    private boolean sharesMemory = true;

    /** Whether only undamaged copies are accepted; false if no other copy is left. */
    private boolean soundOnly = true;

    /** @param vectored whether the block is read for a call of many ranges, which counts as one opening itself */
    CopyChoice(
            FileLocator locator, ReadStatistics statistics, boolean vectored, FileContent content, BlockExtent extent) {
        this.locator = locator;
        this.statistics = statistics;
        this.vectored = vectored;
        this.content = content;
        this.deadline = locator.deadline();
        this.backoff = locator.backoff();
        this.extent = extent;
        fill();
    }

    BlockExtent extent() {
        return extent;
    }

    boolean isLocal() {
        return !untried.isEmpty() && locator.servers().isLocal(untried.element());
    }

    /** Opens a range of the block, by its own offsets, at the copy that is to be read now. */
    BlockReadStream open(long offsetBytes, long lengthBytes) throws TatamiException {
        while (true) {
            if (untried.isEmpty()) {
                throw new TatamiException(ErrorCode.UNAVAILABLE, extent.block() + " has no known copy");
            }
            try {
                BlockTarget target = locator.servers().target(untried.element(), deadline);
                statistics.countStream(vectored);
                return locator.blocks()
                        .openReader(
                                target,
                                extent.block(),
                                extent.generation(),
                                offsetBytes,
                                lengthBytes,
                                new ReadTerms(sharesMemory, soundOnly));
            } catch (TatamiException e) {
                failed(e);
            }
        }
    }

    /**
     * Requests the bytes again, verified by the server, after bytes that it had not verified failed their checksum. The
     * rest of the block is read in this way, too.
     */
    void askVerified() {
        sharesMemory = false;
    }

    /**
     * Goes to the next copy, after the present one failed.
     *
     * @throws TatamiException CORRUPT if one copy failed its checksum and no other is left; else the failure given
     */
    void failed(TatamiException failure) throws TatamiException {
        FileLocator.requireOtherCopyMayHelp(failure);
        if (failure.code() == ErrorCode.CORRUPT) {
            anyCorrupt = true;
            statistics.countChecksumFailure();
        } else {
            statistics.countCopyFailure();
        }
        ServerId given = untried.poll();
        if (soundOnly && given != null && failure.code() == ErrorCode.CORRUPT) {
            damaged.add(given);
        }
        if (untried.isEmpty() && !damaged.isEmpty()) {
            soundOnly = false;
            untried.addAll(damaged);
            damaged.clear();
        }
        if (!untried.isEmpty()) {
            return;
        }
        if (++rounds == ROUNDS_MAX || deadline.isOver()) {
            throw new TatamiException(
                    anyCorrupt ? ErrorCode.CORRUPT : failure.code(),
                    "no copy of " + extent.block() + " of " + content.status().path() + " can be read: "
                            + failure.getMessage(),
                    failure);
        }
        backoff.pause(deadline);
        locator.servers().reconsider(failure, deadline);
        relocate();
    }

    /** Asks the home again. A block that is no longer the file's keeps the servers it had. */
    private void relocate() throws TatamiException {
        for (BlockExtent now : locator.again(content).blocks()) {
            if (now.block().equals(extent.block()) && now.offsetBytes() == extent.offsetBytes()) {
                extent = new BlockExtent(
                        extent.block(), now.generation(), extent.offsetBytes(), extent.lengthBytes(), now.servers());
            }
        }
        fill();
    }

    private void fill() {
        BlockServers servers = locator.servers();
        untried.addAll(inOrder(extent, servers::isLocal));
    }

    /**
     * The server that a reader goes to first, wherever it runs: a plan is for readers that are sent to their bytes.
     *
     * @return one of the block's servers
     */
    static ServerId plannedServer(BlockExtent extent) {
        return inOrder(extent, server -> false).get(0);
    }

    private static List<ServerId> inOrder(BlockExtent extent, Predicate<ServerId> isLocal) {
        List<ServerId> order = new ArrayList<>();
        List<ServerId> far = new ArrayList<>();
        for (ServerId server : extent.servers()) {
            (isLocal.test(server) ? order : far).add(server);
        }
        // Readers of different blocks begin with different copies.
        int first = far.isEmpty() ? 0 : Math.floorMod(extent.block().value(), far.size());
        for (int i = 0; i < far.size(); i++) {
            order.add(far.get((first + i) % far.size()));
        }
        return order;
    }
}
