package io.tatami.meta.service.file;

import com.google.protobuf.Message;
import io.tatami.base.Causes;
import io.tatami.base.Detail;
import io.tatami.base.FileId;
import io.tatami.base.SessionId;
import io.tatami.base.TatamiException;
import io.tatami.meta.service.Flow;
import io.tatami.meta.service.RequestOrigin;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Watches who opens files for writing: a success renews the session's leases; a refusal because another session writes
 * the file begins its recovery, where that session was silent for longer than the soft limit. The refusal stands, as in
 * HDFS: who asked tries again, and finds the file closed or being recovered.
 */
final class LeaseTakeover {
    private final LeaseMonitor monitor;
    private final FileRecovery recovery;

    LeaseTakeover(LeaseMonitor monitor, FileRecovery recovery) {
        this.monitor = monitor;
        this.recovery = recovery;
    }

    <Q extends Message, R extends Message> CompletableFuture<R> watch(
            Flow<Q, R> open, RequestOrigin origin, Q request) {
        monitor.renewed(origin.session());
        return open.run(origin, request).whenComplete((reply, failure) -> refused(failure));
    }

    private void refused(@Nullable Throwable failure) {
        if (failure != null
                && Causes.unwrapped(failure) instanceof TatamiException known
                && known.detail() instanceof Detail.HeldLease held) {
            takeOver(held.file(), held.writer());
        }
    }

    private void takeOver(FileId file, SessionId holder) {
        if (!holder.equals(SessionId.NONE) && monitor.isLapsed(holder)) {
            recovery.begin(file, holder);
        }
    }
}
