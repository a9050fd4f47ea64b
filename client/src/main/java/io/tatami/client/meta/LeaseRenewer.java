package io.tatami.client.meta;

import io.tatami.base.FileId;
import io.tatami.base.GroupId;
import io.tatami.base.TatamiException;
import io.tatami.protocol.MetaMethods;
import io.tatami.protocol.RequestLimits;
import io.tatami.protocol.wire.RenewLeasesReply;
import io.tatami.protocol.wire.RenewLeasesRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the write leases of this client's open files: those of each home are renewed with one request. While files are
 * open it has a turn on the thread that all clients of the process share, which waits for no server; without one it
 * costs nothing. A writer whose lease is gone is told so. Safe for use by many threads.
 */
public final class LeaseRenewer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(LeaseRenewer.class);

    private final MetadataCaller caller;
    private final Duration interval;
    private final LeaseThreads threads;
    private final Map<FileId, Holder> holders = new ConcurrentHashMap<>();

    /** Whether the next turn is due some time. */
    private final AtomicBoolean scheduled = new AtomicBoolean();

    /** Requests of the newest turn that are not answered. */
    private final AtomicInteger unanswered = new AtomicInteger();

    /** Who holds a lease. Called on threads of connections and by {@link #close}; must not block. */
    public interface Holder {
        /** Somebody else may write the file from now on. */
        void leaseLost();

        /** The client is closed: the file is to be given up. */
        void clientClosed();
    }

    /** Renews every {@code interval}. */
    public LeaseRenewer(MetadataCaller caller, Duration interval, LeaseThreads threads) {
        this.caller = caller;
        this.interval = interval;
        this.threads = threads;
    }

    /**
     * Who held a lease on the file before has lost it: the file was recovered, or it could not have been opened again.
     */
    public void add(FileId file, Holder holder) {
        Holder before = holders.put(file, holder);
        if (before != null) {
            before.leaseLost();
        }
        schedule();
    }

    /** Without effect where another one of this client has opened the file since. */
    public void remove(FileId file, Holder holder) {
        holders.remove(file, holder);
    }

    private void schedule() {
        if (scheduled.compareAndSet(false, true)) {
            threads.later(this::takeTurn, interval.toMillis());
        }
    }

    private void takeTurn() {
        scheduled.set(false);
        if (holders.isEmpty()) {
            return;
        }
        schedule();
        // What the last turn sent is tried for no longer than a turn takes.
        if (unanswered.get() == 0) {
            renew();
        }
    }

    /** Sends requests for all leases. */
    private void renew() {
        Map<FileId, Holder> held = Map.copyOf(holders);
        SortedMap<GroupId, List<FileId>> byHome = new TreeMap<>();
        for (FileId file : held.keySet()) {
            byHome.computeIfAbsent(file.home(), key -> new ArrayList<>()).add(file);
        }
        byHome.forEach((home, files) -> {
            for (int from = 0; from < files.size(); from += RequestLimits.LEASES) {
                renew(home, files.subList(from, Math.min(files.size(), from + RequestLimits.LEASES)), held);
            }
        });
    }

    private void renew(GroupId home, List<FileId> files, Map<FileId, Holder> held) {
        RenewLeasesRequest request = RenewLeasesRequest.newBuilder()
                .addAllFileId(files.stream().map(FileId::value).toList())
                .build();
        Deadline deadline = caller.deadline().atMost(interval);
        unanswered.incrementAndGet();
        try {
            // A client with an open file has a session, so nothing is waited for.
            MetadataCall<RenewLeasesRequest, RenewLeasesReply> call =
                    caller.start(home, MetaMethods.RENEW_LEASES, request, deadline);
            call.whenAnswered(isRenewed -> {
                if (isRenewed) {
                    finish(call, held);
                } else {
                    threads.repeat(() -> finish(call, held));
                }
            });
        } catch (TatamiException e) {
            unanswered.decrementAndGet();
            warn(e);
        }
    }

    /** Tries again where the first attempt failed. */
    private void finish(MetadataCall<RenewLeasesRequest, RenewLeasesReply> call, Map<FileId, Holder> held) {
        try {
            for (long lost : call.await().getLostFileIdList()) {
                FileId file = new FileId(lost);
                Holder holder = held.get(file);
                // Who opened the file again meanwhile was not asked for.
                if (holder != null && holders.remove(file, holder)) {
                    holder.leaseLost();
                }
            }
        } catch (TatamiException e) {
            warn(e);
        } finally {
            call.abandon();
            unanswered.decrementAndGet();
        }
    }

    private void warn(TatamiException failure) {
        if (!holders.isEmpty()) {
            LOG.warn("Leases of open files were not renewed; tried again in {}", interval, failure);
        }
    }

    /** Tells every holder that the client is closed. */
    @Override
    public void close() {
        List.copyOf(holders.values()).forEach(Holder::clientClosed);
        holders.clear();
    }
}
