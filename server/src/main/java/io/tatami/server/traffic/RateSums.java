package io.tatami.server.traffic;

import io.tatami.base.DirectoryId;
import io.tatami.base.TatamiException;
import io.tatami.client.model.GroupTraffic;
import io.tatami.protocol.wire.BlockServerInfo;
import io.tatami.protocol.wire.BlockServerStatusReply;
import io.tatami.protocol.wire.CountedDirectory;
import io.tatami.protocol.wire.CountedKey;
import io.tatami.protocol.wire.GroupTrafficReply;
import io.tatami.server.traffic.TrafficRates.Rate;
import io.tatami.server.traffic.TrafficRates.ServerRate;
import io.tatami.server.traffic.TrafficRates.Unmeasured;
import io.tatami.server.traffic.TrafficReading.ServerBytes;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Adds up the rates of groups and block servers. Used by one thread. */
final class RateSums {
    private static final double SECOND_MILLIS = TimeUnit.SECONDS.toMillis(1);
    private static final double SECOND_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Map<String, Double> users = new TreeMap<>();
    private final Map<String, Double> clients = new TreeMap<>();
    private final Map<DirectoryId, Double> directories = new HashMap<>();
    private final Map<String, Double> metadataServers = new TreeMap<>();
    private final List<ServerRate> blockServers = new ArrayList<>();
    private final List<Unmeasured> unmeasured = new ArrayList<>();
    private double requests;
    private int groups;

    /** How often a key came until a reading: at most, and how many of these may have been others. */
    private record Count<K>(K key, long count, long error) {
        /** How often it came since {@code before}: exactly, if it stayed among those that are kept; else at least. */
        long since(@Nullable Count<K> before) {
            if (before != null && before.error == error) {
                return Math.max(0, count - before.count);
            }
            return Math.max(0, count - error);
        }
    }

    /** @param before null where the group was not asked */
    void add(@Nullable GroupTraffic before, GroupTraffic now) {
        GroupTrafficReply first = before == null ? null : before.counts();
        GroupTrafficReply last = now.counts();
        if (last == null) {
            unmeasured.add(new Unmeasured(now.group().toString(), "does not tell: " + reason(now.failure())));
        } else if (first == null) {
            unmeasured.add(new Unmeasured(now.group().toString(), "did not tell before"));
        } else if (first.getSource() != last.getSource()) {
            unmeasured.add(new Unmeasured(now.group().toString(), "counts anew, as its leader has begun meanwhile"));
        } else if (last.getAgeMillis() <= first.getAgeMillis()) {
            unmeasured.add(new Unmeasured(now.group().toString(), "was asked twice at the same moment"));
        } else {
            add(first, last, now.address());
        }
    }

    private static String reason(@Nullable TatamiException failure) {
        return failure == null ? "no reason is known" : String.valueOf(failure.getMessage());
    }

    private void add(GroupTrafficReply first, GroupTrafficReply last, String leader) {
        double seconds = (last.getAgeMillis() - first.getAgeMillis()) / SECOND_MILLIS;
        double all = Math.max(0, last.getRequests() - first.getRequests()) / seconds;
        groups++;
        requests += all;
        metadataServers.merge(leader, all, Double::sum);
        addKeys(users, keys(first.getUserList()), keys(last.getUserList()), seconds);
        Map<String, Double> hosts = new HashMap<>();
        addKeys(hosts, keys(first.getClientHostList()), keys(last.getClientHostList()), seconds);
        hosts.forEach((host, rate) -> clients.merge(host.isEmpty() ? hostOf(leader) : host, rate, Double::sum));
        addKeys(directories, ids(first.getDirectoryList()), ids(last.getDirectoryList()), seconds);
    }

    /** Clients on a leader's own host are told by the name of that. */
    private static String hostOf(String leader) {
        int port = leader.lastIndexOf(':');
        return port < 0 ? "the leader's host" : leader.substring(0, port);
    }

    private static List<Count<String>> keys(List<CountedKey> counted) {
        return counted.stream()
                .map(key -> new Count<>(key.getKey(), key.getCount(), key.getError()))
                .toList();
    }

    private static List<Count<DirectoryId>> ids(List<CountedDirectory> counted) {
        return counted.stream()
                .map(directory -> new Count<>(
                        new DirectoryId(directory.getDirectoryId()), directory.getCount(), directory.getError()))
                .toList();
    }

    private static <K> void addKeys(Map<K, Double> sums, List<Count<K>> first, List<Count<K>> last, double seconds) {
        Map<K, Count<K>> before = new HashMap<>();
        first.forEach(count -> before.put(count.key(), count));
        for (Count<K> count : last) {
            long came = count.since(before.get(count.key()));
            if (came > 0) {
                sums.merge(count.key(), came / seconds, Double::sum);
            }
        }
    }

    /** @param before null where the server was not asked */
    void add(@Nullable ServerBytes before, ServerBytes now) {
        String name = "block server " + now.info().getServerId();
        BlockServerStatusReply first = before == null ? null : before.status();
        BlockServerStatusReply last = now.status();
        if (last == null) {
            unmeasured.add(new Unmeasured(name, "does not tell: " + reason(now.failure())));
        } else if (before == null || first == null) {
            unmeasured.add(new Unmeasured(name, "did not tell before"));
        } else if (hasStartedAgain(before.info(), now.info()) || haveFallen(first, last)) {
            unmeasured.add(new Unmeasured(name, "counts anew, as it has started again"));
        } else if (now.atNanos() - before.atNanos() <= 0) {
            unmeasured.add(new Unmeasured(name, "was asked twice at the same moment"));
        } else {
            double seconds = (now.atNanos() - before.atNanos()) / SECOND_NANOS;
            blockServers.add(new ServerRate(
                    now.info().getServerId(),
                    now.address(),
                    (last.getBytesRead() - first.getBytesRead()) / seconds,
                    (last.getBytesWritten() - first.getBytesWritten()) / seconds));
        }
    }

    private static boolean hasStartedAgain(BlockServerInfo before, BlockServerInfo now) {
        return before.getIncarnation() != now.getIncarnation();
    }

    /** The map may tell of a start later than the server itself. */
    private static boolean haveFallen(BlockServerStatusReply before, BlockServerStatusReply now) {
        return now.getBytesRead() < before.getBytesRead() || now.getBytesWritten() < before.getBytesWritten();
    }

    TrafficRates rates() {
        blockServers.sort(Comparator.comparingDouble((ServerRate server) -> server.read() + server.written())
                .reversed()
                .thenComparingInt(ServerRate::id));
        return new TrafficRates(
                groups,
                requests,
                sorted(users, Function.identity()),
                sorted(clients, Function.identity()),
                sorted(directories, DirectoryId::value),
                sorted(metadataServers, Function.identity()),
                List.copyOf(blockServers),
                List.copyOf(unmeasured));
    }

    /** @param order of keys with the same rate */
    private static <K, C extends Comparable<C>> List<Rate<K>> sorted(Map<K, Double> sums, Function<K, C> order) {
        List<Rate<K>> rates = new ArrayList<>();
        sums.forEach((key, perSecond) -> rates.add(new Rate<>(key, perSecond)));
        rates.sort(Comparator.comparingDouble((Rate<K> rate) -> rate.perSecond())
                .reversed()
                .thenComparing(rate -> order.apply(rate.key())));
        return rates;
    }
}
