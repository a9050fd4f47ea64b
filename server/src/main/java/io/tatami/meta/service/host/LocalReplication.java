package io.tatami.meta.service.host;

import io.tatami.base.ErrorCode;
import io.tatami.base.GroupId;
import io.tatami.base.TatamiException;
import io.tatami.meta.log.LocalLog;
import io.tatami.meta.state.wire.GroupRecord;
import io.tatami.meta.store.GroupStore;
import io.tatami.meta.store.StoreMemory;
import java.net.InetSocketAddress;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;

/** Of groups that only this server holds: each leads from start to end, and its store is its log. Used by one thread. */
final class LocalReplication implements Replication {
    private final GroupStores stores;
    private final StoreMemory memory;
    private final Map<HostedGroup, GroupStore> opened = new LinkedHashMap<>();

    LocalReplication(GroupStores stores, StoreMemory memory) {
        this.stores = stores;
        this.memory = memory;
    }

    @Override
    public void open(GroupRecord record, HostedGroup group) throws TatamiException {
        opened.put(group, stores.open(record, memory));
    }

    @Override
    public void start() throws TatamiException {
        for (Map.Entry<HostedGroup, GroupStore> group : opened.entrySet()) {
            group.getKey().leadForGood(group.getValue(), new LocalLog(group.getValue()));
        }
    }

    @Override
    public void add(HostedGroup group) throws TatamiException {
        throw new TatamiException(
                ErrorCode.UNSUPPORTED, group.id() + " is not replicated, and lies on the server it was given to");
    }

    @Override
    public void remove(GroupId group) {
        throw new IllegalStateException(group + " is not replicated, and is not moved");
    }

    @Override
    public void drop(GroupId group) {
        throw new IllegalStateException(group + " is not replicated, and is not moved");
    }

    @Override
    public OptionalLong appliedIndex(GroupId group) {
        return OptionalLong.empty();
    }

    @Override
    public Optional<UUID> leader(GroupId group) {
        return Optional.empty();
    }

    @Override
    public List<InetSocketAddress> knownServers() {
        return List.of();
    }

    @Override
    public void close() {
        opened.values().forEach(GroupStore::close);
        opened.clear();
    }
}
