package io.tatami.meta.service.cluster;

import io.tatami.base.GroupId;
import io.tatami.files.CrashPoint;
import io.tatami.meta.op.cluster.NoteMembers;
import io.tatami.meta.op.cluster.ReadMembers;
import io.tatami.meta.service.BackgroundTask;
import io.tatami.meta.service.Group;
import io.tatami.meta.service.GroupPeers;
import io.tatami.meta.service.RequestOrigin;
import io.tatami.meta.state.ClusterState;
import io.tatami.meta.state.wire.MembersRecord;
import io.tatami.protocol.MetaMethods;
import io.tatami.protocol.wire.Empty;
import io.tatami.protocol.wire.SetGroupMembersRequest;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Has the leader of each replicated group make those its members that the cluster has given the group to, and notes it.
 * One whose members are these already answers at once.
 */
final class GroupMembers implements BackgroundTask {
    private static final Duration REST = Duration.ofSeconds(1);

    /** A new member has to catch up. */
    private static final long TIMEOUT_MILLIS = 60_000;

    private static final Logger LOG = LoggerFactory.getLogger(GroupMembers.class);

    private final Group<ClusterState> group;
    private final GroupPeers peers;
    private final ReadMembers readMembers;
    private final NoteMembers noteMembers = new NoteMembers();

    /** @param replicas how many servers were to hold each group when the cluster was founded */
    GroupMembers(Group<ClusterState> group, GroupPeers peers, int replicas) {
        this.group = group;
        this.peers = peers;
        this.readMembers = new ReadMembers(replicas);
    }

    @Override
    public CompletableFuture<Duration> run() {
        return group.read(readMembers, RequestOrigin.SERVICE, Empty.getDefaultInstance())
                .thenCompose(all -> CompletableFuture.allOf(
                        all.getGroupList().stream().map(this::set).toArray(CompletableFuture<?>[]::new)))
                .thenApply(all -> REST);
    }

    private CompletableFuture<Void> set(MembersRecord.OfGroup members) {
        GroupId to = new GroupId(members.getGroup());
        SetGroupMembersRequest request = SetGroupMembersRequest.newBuilder()
                .addAllMember(members.getMemberList().stream()
                        .map(ClusterWatch::replica)
                        .toList())
                .setEpoch(members.getEpoch())
                .build();
        return peers.call(to, MetaMethods.SET_GROUP_MEMBERS, request, TIMEOUT_MILLIS)
                .thenCompose(set -> {
                    CrashPoint.hit("meta.move.members-set");
                    return group.submit(noteMembers, RequestOrigin.SERVICE, members);
                })
                .handle((noted, failure) -> {
                    if (failure != null) {
                        LOG.info("the members of {} are not changed yet: {}", to, String.valueOf(failure));
                    }
                    return null;
                });
    }
}
