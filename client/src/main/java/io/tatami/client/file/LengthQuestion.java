package io.tatami.client.file;

import io.tatami.base.BlockId;
import io.tatami.base.Causes;
import io.tatami.base.ErrorCode;
import io.tatami.base.ServerId;
import io.tatami.base.TatamiException;
import io.tatami.client.block.BlockTarget;
import io.tatami.client.meta.Deadline;
import io.tatami.protocol.wire.BlockInfoReply;
import io.tatami.protocol.wire.BlockLocation;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One question to all servers of a block that is being written: how much of it can be read. The first answer counts.
 * Each server has every byte that was flushed, so any answer has them; a server that was left out of the block answers
 * with an older generation than the home's, and does not count.
 *
 * <p>A block of which the home knows no byte has none that was flushed, as a writer's first flush in a block tells the
 * home before it ends. Where one server does not have such a block, its chain was never whole, and no byte of it was
 * acknowledged: the servers that are silent are not waited for. Used by one thread.
 */
final class LengthQuestion {
    /** How long others may still answer after one server said that it has nothing of a block without known bytes. */
    private static final long GRACE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final FileLocator locator;
    private final BlockLocation location;
    private final List<ServerId> servers;
    private final BlockingQueue<Answer> answers = new LinkedBlockingQueue<>();
    private int asked;
    private int without;
    private @Nullable TatamiException failure;

    private record Answer(
            ServerId server,
            @Nullable BlockInfoReply info,
            @Nullable Throwable failure) {}

    LengthQuestion(FileLocator locator, BlockLocation location) {
        this.locator = locator;
        this.location = location;
        this.servers = ServerId.listOf(location.getServerIdList());
    }

    /** Asks all servers at once; null where none can tell. */
    @Nullable
    BlockInfoReply ask(Deadline deadline) throws TatamiException {
        if (servers.size() == 1) {
            return askOnly(servers.get(0), deadline);
        }
        for (ServerId server : servers) {
            ask(server, deadline);
        }
        while (asked > 0) {
            Answer answer = await();
            if (answer == null) {
                return null;
            }
            asked--;
            BlockInfoReply info = answer.info == null
                    ? refused(answer.server, cause(answer.failure))
                    : accepted(answer.server, answer.info);
            if (info != null) {
                return info;
            }
        }
        return null;
    }

    /** Whether nothing of the block can have been flushed or acknowledged; after {@link #ask} has given nothing. */
    boolean isUnbegun() {
        return location.getLength() == 0 && (without > 0 || servers.isEmpty());
    }

    /**
     * Why no server can tell: that one was not reached, rather than another failure; after {@link #ask} gave nothing.
     */
    TatamiException failure() {
        return failure == null ? new TatamiException(ErrorCode.NO_SUCH_BLOCK, "it is on no block server") : failure;
    }

    private @Nullable BlockInfoReply askOnly(ServerId server, Deadline deadline) throws TatamiException {
        try {
            BlockTarget target = locator.servers().target(server, deadline);
            return accepted(server, locator.blocks().blockInfo(target, block()));
        } catch (TatamiException e) {
            return refused(server, e);
        }
    }

    private void ask(ServerId server, Deadline deadline) throws TatamiException {
        BlockTarget target;
        try {
            target = locator.servers().target(server, deadline);
        } catch (TatamiException e) {
            refused(server, e);
            return;
        }
        asked++;
        CompletableFuture<BlockInfoReply> unused = locator.blocks()
                .askBlockInfo(target, block(), locator.blocks().settings().timeoutMillis())
                .whenComplete((info, failure) -> answers.add(new Answer(server, info, failure)));
    }

    /** The next answer; every question ends by itself in its time. Null where it is not worth waiting for. */
    private @Nullable Answer await() throws TatamiException {
        try {
            Answer answer = null;
            while (answer == null) {
                answer = locator.blocks().clock().poll(answers, isUnbegun() ? GRACE_NANOS : Long.MAX_VALUE);
                if (answer == null && isUnbegun()) {
                    return null;
                }
            }
            return answer;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new TatamiException(ErrorCode.CANCELLED, "interrupted while waiting for a block's length", e);
        }
    }

    private @Nullable BlockInfoReply accepted(ServerId server, BlockInfoReply info) throws TatamiException {
        if (info.getGeneration() >= location.getGeneration()) {
            return info;
        }
        return refused(
                server,
                new TatamiException(
                        ErrorCode.FENCED,
                        block() + " has generation " + info.getGeneration() + " at " + server + ", below "
                                + location.getGeneration()));
    }

    private @Nullable BlockInfoReply refused(ServerId server, TatamiException refusal) throws TatamiException {
        FileLocator.requireOtherCopyMayHelp(refusal);
        locator.suspects().failed(server, refusal);
        without += refusal.code() == ErrorCode.NO_SUCH_BLOCK ? 1 : 0;
        if (failure == null || failure.code() != ErrorCode.UNAVAILABLE) {
            failure = refusal;
        }
        return null;
    }

    private static TatamiException cause(@Nullable Throwable failure) {
        Throwable cause = failure == null ? null : Causes.unwrapped(failure);
        return cause instanceof TatamiException told
                ? told
                : new TatamiException(ErrorCode.DEADLINE_EXCEEDED, "no length of the block in time", cause);
    }

    private BlockId block() {
        return new BlockId(location.getBlockId());
    }
}
