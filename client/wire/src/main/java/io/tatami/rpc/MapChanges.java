package io.tatami.rpc;

import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.protocol.wire.BlockServerInfo;
import io.tatami.protocol.wire.ClusterMap;
import io.tatami.protocol.wire.ClusterMapChanges;
import io.tatami.protocol.wire.GetClusterMapReply;
import io.tatami.protocol.wire.GetClusterMapRequest;
import io.tatami.protocol.wire.GroupLocation;
import io.tatami.protocol.wire.KnownClusterMap;
import io.tatami.protocol.wire.LeftBlockServer;
import java.util.Collection;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * The cluster map as changes of a map that the asker has. Each entry of a map has the revision at which it changed
 * last, so that a map by itself tells what has changed since an earlier one of the same source: any server that has it
 * can answer, and needs no history. Pure.
 */
public final class MapChanges {
    private MapChanges() {}

    /** The question for a newer map than one that is at hand. */
    public static GetClusterMapRequest question(ClusterMap known) {
        return GetClusterMapRequest.newBuilder().setKnown(known(known)).build();
    }

    /** How a map is named; the default, which stands for none, for one of an earlier release. */
    public static KnownClusterMap known(ClusterMap map) {
        return KnownClusterMap.newBuilder()
                .setSource(map.getSource())
                .setRevision(map.getSource() == 0 ? 0 : map.getRevision())
                .build();
    }

    /** The answer to a question: what has changed, or else the whole map. */
    public static GetClusterMapReply answer(ClusterMap map, KnownClusterMap known) {
        GetClusterMapReply.Builder reply = GetClusterMapReply.newBuilder();
        since(map, known).ifPresentOrElse(reply::setChanges, () -> reply.setMap(map));
        return reply.build();
    }

    /**
     * What has changed since a map; empty where that is not known: it is of another source, newer than this one, or so
     * old that servers that have left since are forgotten.
     */
    public static Optional<ClusterMapChanges> since(ClusterMap map, KnownClusterMap known) {
        boolean isTold = known.getSource() != 0
                && known.getSource() == map.getSource()
                && known.getRevision() <= map.getRevision()
                && known.getRevision() >= map.getOldestRevision();
        if (!isTold) {
            return Optional.empty();
        }
        long from = known.getRevision();
        ClusterMap.Builder changed = withoutLists(map);
        map.getGroupList().stream()
                .filter(group -> group.getChangedRevision() > from)
                .forEach(changed::addGroup);
        map.getBlockServerList().stream()
                .filter(server -> server.getChangedRevision() > from)
                .forEach(changed::addBlockServer);
        map.getLeftList().stream().filter(left -> left.getRevision() > from).forEach(changed::addLeft);
        return Optional.of(ClusterMapChanges.newBuilder()
                .setFromRevision(from)
                .setChanged(changed)
                .build());
    }

    /**
     * The map that an answer tells.
     *
     * @param known the map that the question named, whatever newer ones have come since
     * @throws TatamiException UNAVAILABLE where the changes are of another map
     */
    public static ClusterMap read(ClusterMap known, GetClusterMapReply reply) throws TatamiException {
        return reply.hasChanges() ? applied(known, reply.getChanges()) : reply.getMap();
    }

    /**
     * A map and what has changed since.
     *
     * @throws TatamiException UNAVAILABLE where the changes are of another map
     */
    public static ClusterMap applied(ClusterMap known, ClusterMapChanges changes) throws TatamiException {
        ClusterMap changed = changes.getChanged();
        if (changed.getSource() == 0
                || changed.getSource() != known.getSource()
                || changes.getFromRevision() != known.getRevision()) {
            throw new TatamiException(
                    ErrorCode.UNAVAILABLE,
                    "the answer changes revision " + changes.getFromRevision()
                            + " of a cluster map, and the question named revision " + known.getRevision());
        }
        if (changed.getRevision() == known.getRevision()) {
            return known;
        }
        Set<Integer> gone =
                changed.getLeftList().stream().map(LeftBlockServer::getServerId).collect(Collectors.toSet());
        Set<Integer> told = new HashSet<>(gone);
        changed.getBlockServerList().forEach(server -> told.add(server.getServerId()));
        ClusterMap.Builder map = withoutLists(changed)
                .addAllGroup(merged(known.getGroupList(), changed.getGroupList(), GroupLocation::getGroup, Set.of()))
                .addAllBlockServer(merged(
                        known.getBlockServerList(), changed.getBlockServerList(), BlockServerInfo::getServerId, gone));
        known.getLeftList().stream()
                .filter(left -> left.getRevision() > changed.getOldestRevision() && !told.contains(left.getServerId()))
                .forEach(map::addLeft);
        return map.addAllLeft(changed.getLeftList()).build();
    }

    /**
     * Whether a map is older than another: by its epoch and, in maps of one source, by its revision. Within one epoch
     * maps of two sources have no order.
     */
    public static boolean isOlder(ClusterMap map, ClusterMap than) {
        return map.getEpoch() < than.getEpoch()
                || (map.getEpoch() == than.getEpoch()
                        && map.getSource() == than.getSource()
                        && map.getRevision() < than.getRevision());
    }

    private static <T> Collection<T> merged(
            Collection<T> known, Collection<T> changed, Function<T, Integer> number, Set<Integer> gone) {
        TreeMap<Integer, T> all = new TreeMap<>();
        known.forEach(entry -> all.put(number.apply(entry), entry));
        changed.forEach(entry -> all.put(number.apply(entry), entry));
        all.keySet().removeAll(gone);
        return all.values();
    }

    private static ClusterMap.Builder withoutLists(ClusterMap map) {
        return map.toBuilder().clearGroup().clearBlockServer().clearLeft();
    }
}
