package io.tatami.meta.service.host;

import io.tatami.base.Check;
import io.tatami.base.TatamiException;
import io.tatami.meta.log.LocalLog;
import io.tatami.meta.state.wire.GroupRecord;
import io.tatami.meta.store.GroupStore;
import io.tatami.meta.store.StoreMemory;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;

/**
 * Of groups that only this server holds: each leads from start to end, and its store is its log. Used by one thread at
 * a time.
 */
final class LocalReplication {
    private final GroupStores stores;
    private final StoreMemory memory;
    private final Map<HostedGroup, GroupStore> opened = new LinkedHashMap<>();

    LocalReplication(GroupStores stores, StoreMemory memory) {
        this.stores = stores;
        this.memory = memory;
    }

    /** As {@link Replication#open}. */
    void open(GroupRecord record, HostedGroup group) throws TatamiException {
        opened.put(group, stores.open(record, memory));
    }

    /** Ends the term of a group for good; its store, still open, is the caller's from then on. */
    GroupStore release(HostedGroup group) {
        group.follow();
        GroupStore store = opened.remove(group);
        Check.check(store != null, "%s has no log of its own here", group.id());
        return Objects.requireNonNull(store);
    }

    /** As {@link Replication#start}. */
    void start() throws TatamiException {
        for (Map.Entry<HostedGroup, GroupStore> group : opened.entrySet()) {
            group.getKey().leadForGood(group.getValue(), new LocalLog(group.getValue()));
        }
    }

    /** Called when no group leads any more. */
    void close() {
        opened.values().forEach(GroupStore::close);
        opened.clear();
    }
}
