package io.tatami.protocol;

import static io.tatami.protocol.Audience.SERVERS;
import static io.tatami.protocol.Audience.SUPERUSER;
import static io.tatami.protocol.Audience.USERS;
import static io.tatami.protocol.Effect.FREES;
import static io.tatami.protocol.Effect.READS;
import static io.tatami.protocol.Effect.UPKEEP;
import static io.tatami.protocol.Effect.WRITES;

import io.tatami.protocol.wire.AddBlocksReply;
import io.tatami.protocol.wire.AddBlocksRequest;
import io.tatami.protocol.wire.AnnounceReply;
import io.tatami.protocol.wire.AnnounceRequest;
import io.tatami.protocol.wire.AppendReply;
import io.tatami.protocol.wire.AppendRequest;
import io.tatami.protocol.wire.BulkDeleteReply;
import io.tatami.protocol.wire.BulkDeleteRequest;
import io.tatami.protocol.wire.ChangeBlockServerReply;
import io.tatami.protocol.wire.ChangeBlockServerRequest;
import io.tatami.protocol.wire.ChangeMetadataServerReply;
import io.tatami.protocol.wire.ChangeMetadataServerRequest;
import io.tatami.protocol.wire.ChangeVolumeReply;
import io.tatami.protocol.wire.ChangeVolumeRequest;
import io.tatami.protocol.wire.CheckDirectoryReply;
import io.tatami.protocol.wire.CheckDirectoryRequest;
import io.tatami.protocol.wire.CheckReachReply;
import io.tatami.protocol.wire.CheckReachRequest;
import io.tatami.protocol.wire.CheckReadReply;
import io.tatami.protocol.wire.CheckReadRequest;
import io.tatami.protocol.wire.CloseSessionRequest;
import io.tatami.protocol.wire.CommitLengthRequest;
import io.tatami.protocol.wire.CompleteReply;
import io.tatami.protocol.wire.CompleteRequest;
import io.tatami.protocol.wire.ConcatRequest;
import io.tatami.protocol.wire.ContentSummaryReply;
import io.tatami.protocol.wire.ContentSummaryRequest;
import io.tatami.protocol.wire.CopiesMadeRequest;
import io.tatami.protocol.wire.CopiesStatusReply;
import io.tatami.protocol.wire.CopiesStatusRequest;
import io.tatami.protocol.wire.CreateReply;
import io.tatami.protocol.wire.CreateRequest;
import io.tatami.protocol.wire.CreateSymlinkRequest;
import io.tatami.protocol.wire.CutFileRequest;
import io.tatami.protocol.wire.DamagedCopiesRequest;
import io.tatami.protocol.wire.DeleteDirectoryReply;
import io.tatami.protocol.wire.DeleteDirectoryRequest;
import io.tatami.protocol.wire.DeleteFileRequest;
import io.tatami.protocol.wire.DiagnosticsReply;
import io.tatami.protocol.wire.DiagnosticsRequest;
import io.tatami.protocol.wire.DirectorySlice;
import io.tatami.protocol.wire.Empty;
import io.tatami.protocol.wire.FinishMoveRequest;
import io.tatami.protocol.wire.FsckReply;
import io.tatami.protocol.wire.FsckRequest;
import io.tatami.protocol.wire.GetBlocksReply;
import io.tatami.protocol.wire.GetBlocksRequest;
import io.tatami.protocol.wire.GetClusterMapReply;
import io.tatami.protocol.wire.GetClusterMapRequest;
import io.tatami.protocol.wire.GetDirectoriesReply;
import io.tatami.protocol.wire.GetDirectoriesRequest;
import io.tatami.protocol.wire.GetDirectoryReply;
import io.tatami.protocol.wire.GetDirectoryRequest;
import io.tatami.protocol.wire.GiveCreditsReply;
import io.tatami.protocol.wire.GiveCreditsRequest;
import io.tatami.protocol.wire.GiveEntriesReply;
import io.tatami.protocol.wire.GiveEntriesRequest;
import io.tatami.protocol.wire.GroupStatusReply;
import io.tatami.protocol.wire.GroupStatusRequest;
import io.tatami.protocol.wire.GroupTrafficReply;
import io.tatami.protocol.wire.GroupTrafficRequest;
import io.tatami.protocol.wire.HeartbeatReply;
import io.tatami.protocol.wire.HeartbeatRequest;
import io.tatami.protocol.wire.InviteAdministratorReply;
import io.tatami.protocol.wire.InviteAdministratorRequest;
import io.tatami.protocol.wire.ListMetadataServersReply;
import io.tatami.protocol.wire.ListMetadataServersRequest;
import io.tatami.protocol.wire.ListReply;
import io.tatami.protocol.wire.ListRequest;
import io.tatami.protocol.wire.LocateDirectoryReply;
import io.tatami.protocol.wire.LocateDirectoryRequest;
import io.tatami.protocol.wire.LookupReply;
import io.tatami.protocol.wire.LookupRequest;
import io.tatami.protocol.wire.MkdirsReply;
import io.tatami.protocol.wire.MkdirsRequest;
import io.tatami.protocol.wire.MoveStatusReply;
import io.tatami.protocol.wire.MoveStatusRequest;
import io.tatami.protocol.wire.OpenSessionReply;
import io.tatami.protocol.wire.OpenSessionRequest;
import io.tatami.protocol.wire.OutboxDelivery;
import io.tatami.protocol.wire.PrepareMoveReply;
import io.tatami.protocol.wire.PrepareMoveRequest;
import io.tatami.protocol.wire.ReadSharesReply;
import io.tatami.protocol.wire.ReadSharesRequest;
import io.tatami.protocol.wire.ReadStatisticsReply;
import io.tatami.protocol.wire.ReadStatisticsRequest;
import io.tatami.protocol.wire.ReclaimDirectoriesRequest;
import io.tatami.protocol.wire.RecoverFileRequest;
import io.tatami.protocol.wire.RecoverLeaseReply;
import io.tatami.protocol.wire.RecoverLeaseRequest;
import io.tatami.protocol.wire.RegisterBlockServerReply;
import io.tatami.protocol.wire.RegisterBlockServerRequest;
import io.tatami.protocol.wire.RegisterMetadataServerReply;
import io.tatami.protocol.wire.RegisterMetadataServerRequest;
import io.tatami.protocol.wire.RenameDirectoryRequest;
import io.tatami.protocol.wire.RenameFileRequest;
import io.tatami.protocol.wire.RenewBlockReply;
import io.tatami.protocol.wire.RenewBlockRequest;
import io.tatami.protocol.wire.RenewLeasesReply;
import io.tatami.protocol.wire.RenewLeasesRequest;
import io.tatami.protocol.wire.ReopenFileRequest;
import io.tatami.protocol.wire.ReplicateGroupsReply;
import io.tatami.protocol.wire.ReplicateGroupsRequest;
import io.tatami.protocol.wire.ReportMetadataServerReply;
import io.tatami.protocol.wire.ReportMetadataServerRequest;
import io.tatami.protocol.wire.ReserveMarkerReply;
import io.tatami.protocol.wire.ReserveMarkerRequest;
import io.tatami.protocol.wire.ResolveReply;
import io.tatami.protocol.wire.ResolveRequest;
import io.tatami.protocol.wire.SafeModeReply;
import io.tatami.protocol.wire.SafeModeRequest;
import io.tatami.protocol.wire.SealBlockReply;
import io.tatami.protocol.wire.SealBlockRequest;
import io.tatami.protocol.wire.SetDirectoryAttributesRequest;
import io.tatami.protocol.wire.SetFileAttributesRequest;
import io.tatami.protocol.wire.SetGroupMembersRequest;
import io.tatami.protocol.wire.SettleMarkerRequest;
import io.tatami.protocol.wire.SettleMovesRequest;
import io.tatami.protocol.wire.SumSharesRequest;
import io.tatami.protocol.wire.TakeClusterMapRequest;
import io.tatami.protocol.wire.TakeEntriesReply;
import io.tatami.protocol.wire.TakeEntriesRequest;
import io.tatami.protocol.wire.TruncateReply;
import io.tatami.protocol.wire.TruncateRequest;
import io.tatami.protocol.wire.WidenDirectoryReply;
import io.tatami.protocol.wire.WidenDirectoryRequest;

/**
 * The methods of the metadata service, which clients, block servers and other groups call. Numbers 1 to 199 are its own
 * and never reused. The first word of a name tells who serves it: the {@code namespace} group (also {@code cluster}), a
 * {@code shard}, or any {@code group}. What a request means is said with its message in {@code meta.proto}; who may
 * call a method and what it does is declared here alone, and {@code docs/protocol.md} lists it.
 */
public final class MetaMethods {
    /** Any metadata server answers; concerns no group. */
    public static final Method<GetClusterMapRequest, GetClusterMapReply> GET_CLUSTER_MAP = Method.idempotent(
            1, "cluster.map", USERS, READS, GetClusterMapRequest.parser(), GetClusterMapReply.parser());

    public static final Method<RegisterMetadataServerRequest, RegisterMetadataServerReply> REGISTER_METADATA_SERVER =
            Method.idempotent(
                    2,
                    "cluster.register-metadata",
                    SUPERUSER,
                    UPKEEP,
                    RegisterMetadataServerRequest.parser(),
                    RegisterMetadataServerReply.parser());

    public static final Method<RegisterBlockServerRequest, RegisterBlockServerReply> REGISTER_BLOCK_SERVER =
            Method.idempotent(
                    3,
                    "cluster.register-block-server",
                    SUPERUSER,
                    UPKEEP,
                    RegisterBlockServerRequest.parser(),
                    RegisterBlockServerReply.parser());

    public static final Method<HeartbeatRequest, HeartbeatReply> HEARTBEAT = Method.idempotent(
            4, "cluster.heartbeat", SUPERUSER, UPKEEP, HeartbeatRequest.parser(), HeartbeatReply.parser());

    /** A repeated one only wastes a session id. */
    public static final Method<OpenSessionRequest, OpenSessionReply> OPEN_SESSION = Method.idempotent(
            5, "namespace.open-session", USERS, WRITES, OpenSessionRequest.parser(), OpenSessionReply.parser());

    public static final Method<CloseSessionRequest, Empty> CLOSE_SESSION = Method.idempotent(
            6, "namespace.close-session", USERS, UPKEEP, CloseSessionRequest.parser(), Empty.parser());

    public static final Method<SafeModeRequest, SafeModeReply> SAFE_MODE = Method.idempotent(
            7, "namespace.safe-mode", USERS, UPKEEP, SafeModeRequest.parser(), SafeModeReply.parser());

    /** Any group. */
    public static final Method<GroupStatusRequest, GroupStatusReply> GROUP_STATUS =
            Method.idempotent(8, "group.status", USERS, READS, GroupStatusRequest.parser(), GroupStatusReply.parser());

    /** Any group. Fails with UNSUPPORTED where the leader's process has no HTTP port. */
    public static final Method<GroupTrafficRequest, GroupTrafficReply> GROUP_TRAFFIC = Method.idempotent(
            99, "group.traffic", SUPERUSER, READS, GroupTrafficRequest.parser(), GroupTrafficReply.parser());

    /** From the namespace group to any metadata server; concerns no group. */
    public static final Method<TakeClusterMapRequest, Empty> TAKE_CLUSTER_MAP =
            Method.idempotent(9, "cluster.take-map", SERVERS, UPKEEP, TakeClusterMapRequest.parser(), Empty.parser());

    /**
     * Any metadata server, about its process or, with its id, a block server; concerns no group. Fails with NOT_FOUND
     * (there is no such log), UNSUPPORTED, BUSY, and where a block server does not answer with UNAVAILABLE.
     */
    public static final Method<DiagnosticsRequest, DiagnosticsReply> DIAGNOSTICS = Method.idempotent(
            98, "server.diagnostics", SUPERUSER, READS, DiagnosticsRequest.parser(), DiagnosticsReply.parser());

    /** From a metadata server to the namespace group's leader. */
    public static final Method<ReportMetadataServerRequest, ReportMetadataServerReply> REPORT_METADATA_SERVER =
            Method.idempotent(
                    80,
                    "cluster.report-metadata",
                    SUPERUSER,
                    UPKEEP,
                    ReportMetadataServerRequest.parser(),
                    ReportMetadataServerReply.parser());

    /** From the namespace group's leader to that of a replicated group. */
    public static final Method<SetGroupMembersRequest, Empty> SET_GROUP_MEMBERS = Method.idempotent(
            81, "group.set-members", SERVERS, UPKEEP, SetGroupMembersRequest.parser(), Empty.parser());

    public static final Method<ReplicateGroupsRequest, ReplicateGroupsReply> REPLICATE_GROUPS = Method.idempotent(
            88,
            "cluster.replicate-groups",
            SUPERUSER,
            UPKEEP,
            ReplicateGroupsRequest.parser(),
            ReplicateGroupsReply.parser());

    public static final Method<ListMetadataServersRequest, ListMetadataServersReply> LIST_METADATA_SERVERS =
            Method.idempotent(
                    84,
                    "cluster.list-metadata",
                    USERS,
                    READS,
                    ListMetadataServersRequest.parser(),
                    ListMetadataServersReply.parser());

    public static final Method<ChangeBlockServerRequest, ChangeBlockServerReply> CHANGE_BLOCK_SERVER =
            Method.idempotent(
                    92,
                    "cluster.change-block-server",
                    SUPERUSER,
                    UPKEEP,
                    ChangeBlockServerRequest.parser(),
                    ChangeBlockServerReply.parser());

    /** Passed on to the block server. Fails as {@link BlockMethods#CHANGE_VOLUME}, and with UNAVAILABLE. */
    public static final Method<ChangeVolumeRequest, ChangeVolumeReply> CHANGE_VOLUME = Method.idempotent(
            93, "cluster.change-volume", SUPERUSER, UPKEEP, ChangeVolumeRequest.parser(), ChangeVolumeReply.parser());

    /** Passed on to the block server, which then tells what everybody read. Fails with UNAVAILABLE. */
    public static final Method<ReadStatisticsRequest, ReadStatisticsReply> READ_STATISTICS = Method.idempotent(
            94,
            "cluster.read-statistics",
            SUPERUSER,
            READS,
            ReadStatisticsRequest.parser(),
            ReadStatisticsReply.parser());

    /** Fails with UNSUPPORTED where the leader's process has no HTTP port. */
    public static final Method<InviteAdministratorRequest, InviteAdministratorReply> INVITE_ADMINISTRATOR =
            Method.idempotent(
                    97,
                    "cluster.invite-administrator",
                    SUPERUSER,
                    READS,
                    InviteAdministratorRequest.parser(),
                    InviteAdministratorReply.parser());

    public static final Method<ChangeMetadataServerRequest, ChangeMetadataServerReply> CHANGE_METADATA_SERVER =
            Method.idempotent(
                    85,
                    "cluster.change-metadata",
                    SUPERUSER,
                    UPKEEP,
                    ChangeMetadataServerRequest.parser(),
                    ChangeMetadataServerReply.parser());

    public static final Method<ResolveRequest, ResolveReply> RESOLVE =
            Method.idempotent(10, "namespace.resolve", USERS, READS, ResolveRequest.parser(), ResolveReply.parser());

    public static final Method<MkdirsRequest, MkdirsReply> MKDIRS =
            Method.once(11, "namespace.mkdirs", USERS, WRITES, MkdirsRequest.parser(), MkdirsReply.parser());

    public static final Method<RenameDirectoryRequest, Empty> RENAME_DIRECTORY =
            Method.once(12, "namespace.rename", USERS, WRITES, RenameDirectoryRequest.parser(), Empty.parser());

    public static final Method<DeleteDirectoryRequest, DeleteDirectoryReply> DELETE_DIRECTORY = Method.once(
            13, "namespace.delete", USERS, FREES, DeleteDirectoryRequest.parser(), DeleteDirectoryReply.parser());

    public static final Method<SetDirectoryAttributesRequest, Empty> SET_DIRECTORY_ATTRIBUTES = Method.once(
            14, "namespace.set-attributes", USERS, WRITES, SetDirectoryAttributesRequest.parser(), Empty.parser());

    public static final Method<GetDirectoryRequest, GetDirectoryReply> GET_DIRECTORY = Method.idempotent(
            15, "namespace.get-directory", USERS, READS, GetDirectoryRequest.parser(), GetDirectoryReply.parser());

    public static final Method<GetDirectoriesRequest, GetDirectoriesReply> GET_DIRECTORIES = Method.idempotent(
            16,
            "namespace.get-directories",
            USERS,
            READS,
            GetDirectoriesRequest.parser(),
            GetDirectoriesReply.parser());

    public static final Method<ContentSummaryRequest, ContentSummaryReply> CONTENT_SUMMARY = Method.idempotent(
            17,
            "namespace.content-summary",
            USERS,
            READS,
            ContentSummaryRequest.parser(),
            ContentSummaryReply.parser());

    /** From shards. */
    public static final Method<CheckDirectoryRequest, CheckDirectoryReply> CHECK_DIRECTORY = Method.idempotent(
            18,
            "namespace.check-directory",
            SERVERS,
            READS,
            CheckDirectoryRequest.parser(),
            CheckDirectoryReply.parser());

    /** From shards. */
    public static final Method<CheckReachRequest, CheckReachReply> CHECK_REACH = Method.idempotent(
            19, "namespace.check-reach", SERVERS, READS, CheckReachRequest.parser(), CheckReachReply.parser());

    public static final Method<LocateDirectoryRequest, LocateDirectoryReply> LOCATE_DIRECTORY = Method.idempotent(
            20,
            "namespace.locate-directory",
            SUPERUSER,
            READS,
            LocateDirectoryRequest.parser(),
            LocateDirectoryReply.parser());

    public static final Method<LookupRequest, LookupReply> LOOKUP =
            Method.idempotent(30, "shard.lookup", USERS, READS, LookupRequest.parser(), LookupReply.parser());

    public static final Method<ListRequest, ListReply> LIST =
            Method.idempotent(31, "shard.list", USERS, READS, ListRequest.parser(), ListReply.parser());

    public static final Method<CreateRequest, CreateReply> CREATE =
            Method.once(32, "shard.create", USERS, WRITES, CreateRequest.parser(), CreateReply.parser());

    public static final Method<AddBlocksRequest, AddBlocksReply> ADD_BLOCKS =
            Method.once(33, "shard.add-blocks", USERS, WRITES, AddBlocksRequest.parser(), AddBlocksReply.parser());

    public static final Method<CommitLengthRequest, Empty> COMMIT_LENGTH =
            Method.idempotent(34, "shard.commit-length", USERS, WRITES, CommitLengthRequest.parser(), Empty.parser());

    public static final Method<CompleteRequest, CompleteReply> COMPLETE =
            Method.once(35, "shard.complete", USERS, FREES, CompleteRequest.parser(), CompleteReply.parser());

    public static final Method<AppendRequest, AppendReply> APPEND =
            Method.once(36, "shard.append", USERS, WRITES, AppendRequest.parser(), AppendReply.parser());

    public static final Method<RenewBlockRequest, RenewBlockReply> RENEW_BLOCK =
            Method.once(37, "shard.renew-block", USERS, FREES, RenewBlockRequest.parser(), RenewBlockReply.parser());

    public static final Method<RenewLeasesRequest, RenewLeasesReply> RENEW_LEASES = Method.idempotent(
            38, "shard.renew-leases", USERS, UPKEEP, RenewLeasesRequest.parser(), RenewLeasesReply.parser());

    public static final Method<RecoverLeaseRequest, RecoverLeaseReply> RECOVER_LEASE = Method.idempotent(
            39, "shard.recover-lease", USERS, FREES, RecoverLeaseRequest.parser(), RecoverLeaseReply.parser());

    public static final Method<GetBlocksRequest, GetBlocksReply> GET_BLOCKS =
            Method.idempotent(40, "shard.get-blocks", USERS, READS, GetBlocksRequest.parser(), GetBlocksReply.parser());

    public static final Method<TruncateRequest, TruncateReply> TRUNCATE =
            Method.once(41, "shard.truncate", USERS, FREES, TruncateRequest.parser(), TruncateReply.parser());

    public static final Method<ConcatRequest, Empty> CONCAT =
            Method.once(42, "shard.concat", USERS, WRITES, ConcatRequest.parser(), Empty.parser());

    public static final Method<DeleteFileRequest, Empty> DELETE_FILE =
            Method.once(43, "shard.delete", USERS, FREES, DeleteFileRequest.parser(), Empty.parser());

    public static final Method<BulkDeleteRequest, BulkDeleteReply> BULK_DELETE =
            Method.once(44, "shard.bulk-delete", USERS, FREES, BulkDeleteRequest.parser(), BulkDeleteReply.parser());

    public static final Method<SetFileAttributesRequest, Empty> SET_FILE_ATTRIBUTES =
            Method.once(45, "shard.set-attributes", USERS, WRITES, SetFileAttributesRequest.parser(), Empty.parser());

    public static final Method<CreateSymlinkRequest, Empty> CREATE_SYMLINK =
            Method.once(46, "shard.create-symlink", USERS, WRITES, CreateSymlinkRequest.parser(), Empty.parser());

    public static final Method<RenameFileRequest, Empty> RENAME_FILE =
            Method.once(47, "shard.rename", USERS, WRITES, RenameFileRequest.parser(), Empty.parser());

    /**
     * Fails with LEASE_EXPIRED, FENCED (another block or generation is written), INVALID_ARGUMENT (nothing was
     * acknowledged), UNAVAILABLE (the message names the servers that are waited for), BUSY (it is being sealed).
     */
    public static final Method<SealBlockRequest, SealBlockReply> SEAL_BLOCK =
            Method.once(49, "shard.seal-block", USERS, FREES, SealBlockRequest.parser(), SealBlockReply.parser());

    public static final Method<FsckRequest, FsckReply> FSCK =
            Method.idempotent(48, "shard.fsck", SUPERUSER, READS, FsckRequest.parser(), FsckReply.parser());

    /** From the namespace group. */
    public static final Method<AnnounceRequest, AnnounceReply> ANNOUNCE =
            Method.idempotent(60, "shard.announce", SERVERS, UPKEEP, AnnounceRequest.parser(), AnnounceReply.parser());

    /** From the namespace group. */
    public static final Method<ReserveMarkerRequest, ReserveMarkerReply> RESERVE_MARKER = Method.idempotent(
            61, "shard.reserve-marker", SERVERS, WRITES, ReserveMarkerRequest.parser(), ReserveMarkerReply.parser());

    /** From the namespace group, and from the shard to itself. */
    public static final Method<SettleMarkerRequest, Empty> SETTLE_MARKER =
            Method.idempotent(62, "shard.settle-marker", SERVERS, UPKEEP, SettleMarkerRequest.parser(), Empty.parser());

    public static final Method<ReadSharesRequest, ReadSharesReply> READ_SHARES = Method.idempotent(
            63, "shard.read-shares", USERS, READS, ReadSharesRequest.parser(), ReadSharesReply.parser());

    /** From the namespace group. */
    public static final Method<ReclaimDirectoriesRequest, Empty> RECLAIM_DIRECTORIES = Method.idempotent(
            64, "shard.reclaim-directories", SERVERS, UPKEEP, ReclaimDirectoriesRequest.parser(), Empty.parser());

    /** From the destination of a move to its source. */
    public static final Method<PrepareMoveRequest, PrepareMoveReply> PREPARE_MOVE = Method.idempotent(
            65, "shard.prepare-move", SERVERS, UPKEEP, PrepareMoveRequest.parser(), PrepareMoveReply.parser());

    /** From the destination of a move to its source. */
    public static final Method<FinishMoveRequest, Empty> FINISH_MOVE =
            Method.idempotent(66, "shard.finish-move", SERVERS, UPKEEP, FinishMoveRequest.parser(), Empty.parser());

    /** From the source of a move to its destination. */
    public static final Method<MoveStatusRequest, MoveStatusReply> MOVE_STATUS = Method.idempotent(
            67, "shard.move-status", SERVERS, UPKEEP, MoveStatusRequest.parser(), MoveStatusReply.parser());

    /** From another shard; applied once by its number. */
    public static final Method<OutboxDelivery, Empty> DELIVER =
            Method.idempotent(68, "shard.deliver", SERVERS, UPKEEP, OutboxDelivery.parser(), Empty.parser());

    /** From block servers; done once by its sequence. */
    public static final Method<GiveCreditsRequest, GiveCreditsReply> GIVE_CREDITS = Method.idempotent(
            69, "shard.give-credits", SUPERUSER, UPKEEP, GiveCreditsRequest.parser(), GiveCreditsReply.parser());

    /** From block servers, at once. Fails with MALFORMED where it names more blocks than a request may. */
    public static final Method<DamagedCopiesRequest, Empty> DAMAGED_COPIES = Method.idempotent(
            79, "shard.damaged-copies", SUPERUSER, UPKEEP, DamagedCopiesRequest.parser(), Empty.parser());

    /**
     * From block servers: copies that they were told to make, or could not. Fails with MALFORMED where an item has no
     * number.
     */
    public static final Method<CopiesMadeRequest, Empty> COPIES_MADE =
            Method.idempotent(90, "shard.copies-made", SUPERUSER, UPKEEP, CopiesMadeRequest.parser(), Empty.parser());

    /** What a shard has on a block server, and which of its copies are to be made. */
    public static final Method<CopiesStatusRequest, CopiesStatusReply> COPIES_STATUS = Method.idempotent(
            91, "shard.copies-status", SUPERUSER, READS, CopiesStatusRequest.parser(), CopiesStatusReply.parser());

    /** From the shard of a file's name to its home. */
    public static final Method<ReopenFileRequest, AppendReply> REOPEN_FILE = Method.idempotent(
            70, "shard.reopen-file", SERVERS, WRITES, ReopenFileRequest.parser(), AppendReply.parser());

    /** From the shard of a file's name to its home. */
    public static final Method<CutFileRequest, TruncateReply> CUT_FILE =
            Method.idempotent(71, "shard.cut-file", SERVERS, FREES, CutFileRequest.parser(), TruncateReply.parser());

    /** From the shard of a file's name to its home. */
    public static final Method<RecoverFileRequest, RecoverLeaseReply> RECOVER_FILE = Method.idempotent(
            72, "shard.recover-file", SERVERS, FREES, RecoverFileRequest.parser(), RecoverLeaseReply.parser());

    /** From the home of a file to the shard of its name. */
    public static final Method<CheckReadRequest, CheckReadReply> CHECK_READ = Method.idempotent(
            73, "shard.check-read", SERVERS, READS, CheckReadRequest.parser(), CheckReadReply.parser());

    /** From a shard that gets a part of a directory to the one that had it. */
    public static final Method<GiveEntriesRequest, GiveEntriesReply> GIVE_ENTRIES = Method.idempotent(
            74, "shard.give-entries", SERVERS, UPKEEP, GiveEntriesRequest.parser(), GiveEntriesReply.parser());

    /** From the namespace group. */
    public static final Method<TakeEntriesRequest, TakeEntriesReply> TAKE_ENTRIES = Method.idempotent(
            75, "shard.take-entries", SERVERS, UPKEEP, TakeEntriesRequest.parser(), TakeEntriesReply.parser());

    /** From a shard to the namespace group; done once by the spread that it names. */
    public static final Method<WidenDirectoryRequest, WidenDirectoryReply> WIDEN_DIRECTORY = Method.idempotent(
            76,
            "namespace.widen-directory",
            SERVERS,
            UPKEEP,
            WidenDirectoryRequest.parser(),
            WidenDirectoryReply.parser());

    /** From the namespace group to the source of moves. */
    public static final Method<SettleMovesRequest, Empty> SETTLE_MOVES =
            Method.idempotent(77, "shard.settle-moves", SERVERS, UPKEEP, SettleMovesRequest.parser(), Empty.parser());

    /** From the namespace group to a shard that gets a part of a directory. */
    public static final Method<SumSharesRequest, DirectorySlice> SUM_SHARES = Method.idempotent(
            78, "shard.sum-shares", SERVERS, READS, SumSharesRequest.parser(), DirectorySlice.parser());

    private MetaMethods() {}
}
