package io.tatami.meta.service.file;

import io.tatami.base.Causes;
import io.tatami.base.Clock;
import io.tatami.base.ErrorCode;
import io.tatami.base.FileId;
import io.tatami.base.SessionId;
import io.tatami.base.TatamiException;
import io.tatami.files.CrashPoint;
import io.tatami.meta.op.lease.BeginRecovery;
import io.tatami.meta.op.lease.FinishRecovery;
import io.tatami.meta.service.Group;
import io.tatami.meta.service.RequestOrigin;
import io.tatami.meta.service.file.BlockRecovery.Held;
import io.tatami.meta.service.file.BlockRecovery.Outcome;
import io.tatami.meta.service.file.BlockRecovery.Unwritten;
import io.tatami.meta.service.file.BlockRecovery.Waiting;
import io.tatami.meta.state.ShardState;
import io.tatami.meta.state.wire.FinishRecoveryRequest;
import io.tatami.meta.state.wire.RecoverFileReply;
import io.tatami.protocol.wire.RecoverFileRequest;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Closes files whose writers are gone, and carries out cuts: begins an attempt, asks the block servers, and commits
 * what they hold. An attempt that has to wait for a server is followed by another when somebody asks again, after a
 * pause that doubles up to {@link #PAUSE_NANOS_MAX}. Safe for use by many threads; a file has one attempt at a time.
 */
final class FileRecovery {
    static final long PAUSE_NANOS_MAX = TimeUnit.MINUTES.toNanos(1);

    /** How long behind its pause an attempt is remembered that was not followed by another. */
    private static final long FORGOTTEN_NANOS = TimeUnit.MINUTES.toNanos(10);

    private static final long PAUSE_NANOS_MIN = TimeUnit.MILLISECONDS.toNanos(500);
    private static final Logger LOG = LoggerFactory.getLogger(FileRecovery.class);

    private final Group<ShardState> group;
    private final BlockRecovery blocks;
    private final Clock clock;
    private final BeginRecovery begin = new BeginRecovery();
    private final FinishRecovery finish = new FinishRecovery();
    private final Map<FileId, Attempt> attempts = new ConcurrentHashMap<>();

    FileRecovery(Group<ShardState> group, BlockRecovery blocks, Clock clock) {
        this.group = group;
        this.blocks = blocks;
        this.clock = clock;
    }

    /** The newest attempt at a file that is not closed; where it ended without success, when the next may begin. */
    private record Attempt(boolean running, long nextNanos, long pauseNanos) {}

    /**
     * Begins an attempt, unless one runs or it is too early for the next.
     *
     * @param writer only while this session holds the lease; {@link SessionId#NONE} for whoever does
     * @return whether the file is closed now; never completes exceptionally
     */
    CompletableFuture<Boolean> recover(FileId file, SessionId writer) {
        if (!mayBegin(file)) {
            return CompletableFuture.completedFuture(false);
        }
        RecoverFileRequest request = RecoverFileRequest.newBuilder()
                .setFileId(file.value())
                .setWriterSession(writer.value())
                .build();
        return group.submit(begin, RequestOrigin.SERVICE, request)
                .thenCompose(reply -> {
                    CrashPoint.hit("meta.recovery.after-begin");
                    return reply.getClosed() ? CompletableFuture.completedFuture(true) : recoverBlocks(file, reply);
                })
                .handle((closed, failure) -> ended(file, failure == null && closed, failure));
    }

    /** {@link #recover} for who does not wait: the sweep of leases looks at the file again. */
    void begin(FileId file, SessionId writer) {
        CompletableFuture<Boolean> attempt = recover(file, writer);
        LOG.debug("recovery of {}, written by {}: {}", file, writer, attempt);
    }

    /** Whether the caller is to begin an attempt; then it is marked as running. */
    private boolean mayBegin(FileId file) {
        long now = clock.monotonicNanos();
        AtomicBoolean begins = new AtomicBoolean();
        attempts.compute(file, (id, last) -> {
            begins.set(last == null || (!last.running() && now - last.nextNanos() >= 0));
            return begins.get() ? new Attempt(true, now, last == null ? PAUSE_NANOS_MIN : last.pauseNanos()) : last;
        });
        return begins.get();
    }

    private static void tell(FileId file, TatamiException cause) {
        if (cause.code() == ErrorCode.INTERNAL) {
            LOG.error("the recovery of {} failed and will be tried again", file, cause);
        } else {
            LOG.warn("the recovery of {} failed and will be tried again: {}", file, cause.toString());
        }
    }

    private boolean ended(FileId file, boolean closed, @Nullable Throwable failure) {
        if (failure != null) {
            tell(file, Causes.of(failure));
        }
        long now = clock.monotonicNanos();
        // Of files that are gone, or that another leader has closed, nobody asks again.
        attempts.values().removeIf(last -> !last.running() && now - last.nextNanos() > FORGOTTEN_NANOS);
        if (closed) {
            attempts.remove(file);
        } else {
            attempts.computeIfPresent(
                    file,
                    (id, last) -> new Attempt(
                            false, now + last.pauseNanos(), Math.min(PAUSE_NANOS_MAX, 2 * last.pauseNanos())));
        }
        return closed;
    }

    private CompletableFuture<Boolean> recoverBlocks(FileId file, RecoverFileReply attempt) {
        List<CompletableFuture<Outcome>> asked = attempt.getBlockList().stream()
                .map(block -> blocks.recover(block, List.of()))
                .toList();
        return CompletableFuture.allOf(asked.toArray(CompletableFuture[]::new)).thenCompose(done -> {
            CrashPoint.hit("meta.recovery.after-blocks");
            return commit(
                    file, attempt, asked.stream().map(CompletableFuture::join).toList());
        });
    }

    /** A block of which nothing was written ends the file, whatever follows; so does one that was not finished. */
    private CompletableFuture<Boolean> commit(FileId file, RecoverFileReply attempt, List<Outcome> outcomes) {
        FinishRecoveryRequest.Builder request =
                FinishRecoveryRequest.newBuilder().setFileId(file.value()).setRecoveryId(attempt.getRecoveryId());
        for (int i = 0; i < outcomes.size(); i++) {
            Outcome outcome = outcomes.get(i);
            if (outcome instanceof Waiting waiting) {
                LOG.warn("{} cannot be closed yet: {}", file, waiting.why());
                return CompletableFuture.completedFuture(false);
            }
            if (outcome instanceof Held held) {
                request.addBlock(held.block());
            }
            if (outcome instanceof Unwritten || (isLast(outcome) && hasNothingBehind(attempt, i))) {
                break;
            }
        }
        return group.submit(finish, RequestOrigin.SERVICE, request.build()).thenApply(done -> true);
    }

    private static boolean isLast(Outcome outcome) {
        return outcome instanceof Held held && held.isLast();
    }

    private static boolean hasNothingBehind(RecoverFileReply attempt, int index) {
        return attempt.getBlockList().stream().skip(index + 1L).allMatch(block -> block.getCommittedLength() == 0);
    }
}
