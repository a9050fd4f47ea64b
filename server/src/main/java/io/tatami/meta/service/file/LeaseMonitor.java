package io.tatami.meta.service.file;

import io.tatami.base.Clock;
import io.tatami.base.FileId;
import io.tatami.base.SessionId;
import io.tatami.meta.op.lease.ReadLeases;
import io.tatami.meta.service.Group;
import io.tatami.meta.service.RequestOrigin;
import io.tatami.meta.state.ShardState;
import io.tatami.meta.state.wire.ReadLeasesReply;
import io.tatami.meta.state.wire.ReadLeasesRequest;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/**
 * When write leases lapse: on this leader's monotonic clock, counted from a session's last renewal or, for one not
 * heard of, from when this leader first met its lease, so that a change of leaders never takes a file from a live
 * writer. All leases of a session live and lapse together. A sweep goes over the leases page by page, and over first
 * leases in the same way; what stands under no session is a recovery to be carried on.
 *
 * <p>{@link #renewed} and {@link #isLapsed} may be called by many threads; the other fields belong to the sweep.
 */
final class LeaseMonitor {
    private static final int PAGE = 500;

    /** Sessions that are remembered without a lease: beyond, one is met when a sweep comes to its first lease. */
    private static final int WITHOUT_LEASE_MAX = 200_000;

    private static final Duration REST_MAX = Duration.ofSeconds(5);

    private final Group<ShardState> group;
    private final FileRecovery recovery;
    private final Clock clock;
    private final FileSettings settings;
    private final ReadLeases read = new ReadLeases();
    private final Map<SessionId, Long> renewedNanos = new ConcurrentHashMap<>();
    private boolean atFirst;
    private long afterSession;
    private long afterFile;

    LeaseMonitor(Group<ShardState> group, FileRecovery recovery, Clock clock, FileSettings settings) {
        this.group = group;
        this.recovery = recovery;
        this.clock = clock;
        this.settings = settings;
    }

    /** The session lives, and has or may soon have leases here. */
    void renewed(SessionId session) {
        if (renewedNanos.size() < WITHOUT_LEASE_MAX) {
            renewedNanos.put(session, clock.monotonicNanos());
        } else {
            renewedNanos.replace(session, clock.monotonicNanos());
        }
    }

    /** Whether another writer may take this session's files: it was silent for longer than the soft limit. */
    boolean isLapsed(SessionId session) {
        return isSilentFor(session, settings.softLimitNanos());
    }

    /** The background task: one page of leases a run. */
    CompletableFuture<Duration> run() {
        ReadLeasesRequest page = ReadLeasesRequest.newBuilder()
                .setAfterSession(afterSession)
                .setAfterFileId(afterFile)
                .setLimit(PAGE)
                .setFirst(atFirst)
                .build();
        return group.read(read, RequestOrigin.SERVICE, page).thenApply(this::check);
    }

    private Duration check(ReadLeasesReply page) {
        for (ReadLeasesReply.Lease lease : page.getLeaseList()) {
            afterSession = lease.getSession();
            afterFile = lease.getFileId();
            SessionId session = new SessionId(lease.getSession());
            if (session.equals(SessionId.NONE) || isSilentFor(session, settings.hardLimitNanos())) {
                recovery.begin(new FileId(lease.getFileId()), session);
            }
        }
        if (page.getMore()) {
            return Duration.ZERO;
        }
        afterSession = 0;
        afterFile = 0;
        atFirst = !atFirst;
        if (atFirst) {
            return Duration.ZERO;
        }
        forgetSilent();
        Duration often = Duration.ofNanos(settings.softLimitNanos() / 4);
        return often.compareTo(REST_MAX) < 0 ? often : REST_MAX;
    }

    private boolean isSilentFor(SessionId session, long limitNanos) {
        long now = clock.monotonicNanos();
        long last = renewedNanos.computeIfAbsent(session, unknown -> now);
        return now - last > limitNanos;
    }

    /** Sessions whose leases are all taken away by now; one that comes back is met anew. */
    private void forgetSilent() {
        long now = clock.monotonicNanos();
        renewedNanos.values().removeIf(last -> now - last > 2 * settings.hardLimitNanos());
    }
}
