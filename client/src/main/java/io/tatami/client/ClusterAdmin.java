package io.tatami.client;

import com.google.protobuf.ByteString;
import com.google.protobuf.Message;
import io.tatami.base.BlockId;
import io.tatami.base.DirectoryId;
import io.tatami.base.FileId;
import io.tatami.base.GroupId;
import io.tatami.base.ServerId;
import io.tatami.base.SideBySide;
import io.tatami.base.TatamiException;
import io.tatami.client.block.BlockClient;
import io.tatami.client.block.BlockTarget;
import io.tatami.client.entry.EntryReader;
import io.tatami.client.meta.Deadline;
import io.tatami.client.meta.MetadataCaller;
import io.tatami.client.model.ClusterStatus;
import io.tatami.client.model.ClusterStatus.GroupState;
import io.tatami.client.model.FsckReport;
import io.tatami.client.model.GroupTraffic;
import io.tatami.client.model.ReadStatisticsReport;
import io.tatami.client.model.ReplicationProgress;
import io.tatami.client.model.TatamiPath;
import io.tatami.protocol.BlockMethods;
import io.tatami.protocol.MetaMethods;
import io.tatami.protocol.Method;
import io.tatami.protocol.wire.AnnouncedPlan;
import io.tatami.protocol.wire.BlockServerInfo;
import io.tatami.protocol.wire.BlockServerStatusReply;
import io.tatami.protocol.wire.ChangeBlockServerRequest;
import io.tatami.protocol.wire.ChangeMetadataServerRequest;
import io.tatami.protocol.wire.ChangeVolumeRequest;
import io.tatami.protocol.wire.ClusterMap;
import io.tatami.protocol.wire.CopiesStatusReply;
import io.tatami.protocol.wire.CopiesStatusRequest;
import io.tatami.protocol.wire.DiagnosticsReply;
import io.tatami.protocol.wire.DiagnosticsRequest;
import io.tatami.protocol.wire.FsckReply;
import io.tatami.protocol.wire.FsckRequest;
import io.tatami.protocol.wire.GroupStatusReply;
import io.tatami.protocol.wire.GroupStatusRequest;
import io.tatami.protocol.wire.GroupTrafficReply;
import io.tatami.protocol.wire.GroupTrafficRequest;
import io.tatami.protocol.wire.InviteAdministratorReply;
import io.tatami.protocol.wire.InviteAdministratorRequest;
import io.tatami.protocol.wire.ListMetadataServersReply;
import io.tatami.protocol.wire.ListMetadataServersRequest;
import io.tatami.protocol.wire.MetadataServerInfo;
import io.tatami.protocol.wire.ReadStatisticsReply;
import io.tatami.protocol.wire.ReadStatisticsRequest;
import io.tatami.protocol.wire.ReplicateGroupsReply;
import io.tatami.protocol.wire.ReplicateGroupsRequest;
import io.tatami.protocol.wire.SafeModeRequest;
import io.tatami.protocol.wire.ScrubRequest;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;

/** The commands of a cluster's operator. Waits and fails as {@link TatamiClient} does. Safe for use by many threads. */
public final class ClusterAdmin {
    /** How long groups may take to tell their states. */
    private static final Duration GROUP_TIMEOUT = Duration.ofSeconds(10);

    /** When calls that do not end by their own deadline are given up. */
    private static final Duration WAIT_MAX = GROUP_TIMEOUT.plusSeconds(5);

    private final MetadataCaller caller;
    private final EntryReader entries;
    private final BlockClient blocks;

    ClusterAdmin(MetadataCaller caller, EntryReader entries, BlockClient blocks) {
        this.caller = caller;
        this.entries = entries;
        this.blocks = blocks;
    }

    /**
     * The state of all groups and servers. A group that does not answer is reported as such and does not fail the call.
     */
    public ClusterStatus status() throws TatamiException {
        ClusterMap map = map();
        List<GroupState> states = new ArrayList<>();
        for (SideBySide.Answer<GroupId, GroupStatusReply> answer :
                askAll(MetaMethods.GROUP_STATUS, GroupStatusRequest.getDefaultInstance())) {
            states.add(state(answer));
        }
        return new ClusterStatus(map, states);
    }

    /**
     * What each group's leader has counted of its clients' requests since it leads, the namespace group first, then the
     * shards in order. A group that does not answer in ten seconds is reported as such and does not fail the call. For
     * the superuser only.
     */
    public List<GroupTraffic> traffic() throws TatamiException {
        List<GroupTraffic> traffic = new ArrayList<>();
        for (SideBySide.Answer<GroupId, GroupTrafficReply> answer :
                askAll(MetaMethods.GROUP_TRAFFIC, GroupTrafficRequest.getDefaultInstance())) {
            String leader = caller.router().leader(answer.target());
            traffic.add(new GroupTraffic(answer.target(), leader, answer.value(), answer.failure()));
        }
        return traffic;
    }

    /**
     * Performs {@code action} and returns whether the cluster is in safe mode afterwards. Without a session, which
     * cannot be opened in safe mode.
     */
    public boolean safeMode(SafeModeRequest.Action action) throws TatamiException {
        SafeModeRequest request = SafeModeRequest.newBuilder().setAction(action).build();
        return caller.callWithoutSession(GroupId.NAMESPACE, MetaMethods.SAFE_MODE, request, caller.deadline())
                .getOn();
    }

    /**
     * Sets how many servers hold each metadata group. The cluster then brings this about by itself, one group after the
     * other. For the superuser only.
     *
     * @param replicas odd, and no fewer than now; 0 only asks for the progress
     * @throws TatamiException INVALID_ARGUMENT if there are too few metadata servers, a shard has no server, or the
     *     number is wrong
     */
    public ReplicationProgress replicateMetadata(int replicas) throws TatamiException {
        ReplicateGroupsRequest request =
                ReplicateGroupsRequest.newBuilder().setReplicas(replicas).build();
        ReplicateGroupsReply reply =
                caller.call(GroupId.NAMESPACE, MetaMethods.REPLICATE_GROUPS, request, caller.deadline());
        return new ReplicationProgress(
                reply.getReplicas(), reply.getGroupsDone(), reply.getGroupsTotal(), reply.getState());
    }

    /**
     * The metadata servers, the replicas they hold, and the replicas that move between them, as the namespace leader
     * knows them.
     */
    public ListMetadataServersReply metadataServers() throws TatamiException {
        return metadataServers(false);
    }

    /**
     * The same.
     *
     * @param withBlockServers whether it also tells when block servers were heard last
     */
    public ListMetadataServersReply metadataServers(boolean withBlockServers) throws TatamiException {
        return caller.callWithoutSession(
                GroupId.NAMESPACE,
                MetaMethods.LIST_METADATA_SERVERS,
                ListMetadataServersRequest.newBuilder()
                        .setWithBlockServers(withBlockServers)
                        .build(),
                caller.deadline());
    }

    /**
     * An invitation to administer by the console of the namespace leader's process, as this user. For the superuser
     * only.
     *
     * @throws TatamiException UNSUPPORTED where that process has no HTTP port
     */
    public InviteAdministratorReply inviteAdministrator() throws TatamiException {
        return caller.callWithoutSession(
                GroupId.NAMESPACE,
                MetaMethods.INVITE_ADMINISTRATOR,
                InviteAdministratorRequest.getDefaultInstance(),
                caller.deadline());
    }

    /**
     * Gives a metadata server its share of the replicas, or takes it out of the cluster. Replicas move in the
     * background; {@link #metadataServers} reports the progress. For the superuser only. May be repeated.
     *
     * @throws TatamiException NOT_FOUND for an unknown id; INVALID_ARGUMENT if too few servers would remain, or nothing
     *     is to be cancelled; UNSUPPORTED if groups are not replicated
     */
    public MetadataServerInfo changeMetadataServer(ByteString server, ChangeMetadataServerRequest.Action action)
            throws TatamiException {
        ChangeMetadataServerRequest request = ChangeMetadataServerRequest.newBuilder()
                .setServerId(server)
                .setAction(action)
                .build();
        return caller.callWithoutSession(
                        GroupId.NAMESPACE, MetaMethods.CHANGE_METADATA_SERVER, request, caller.deadline())
                .getServer();
    }

    /**
     * The addresses of metadata servers, as far as they are known without asking: those that hold groups by the newest
     * map, and those that this client was given. One server may be among them by two names.
     */
    public Collection<InetSocketAddress> metadataAddresses() {
        return caller.router().servers();
    }

    /**
     * What a metadata server tells of its process, or of the process of a block server that it asks. For the superuser
     * only. Served also while no group leads.
     *
     * @param server which is asked
     * @throws TatamiException as {@link MetaMethods#DIAGNOSTICS}
     */
    public DiagnosticsReply diagnostics(InetSocketAddress server, DiagnosticsRequest request, Duration timeout)
            throws TatamiException {
        return caller.callServer(
                server, MetaMethods.DIAGNOSTICS, request, caller.deadline().atMost(timeout));
    }

    /** The cluster's map as the namespace group has it now. */
    public ClusterMap map() throws TatamiException {
        caller.router().refresh(caller.deadline());
        return caller.router().map();
    }

    /**
     * Changes what a block server is to do. For the superuser only. May be repeated.
     *
     * @return the map with the server as it is now
     * @throws TatamiException NOT_FOUND for an unknown id; INVALID_ARGUMENT; IN_USE if a server that is alive is to be
     *     given up
     */
    public ClusterMap changeBlockServer(ChangeBlockServerRequest request) throws TatamiException {
        return caller.callWithoutSession(GroupId.NAMESPACE, MetaMethods.CHANGE_BLOCK_SERVER, request, caller.deadline())
                .getMap();
    }

    /**
     * Adds, drains or removes a volume of a block server that runs. For the superuser only. May be repeated.
     *
     * @return the server's status after that
     * @throws TatamiException as {@link BlockMethods#CHANGE_VOLUME}
     */
    public BlockServerStatusReply changeVolume(ChangeVolumeRequest request) throws TatamiException {
        return caller.callWithoutSession(GroupId.NAMESPACE, MetaMethods.CHANGE_VOLUME, request, caller.deadline())
                .getStatus();
    }

    /**
     * What each shard has on a block server, and what keeps its blocks there, in the order of the shards. For the
     * superuser only.
     */
    public List<CopiesStatusReply> copiesOn(ServerId server) throws TatamiException {
        List<GroupId> shards = new ArrayList<>();
        for (int shard = 0; shard < caller.shards(); shard++) {
            shards.add(GroupId.ofShard(shard));
        }
        CopiesStatusRequest request =
                CopiesStatusRequest.newBuilder().setServerId(server.value()).build();
        return caller.callAll(shards, MetaMethods.COPIES_STATUS, request, caller.deadline());
    }

    /** Checks every entry and block record at and below a path, and keeps what it finds. For the superuser only. */
    public FsckReport fsck(TatamiPath path) throws TatamiException {
        FsckReport.Collected found = new FsckReport.Collected();
        FsckReport report = fsck(path, FsckRequest.getDefaultInstance(), found);
        return new FsckReport(report.directories(), report.counts(), report.problems(), found.problems());
    }

    /**
     * The same, and lists files.
     *
     * @param listing which: what its fields {@code list}, {@code list_all} and {@code list_open} say
     * @param listener is told of all that is found
     */
    public FsckReport fsck(TatamiPath path, FsckRequest listing, FsckReport.Listener listener) throws TatamiException {
        return new FileSystemCheck(caller, entries, listing, listener).run(path);
    }

    /**
     * The file of a block, with that block, checked. For the superuser only.
     *
     * @throws TatamiException NOT_FOUND if no file has the block
     */
    public FsckReply checkBlock(BlockId block) throws TatamiException {
        FsckRequest request = FsckRequest.newBuilder()
                .setBlockId(block.value())
                .setListAll(true)
                .setLimit(FileSystemCheck.PAGE_RECORDS)
                .build();
        return caller.call(block.home(), MetaMethods.FSCK, request, caller.deadline());
    }

    /**
     * The paths of files, from their homes and the namespace group: two calls for each file. For the superuser only.
     *
     * @param timeout for all of them
     * @return without files that are gone, have no block, or whose groups do not answer in time
     */
    public Map<FileId, TatamiPath> paths(Collection<FileId> files, Duration timeout) throws TatamiException {
        return new FilePaths(caller, timeout).of(files);
    }

    /**
     * The paths of directories, from the namespace group: a call for each. For the superuser only.
     *
     * @param timeout for all of them
     * @return without directories that are gone, and without those for which the group does not answer in time
     */
    public Map<DirectoryId, TatamiPath> directoryPaths(Collection<DirectoryId> directories, Duration timeout)
            throws TatamiException {
        return new DirectoryPaths(caller, timeout).of(directories);
    }

    /** How well the copies of a shard's blocks are, and what waits to be made. For the superuser only. */
    public CopiesStatusReply copiesStatus(GroupId shard, Duration timeout) throws TatamiException {
        return caller.callWithoutSession(
                shard,
                MetaMethods.COPIES_STATUS,
                CopiesStatusRequest.getDefaultInstance(),
                caller.deadline().atMost(timeout));
    }

    /**
     * The state of a block server, its volumes and its cache tier, as the server reports it.
     *
     * @param timeoutMillis how long to wait for the answer
     */
    public BlockServerStatusReply blockServerStatus(BlockServerInfo server, long timeoutMillis) throws TatamiException {
        return blocks.status(BlockTarget.of(server), timeoutMillis);
    }

    /**
     * What was read of each block server in the last day: by everybody where this user is the superuser, else by this
     * user.
     *
     * @param filter without server and page
     */
    public ReadStatisticsReport readStatistics(ReadStatisticsRequest filter, Duration timeout) throws TatamiException {
        caller.router().refresh(caller.deadline());
        return new ReadStatisticsPages(caller, blocks, filter, timeout).ofAll();
    }

    /**
     * Whose the newest access plans on some block servers are, and what they are about; for the superuser. Servers that
     * do not answer in time are left out, as are those of releases that do not tell.
     */
    public List<AnnouncedPlan> announcedPlans(Collection<BlockServerInfo> servers, Duration timeout)
            throws TatamiException {
        Deadline deadline = caller.deadline().atMost(timeout);
        List<AnnouncedPlan> plans = new ArrayList<>();
        for (SideBySide.Answer<BlockServerInfo, ReadStatisticsReply> answer :
                SideBySide.ask(servers, timeout, server -> announcedPlans(server, deadline))) {
            ReadStatisticsReply reply = answer.value();
            if (reply != null) {
                plans.addAll(reply.getPlanList());
            }
        }
        return plans;
    }

    private ReadStatisticsReply announcedPlans(BlockServerInfo server, Deadline deadline) throws TatamiException {
        ReadStatisticsRequest request = ReadStatisticsRequest.newBuilder()
                .setServerId(server.getServerId())
                .setOnlyPlans(true)
                .build();
        return caller.callWithoutSession(GroupId.NAMESPACE, MetaMethods.READ_STATISTICS, request, deadline);
    }

    /** Begins or ends scrubs of a block server's volumes. Scrubs run in the background. */
    public BlockServerStatusReply scrub(BlockServerInfo server, ScrubRequest.Action action) throws TatamiException {
        return blocks.scrub(BlockTarget.of(server), action);
    }

    /**
     * Asks all groups at once. Without a session: shards answer also where the namespace group, which opens them, does
     * not.
     */
    private <Q extends Message, R extends Message> List<SideBySide.Answer<GroupId, R>> askAll(
            Method<Q, R> method, Q request) throws TatamiException {
        List<GroupId> groups = new ArrayList<>(List.of(GroupId.NAMESPACE));
        for (int shard = 0; shard < caller.shards(); shard++) {
            groups.add(GroupId.ofShard(shard));
        }
        Deadline deadline = caller.deadline().atMost(GROUP_TIMEOUT);
        return SideBySide.ask(groups, WAIT_MAX, group -> caller.callWithoutSession(group, method, request, deadline));
    }

    private GroupState state(SideBySide.Answer<GroupId, GroupStatusReply> answer) {
        TatamiException failure = answer.failure();
        return new GroupState(
                answer.target(),
                caller.router().leader(answer.target()),
                answer.value(),
                failure == null ? "" : String.valueOf(failure.getMessage()));
    }
}
