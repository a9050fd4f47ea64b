package io.tatami.client.meta;

import io.tatami.base.FileId;
import io.tatami.base.GroupId;
import io.tatami.base.TatamiException;
import io.tatami.base.Threads;
import io.tatami.protocol.MetaMethods;
import io.tatami.protocol.wire.RenewLeasesRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the write leases of this client's open files: one thread renews those of each home with one request. A writer
 * whose lease is gone is told so. Safe for use by many threads.
 */
public final class LeaseRenewer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(LeaseRenewer.class);
    private static final int FILES_OF_A_REQUEST_MAX = 10_000;

    private final MetadataCaller caller;
    private final Duration interval;
    private final Map<FileId, Holder> holders = new ConcurrentHashMap<>();
    private final ScheduledExecutorService thread;
    private final ScheduledFuture<?> renewals;

    /** Who holds a lease. Called on the renewing thread and by {@link #close}; must not block. */
    public interface Holder {
        /** Somebody else may write the file from now on. */
        void leaseLost();

        /** The client is closed: the file is to be given up. */
        void clientClosed();
    }

    /** Renews every {@code interval}. */
    public LeaseRenewer(MetadataCaller caller, Duration interval) {
        this.caller = caller;
        this.interval = interval;
        this.thread = Executors.newSingleThreadScheduledExecutor(Threads.daemons("tatami-leases"));
        long millis = interval.toMillis();
        this.renewals = thread.scheduleWithFixedDelay(this::renewAndLog, millis, millis, TimeUnit.MILLISECONDS);
    }

    /**
     * Who held a lease on the file before has lost it: the file was recovered, or it could not have been opened again.
     */
    public void add(FileId file, Holder holder) {
        Holder before = holders.put(file, holder);
        if (before != null) {
            before.leaseLost();
        }
    }

    /** Without effect where another one of this client has opened the file since. */
    public void remove(FileId file, Holder holder) {
        holders.remove(file, holder);
    }

    /** Renews all leases once. */
    void renew() throws TatamiException {
        Map<FileId, Holder> held = Map.copyOf(holders);
        SortedMap<GroupId, List<FileId>> byHome = new TreeMap<>();
        for (FileId file : held.keySet()) {
            byHome.computeIfAbsent(file.home(), key -> new ArrayList<>()).add(file);
        }
        TatamiException first = null;
        for (Map.Entry<GroupId, List<FileId>> home : byHome.entrySet()) {
            List<FileId> files = home.getValue();
            for (int from = 0; from < files.size(); from += FILES_OF_A_REQUEST_MAX) {
                int to = Math.min(files.size(), from + FILES_OF_A_REQUEST_MAX);
                try {
                    renew(home.getKey(), files.subList(from, to), held);
                } catch (TatamiException e) {
                    // The leases of other homes are renewed all the same.
                    first = first == null ? e : first;
                }
            }
        }
        if (first != null) {
            throw first;
        }
    }

    private void renew(GroupId home, List<FileId> files, Map<FileId, Holder> held) throws TatamiException {
        RenewLeasesRequest request = RenewLeasesRequest.newBuilder()
                .addAllFileId(files.stream().map(FileId::value).toList())
                .build();
        Deadline deadline = caller.deadline().atMost(interval);
        for (long lost :
                caller.call(home, MetaMethods.RENEW_LEASES, request, deadline).getLostFileIdList()) {
            FileId file = new FileId(lost);
            Holder holder = held.get(file);
            // Who opened the file again meanwhile was not asked for.
            if (holder != null && holders.remove(file, holder)) {
                holder.leaseLost();
            }
        }
    }

    private void renewAndLog() {
        try {
            renew();
        } catch (TatamiException e) {
            LOG.warn("Leases of open files were not renewed; tried again in {}", interval, e);
        }
    }

    /** Tells every holder that the client is closed, and ends the thread. */
    @Override
    public void close() {
        renewals.cancel(true);
        thread.shutdownNow();
        List.copyOf(holders.values()).forEach(Holder::clientClosed);
        holders.clear();
    }
}
