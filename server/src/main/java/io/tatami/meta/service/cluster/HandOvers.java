package io.tatami.meta.service.cluster;

import com.google.protobuf.ByteString;
import io.tatami.protocol.wire.ClusterMap;
import io.tatami.protocol.wire.GroupLocation;
import io.tatami.protocol.wire.GroupReplica;
import io.tatami.protocol.wire.HandOver;
import io.tatami.protocol.wire.HeldReplica;
import io.tatami.protocol.wire.ReportMetadataServerRequest;
import java.util.ArrayList;
import java.util.List;

/**
 * Which groups a server that leads them is to hand over: those that another is preferred to lead, and all that others
 * can lead where its own disk has little room. Only to servers that could lead at once, so that clients hardly notice.
 */
final class HandOvers {
    /** A report is up to a second old; what comes in a second is applied in much less. */
    private static final long ENTRIES_BEHIND_MAX = 1_000;

    private final ServerReports reports;

    HandOvers(ServerReports reports) {
        this.reports = reports;
    }

    /**
     * To be answered to a report.
     *
     * @param preferred who is to lead which of its groups by the cluster's records
     */
    List<HandOver> of(ClusterMap map, ReportMetadataServerRequest leader, List<HandOver> preferred) {
        return leader.getLowSpace()
                ? away(map, leader)
                : preferred.stream().filter(to -> canLead(to, leader)).toList();
    }

    /** To one of those that can, and from group to group to another. */
    private List<HandOver> away(ClusterMap map, ReportMetadataServerRequest leader) {
        List<HandOver> away = new ArrayList<>();
        for (GroupLocation group : map.getGroupList()) {
            if (leader.getLedGroupList().contains(group.getGroup())) {
                List<HandOver> able = group.getReplicaList().stream()
                        .filter(GroupReplica::getMember)
                        .map(replica -> to(replica.getServerId(), group.getGroup()))
                        .filter(to -> canLead(to, leader))
                        .toList();
                if (!able.isEmpty()) {
                    away.add(able.get(Math.floorMod(group.getGroup(), able.size())));
                }
            }
        }
        return away;
    }

    private static HandOver to(ByteString server, int group) {
        return HandOver.newBuilder().setServerId(server).setGroup(group).build();
    }

    /** Whether a server could lead a group at once: it is steady, has room, and has applied what the leader has. */
    private boolean canLead(HandOver to, ReportMetadataServerRequest leader) {
        HeldReplica there = reports.held(to.getServerId(), to.getGroup());
        long behind = reports.held(leader.getServerId(), to.getGroup()).getAppliedIndex() - there.getAppliedIndex();
        return !to.getServerId().equals(leader.getServerId())
                && reports.isSteady(to.getServerId())
                && !reports.isLowOnSpace(to.getServerId())
                && there.getAppliedIndex() > 0
                && behind < ENTRIES_BEHIND_MAX;
    }
}
