package io.tatami.server.traffic;

import io.tatami.base.DirectoryId;
import io.tatami.base.GroupId;
import io.tatami.client.model.GroupTraffic;
import io.tatami.server.traffic.TrafficReading.ServerBytes;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * Requests and bytes a second between two readings; keys without any are left out, servers are not. The time between
 * two counts of a group is the leader's own, so that an answer that comes late does not change the rate.
 *
 * <p>Of a key that a group kept in both readings the rate is exact. One that was not kept in the first, or went and
 * came back meanwhile, came at least as often as its count is above its error: that is the rate, and it may be too low.
 *
 * @param measuredGroups how many groups have rates; a group that did not tell twice, or whose counts began anew as
 *     another server leads it, has none
 * @param requests of all groups with rates
 * @param users the highest rate first, as the others
 * @param clients addresses, and for those on a leader's own host the name of that host
 * @param metadataServers by address, the sum of the groups that each leads
 * @param unmeasured groups and block servers without rates, and why
 */
public record TrafficRates(
        int measuredGroups,
        double requests,
        List<Rate<String>> users,
        List<Rate<String>> clients,
        List<Rate<DirectoryId>> directories,
        List<Rate<String>> metadataServers,
        List<ServerRate> blockServers,
        List<Unmeasured> unmeasured) {
    /** Requests a second. */
    public record Rate<K>(K key, double perSecond) {}

    /** Bytes a second of a block server. */
    public record ServerRate(int id, String address, double read, double written) {}

    /**
     * A group or a block server.
     *
     * @param subject by its name
     */
    public record Unmeasured(String subject, String reason) {}

    /** Both must be of the same cluster. */
    public static TrafficRates between(TrafficReading before, TrafficReading now) {
        RateSums sums = new RateSums();
        Map<GroupId, GroupTraffic> groups = byKey(before.groups(), GroupTraffic::group);
        for (GroupTraffic group : now.groups()) {
            sums.add(groups.get(group.group()), group);
        }
        Map<Integer, ServerBytes> servers =
                byKey(before.servers(), server -> server.info().getServerId());
        for (ServerBytes server : now.servers()) {
            sums.add(servers.get(server.info().getServerId()), server);
        }
        return sums.rates();
    }

    private static <K, T> Map<K, T> byKey(List<T> all, Function<T, K> key) {
        Map<K, T> map = new HashMap<>();
        all.forEach(each -> map.put(key.apply(each), each));
        return map;
    }
}
