package io.tatami.meta.service.cluster;

import io.tatami.base.Check;
import io.tatami.protocol.wire.BlockServerInfo;
import io.tatami.protocol.wire.ClusterMap;
import io.tatami.protocol.wire.GroupLocation;
import io.tatami.protocol.wire.LeftBlockServer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Gives the maps that one leader of the namespace group builds their revisions, and each entry of them the revision at
 * which it changed last.
 *
 * <p>Room and streams of a server change with each of its heartbeats. They are told at once where they have changed by
 * much; else the servers' turns come one after the other, {@value #SMALL_CHANGES_MAX} at a time. So all figures of a
 * small cluster are told each time, and the changes of a large one do not grow with it.
 *
 * <p>Not safe for use by many threads: {@link ClusterWatch} owns it.
 */
final class MapRevisions {
    /** Servers of which one map tells anew room that has hardly changed: those that were told of longest ago. */
    static final int SMALL_CHANGES_MAX = 16;

    /** Servers that left and are remembered. */
    static final int LEFT_MAX = 1_024;

    private static final long LARGE_PART_OF_CAPACITY = 100;
    private static final long LARGE_PART_OF_FREE = 8;
    private static final int LARGE_STREAMS = 16;

    private final long source;
    private ClusterMap last = ClusterMap.getDefaultInstance();
    private final Map<Integer, BlockServerInfo> servers = new HashMap<>();
    private final Map<Integer, GroupLocation> groups = new HashMap<>();

    /** @param source drawn for this leader, not 0 */
    MapRevisions(long source) {
        Check.check(source != 0, "0 stands for no source");
        this.source = source;
    }

    /**
     * The map to be told: the last one where nothing has changed that is to be told now, or where the one that was
     * built is older than that.
     *
     * @param built without revisions
     */
    ClusterMap next(ClusterMap built) {
        if (built.getEpoch() < last.getEpoch()) {
            return last;
        }
        long revision = last.getRevision() + 1;
        ClusterMap.Builder map = built.toBuilder()
                .clearGroup()
                .clearBlockServer()
                .setSource(source)
                .setRevision(revision)
                .setOldestRevision(Math.max(1, last.getOldestRevision()));
        boolean isNew = addGroups(map, built.getGroupList(), revision);
        isNew |= addServers(map, built.getBlockServerList(), revision);
        isNew |= addLeft(map, revision);
        if (!isNew && isSame(map, last)) {
            return last;
        }
        last = map.build();
        servers.clear();
        last.getBlockServerList().forEach(server -> servers.put(server.getServerId(), server));
        groups.clear();
        last.getGroupList().forEach(group -> groups.put(group.getGroup(), group));
        return last;
    }

    private static boolean isSame(ClusterMap.Builder map, ClusterMap last) {
        return map.getEpoch() == last.getEpoch()
                && map.getSafeMode() == last.getSafeMode()
                && map.getBalancePercent() == last.getBalancePercent();
    }

    /** A group never leaves; where one has, nobody is told of changes since. */
    private boolean addGroups(ClusterMap.Builder map, List<GroupLocation> built, long revision) {
        TreeMap<Integer, GroupLocation> told = new TreeMap<>();
        boolean isNew = false;
        for (GroupLocation group : built) {
            GroupLocation before = groups.get(group.getGroup());
            boolean isSame = before != null
                    && before.toBuilder().clearChangedRevision().build().equals(group);
            told.put(
                    group.getGroup(),
                    isSame
                            ? before
                            : group.toBuilder().setChangedRevision(revision).build());
            isNew |= !isSame;
        }
        if (!told.keySet().containsAll(groups.keySet())) {
            map.setOldestRevision(revision);
            isNew = true;
        }
        map.addAllGroup(told.values());
        return isNew;
    }

    /** What a map told of a server, and what is to be told now. */
    private record Change(BlockServerInfo before, BlockServerInfo now) {}

    private boolean addServers(ClusterMap.Builder map, List<BlockServerInfo> built, long revision) {
        TreeMap<Integer, BlockServerInfo> told = new TreeMap<>();
        List<Change> hardlyChanged = new ArrayList<>();
        boolean isNew = false;
        for (BlockServerInfo server : built) {
            BlockServerInfo before = servers.get(server.getServerId());
            if (before != null && isLike(before, server)) {
                if (!hasFiguresOf(before, server)) {
                    hardlyChanged.add(new Change(before, server));
                }
                told.put(server.getServerId(), before);
            } else {
                told.put(server.getServerId(), withRevision(server, revision));
                isNew = true;
            }
        }
        hardlyChanged.stream()
                .sorted(Comparator.comparingLong(change -> change.before().getChangedRevision()))
                .limit(SMALL_CHANGES_MAX)
                .forEach(change -> told.put(change.now().getServerId(), withRevision(change.now(), revision)));
        map.addAllBlockServer(told.values());
        return isNew || !hardlyChanged.isEmpty();
    }

    private static BlockServerInfo withRevision(BlockServerInfo server, long revision) {
        return server.toBuilder().setChangedRevision(revision).build();
    }

    /** Whether no more has changed of a server than its room and its streams, and those not by much. */
    private static boolean isLike(BlockServerInfo before, BlockServerInfo now) {
        long part = now.getCapacityBytes() / LARGE_PART_OF_CAPACITY;
        return Math.abs(before.getFreeBytes() - now.getFreeBytes())
                        <= Math.min(part, before.getFreeBytes() / LARGE_PART_OF_FREE)
                && Math.abs(before.getUsedBytes() - now.getUsedBytes()) <= part
                && Math.abs(before.getStreams() - now.getStreams()) < LARGE_STREAMS
                && now.toBuilder()
                        .setUsedBytes(before.getUsedBytes())
                        .setFreeBytes(before.getFreeBytes())
                        .setStreams(before.getStreams())
                        .setChangedRevision(before.getChangedRevision())
                        .build()
                        .equals(before);
    }

    private static boolean hasFiguresOf(BlockServerInfo before, BlockServerInfo now) {
        return before.getUsedBytes() == now.getUsedBytes()
                && before.getFreeBytes() == now.getFreeBytes()
                && before.getStreams() == now.getStreams();
    }

    /**
     * Of the servers that have left the last ones are remembered; of what was before the first of them nobody is told.
     */
    private boolean addLeft(ClusterMap.Builder map, long revision) {
        Set<Integer> present = new HashSet<>();
        map.getBlockServerList().forEach(server -> present.add(server.getServerId()));
        List<LeftBlockServer> left = new ArrayList<>();
        last.getLeftList().stream()
                .filter(gone -> !present.contains(gone.getServerId()))
                .forEach(left::add);
        int before = left.size();
        servers.keySet().stream()
                .filter(server -> !present.contains(server))
                .sorted()
                .forEach(server -> left.add(LeftBlockServer.newBuilder()
                        .setServerId(server)
                        .setRevision(revision)
                        .build()));
        boolean isNew = left.size() > before;
        if (left.size() > LEFT_MAX) {
            map.setOldestRevision(Math.max(
                    map.getOldestRevision(),
                    left.get(left.size() - LEFT_MAX - 1).getRevision()));
        }
        left.removeIf(gone -> gone.getRevision() <= map.getOldestRevision());
        map.addAllLeft(left);
        return isNew;
    }
}
