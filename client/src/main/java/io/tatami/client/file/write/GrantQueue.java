package io.tatami.client.file.write;

import io.tatami.base.ErrorCode;
import io.tatami.base.ServerId;
import io.tatami.base.TatamiException;
import io.tatami.client.meta.MetadataCall;
import io.tatami.protocol.wire.AddBlocksReply;
import io.tatami.protocol.wire.AddBlocksRequest;
import io.tatami.protocol.wire.BlockReport;
import io.tatami.protocol.wire.Grant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The grants of one file's next blocks. Large blocks are granted one by one, the next before the current one is full;
 * small ones several at a time, so that they do not cost a call each. Used by the writer's thread.
 */
final class GrantQueue {
    private static final long BYTES_GRANTED_AT_ONCE = 4 << 20;
    private static final int GRANTS_AT_ONCE_MAX = 8;

    private final FileHome home;
    private final int grantsAtOnce;
    private final WriteFailures failures;
    private final Deque<Grant> waiting;
    private @Nullable MetadataCall<AddBlocksRequest, AddBlocksReply> asked;
    private List<BlockReport> reported = List.of();

    /** How many blocks were asked for, and the servers that were to have none of them. */
    private int askedGrants;

    private Set<ServerId> avoided = Set.of();

    GrantQueue(FileHome home, long blockSizeBytes, WriteFailures failures, Collection<Grant> first) {
        this.home = home;
        this.failures = failures;
        this.grantsAtOnce = (int) Math.max(1, Math.min(GRANTS_AT_ONCE_MAX, BYTES_GRANTED_AT_ONCE / blockSizeBytes));
        this.waiting = new ArrayDeque<>(first);
    }

    /**
     * Asks for the next grant, unless one is there or asked for already.
     *
     * @param finished blocks that are complete and were not reported yet
     */
    void prefetch(List<BlockReport> finished) throws TatamiException {
        if (waiting.isEmpty() && asked == null) {
            ask(finished, grantsAtOnce);
        }
    }

    /**
     * Has the home take blocks as final now, so that their copies are counted. Does nothing where there are none.
     *
     * @param finished blocks that are complete and were not reported yet; none after this
     */
    void report(List<BlockReport> finished) throws TatamiException {
        settle(finished);
        if (!finished.isEmpty()) {
            ask(finished, 0);
            settle(finished);
        }
    }

    /**
     * The next grant.
     *
     * @param finished blocks that are complete and were not reported yet; those that were now are taken out
     */
    Grant next(List<BlockReport> finished) throws TatamiException {
        settle(finished);
        if (waiting.isEmpty()) {
            ask(finished, grantsAtOnce);
            settle(finished);
        }
        if (waiting.isEmpty()) {
            throw new TatamiException(
                    ErrorCode.NO_SPACE, "the cluster granted no block server for the next block of " + home.file());
        }
        return waiting.remove();
    }

    /** The blocks that were granted and not asked for with {@link #next}. */
    List<Long> unused(List<BlockReport> finished) throws TatamiException {
        settle(finished);
        return waiting.stream().map(Grant::getBlockId).toList();
    }

    /** Leaves a request under way to itself. */
    void abandon() {
        if (asked != null) {
            asked.abandon();
            asked = null;
        }
    }

    private void ask(List<BlockReport> finished, int grants) throws TatamiException {
        reported = List.copyOf(finished);
        askedGrants = grants;
        avoided = grants == 0 ? Set.of() : failures.avoided();
        asked = home.startAddBlocks(reported, grants, avoided);
    }

    /** Waits for what was asked; after an interrupt, the next call waits on, as what was granted must not be lost. */
    private void settle(List<BlockReport> finished) throws TatamiException {
        while (asked != null) {
            try {
                waiting.addAll(asked.await().getGrantList());
                asked = null;
                finished.removeAll(new ArrayList<>(reported));
            } catch (TatamiException e) {
                // A server that failed may have started again, and is better than none.
                if (e.code() != ErrorCode.NO_SPACE || avoided.isEmpty()) {
                    throw e;
                }
                failures.avoidNone();
                avoided = Set.of();
                asked = home.startAddBlocks(reported, askedGrants, avoided);
            }
        }
    }
}
