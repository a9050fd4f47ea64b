package io.tatami.benchmarks.workload.affinity;

import java.util.Locale;

/**
 * A figure of one job, which has a task on each node.
 *
 * @param link what a node's link carries each way, to what its disk does
 * @param uplink how many times as much the links of a rack carry as its uplink; 0 where the uplink carries all
 * @param isLocated whether the job tells the scheduler where the bytes are; not of writers
 */
record AffinityCell(String peer, AffinityKind kind, int nodes, double link, int uplink, int copies, boolean isLocated) {
    static final String HDFS = "hdfs";

    boolean isHdfs() {
        return peer.equals(HDFS);
    }

    AffinityCell located(boolean is) {
        return new AffinityCell(peer, kind, nodes, link, uplink, copies, is);
    }

    AffinityCell as(AffinityKind other) {
        return new AffinityCell(peer, other, nodes, link, uplink, copies, isLocated);
    }

    AffinityCell of(String other) {
        return new AffinityCell(other, kind, nodes, link, uplink, copies, isLocated);
    }

    AffinityCell on(int count) {
        return new AffinityCell(peer, kind, count, link, uplink, copies, isLocated);
    }

    /** How the bytes of a file reach its copies' disks. */
    int copiesEach() {
        return kind == AffinityKind.READ ? 1 : copies;
    }

    /** All but the peer, the kind, the nodes and whether it is located. */
    String setting() {
        String uplinks = uplink == 0 ? "" : ", uplinks shared by " + uplink;
        return String.format(Locale.ROOT, "links of %.1f disks%s, %d copies", link, uplinks, copies);
    }

    /** For people, and for {@code Rounds}. */
    @Override
    public String toString() {
        String located = kind != AffinityKind.READ ? "" : isLocated ? " with locations" : " without locations";
        return peer + " " + kind + located + ", " + nodes + " nodes, " + setting();
    }
}
