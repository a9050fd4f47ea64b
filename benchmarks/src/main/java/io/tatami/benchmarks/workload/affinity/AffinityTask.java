package io.tatami.benchmarks.workload.affinity;

import io.tatami.benchmarks.harness.host.CoreTimes;
import io.tatami.benchmarks.harness.host.LinkBytes;
import java.io.IOException;
import java.util.List;
import java.util.Map;

/**
 * What one task did.
 *
 * @param node on which it ran
 * @param hosts that have its bytes; none of a writer
 * @param grantedMillis when it got its place: the start of its process, or the scheduler's answer; of the epoch
 * @param bytes that it read or wrote
 * @param carried by its node's link meanwhile, for whomever
 */
record AffinityTask(
        int number, String node, List<String> hosts, long grantedMillis, long bytes, LinkBytes carried, Span span) {
    private static final String NO_HOST = "-";

    /**
     * From the first call of a file system to the last one's return.
     *
     * @param beginMillis of the epoch
     * @param coresBegin what the machine's cores had done then
     */
    record Span(long beginMillis, CoreTimes coresBegin, long endMillis, CoreTimes coresEnd) {
        double seconds() {
            return (endMillis - beginMillis) / 1e3;
        }

        /** One that begins now, and has not ended. */
        static Span begun() throws IOException {
            CoreTimes cores = CoreTimes.now();
            long millis = System.currentTimeMillis();
            return new Span(millis, cores, millis, cores);
        }

        Span ended() throws IOException {
            return new Span(beginMillis, coresBegin, System.currentTimeMillis(), CoreTimes.now());
        }
    }

    /** How near a task is to its bytes. */
    enum Place {
        NODE,
        RACK,
        ELSEWHERE
    }

    /** @param racks by hosts */
    Place place(Map<String, String> racks) {
        if (hosts.isEmpty() || hosts.contains(node)) {
            return Place.NODE;
        }
        String rack = racks.get(node);
        return hosts.stream()
                        .anyMatch(host ->
                                racks.get(host) != null && racks.get(host).equals(rack))
                ? Place.RACK
                : Place.ELSEWHERE;
    }

    /** Whether it holds a place of its node at that time. */
    boolean isPlacedAt(long millis) {
        return grantedMillis <= millis && millis < span.endMillis();
    }

    /** As {@link #parse} reads it. */
    @Override
    public String toString() {
        return String.join(
                " ",
                Integer.toString(number),
                node,
                hosts.isEmpty() ? NO_HOST : String.join(",", hosts),
                Long.toString(grantedMillis),
                Long.toString(bytes),
                Long.toString(carried.received()),
                Long.toString(carried.sent()),
                Long.toString(span.beginMillis),
                Long.toString(span.coresBegin.busy()),
                Long.toString(span.coresBegin.all()),
                Long.toString(span.endMillis),
                Long.toString(span.coresEnd.busy()),
                Long.toString(span.coresEnd.all()));
    }

    static AffinityTask parse(String text) {
        String[] words = text.strip().split(" ", -1);
        return new AffinityTask(
                Integer.parseInt(words[0]),
                words[1],
                words[2].equals(NO_HOST) ? List.of() : List.of(words[2].split(",", -1)),
                Long.parseLong(words[3]),
                Long.parseLong(words[4]),
                new LinkBytes(Long.parseLong(words[5]), Long.parseLong(words[6])),
                new Span(Long.parseLong(words[7]), cores(words, 8), Long.parseLong(words[10]), cores(words, 11)));
    }

    private static CoreTimes cores(String[] words, int first) {
        return new CoreTimes(Long.parseLong(words[first]), Long.parseLong(words[first + 1]));
    }
}
