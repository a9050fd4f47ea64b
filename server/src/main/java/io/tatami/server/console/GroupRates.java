package io.tatami.server.console;

import io.tatami.client.model.ClusterStatus.GroupState;
import io.tatami.protocol.wire.GroupStatusReply;
import io.tatami.server.status.StatusReport;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * How many batches a second each group makes durable, from the numbers of its log's entries in two reports. A group
 * that one of the two lacks has none. Used by one thread.
 */
final class GroupRates {
    private final Map<String, Long> before = new HashMap<>();
    private long beforeNanos;

    /** Of the time since the report before, by group; empty at the first report. */
    Map<String, Double> of(StatusReport report, long nowNanos) {
        double seconds = (double) (nowNanos - beforeNanos) / TimeUnit.SECONDS.toNanos(1);
        Map<String, Double> rates = new LinkedHashMap<>();
        Map<String, Long> now = new HashMap<>();
        for (GroupState group : report.cluster().groups()) {
            GroupStatusReply status = group.status();
            if (status != null) {
                String name = group.group().toString();
                now.put(name, status.getAppliedIndex());
                Long index = before.get(name);
                if (index != null && seconds > 0) {
                    rates.put(name, Math.max(0, status.getAppliedIndex() - index) / seconds);
                }
            }
        }
        before.clear();
        before.putAll(now);
        beforeNanos = nowNanos;
        return rates;
    }
}
