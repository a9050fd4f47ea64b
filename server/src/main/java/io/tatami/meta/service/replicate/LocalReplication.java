package io.tatami.meta.service.replicate;

import io.tatami.base.Check;
import io.tatami.base.TatamiException;
import io.tatami.meta.log.local.LocalLog;
import io.tatami.meta.state.wire.GroupRecord;
import io.tatami.meta.store.GroupStore;
import io.tatami.meta.store.StoreMemory;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;

/** Of groups that only this server holds: each leads from start to end. Used by one thread at a time. */
public final class LocalReplication {
    private final GroupStores stores;
    private final StoreMemory memory;
    private final long logFileBytes;
    private final Map<HostedGroup, GroupStores.Local> opened = new LinkedHashMap<>();

    /** @param logFileBytes see {@link LocalLog#FILE_BYTES} */
    public LocalReplication(GroupStores stores, StoreMemory memory, long logFileBytes) {
        this.stores = stores;
        this.memory = memory;
        this.logFileBytes = logFileBytes;
    }

    /** As {@link Replication#open}. */
    void open(GroupRecord record, HostedGroup group) throws TatamiException {
        opened.put(group, stores.open(record, memory, logFileBytes));
    }

    /**
     * Ends the term of a group for good, and its log; the store, still open, has everything and is the caller's from
     * then on.
     *
     * @throws TatamiException the store failed, and is closed
     */
    GroupStore release(HostedGroup group) throws TatamiException {
        group.follow();
        GroupStores.Local local = opened.remove(group);
        Check.check(local != null, "%s has no log of its own here", group.id());
        GroupStore store = Objects.requireNonNull(local).store();
        try {
            local.log().close();
            local.log().retire();
            return store;
        } catch (TatamiException e) {
            store.close();
            throw e;
        }
    }

    /** As {@link Replication#start}. */
    void start() throws TatamiException {
        for (Map.Entry<HostedGroup, GroupStores.Local> group : opened.entrySet()) {
            GroupStores.Local local = group.getValue();
            group.getKey().leadForGood(local.store(), local.log());
        }
    }

    /** Called when no group leads any more. */
    void close() {
        opened.values().forEach(GroupStores.Local::close);
        opened.clear();
    }
}
