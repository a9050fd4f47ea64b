package io.tatami.protocol;

import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import io.tatami.base.Check;
import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import java.util.Collections;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;

/**
 * How long each list, text and byte string of a request may be: what bounds the work of one request at its server.
 * Every server checks every request before anything else is done with it, whoever sent it. A request above a limit is
 * refused; senders divide what is longer into several requests.
 *
 * <p>Most limits are above what an operation takes: a name may have 255 bytes, for example, and an operation tells that
 * in the words of HDFS. A field that is not declared here is a bug, and its request is refused as INTERNAL.
 */
public final class RequestLimits {
    /** Items of one bulk delete. */
    public static final int BULK_DELETE_ITEMS = 1_000;

    /** Source files of one concat, which is atomic and so cannot be divided. */
    public static final int CONCAT_SOURCES = 1_000;

    /** Directories, or names of directories, of which one request asks. */
    public static final int DIRECTORIES = 1_000;

    /** Leases of one renewal. */
    public static final int LEASES = 10_000;

    /** Changes of one announcement. */
    public static final int TREE_CHANGES = 1_024;

    /** Blocks of one page of an audit. */
    public static final int AUDITED_BLOCKS = 4_096;

    /** Blocks of one request to delete them. */
    public static final int DELETED_BLOCKS = 1_024;

    /** Copies of one request to make them. */
    public static final int PULLED_BLOCKS = 256;

    /** Servers that a copy can be made from. */
    public static final int PULL_SOURCES = 64;

    /** Copies of one report of what was made. */
    public static final int REPORTED_COPIES = 1_024;

    /** Ranges of one request to plan reads. */
    public static final int PLANNED_RANGES = 1_000;

    /** Of what a plan is known by to people. */
    public static final int PLAN_ABOUT_BYTES = 256;

    /** Blocks of which one request asks what of them is staged. */
    public static final int STAGED_BLOCKS = 10_000;

    /** Files of which one request asks who read them. */
    public static final int COUNTED_FILES = 1_000;

    /** Of the caller context in the header of a request. */
    public static final int CALLER_CONTEXT_BYTES = 128;

    /** Of the reason why a replica has stopped. */
    public static final int FAILURE_BYTES = 4_096;

    /** Earlier starts of a block server, which one that registers shows. */
    public static final int FORMER_STARTS = 64;

    private static final String PACKAGE = "tatami.";

    /** Block reports of one writer, which has few blocks that are not final. */
    private static final int WRITTEN_BLOCKS = 1_024;

    /** Block servers that one request names. */
    private static final int SERVERS = 1_024;

    private static final int VOLUMES = 1_024;

    /** The shards, and the namespace group. */
    private static final int GROUPS = 257;

    private static final int REPLICAS = 64;

    /** Directories on a path of 8,000 bytes. */
    private static final int ANCESTORS = 4_096;

    private static final int USER_GROUPS = 4_096;

    /** Of a path, a name in a directory, or the name of a user. */
    private static final int PATH_BYTES = 8_000;

    /** Of a host, a rack, the name of a client and the like. */
    private static final int NAME_BYTES = 1_024;

    /** Of what a client shows to a group and another one has signed, without {@link #HANDLE_BYTES}. */
    private static final int RIGHT_BYTES = 64 << 10;

    private static final int CHECKED_HEALTHS = 16;

    /** Of a handle, with the ids of all directories above it and a full access control list. */
    private static final int HANDLE_BYTES = 128 << 10;

    private static final Map<String, Limit> LIMITS = new TreeMap<>();

    private static final Map<Descriptor, LimitedFields> PLANS = new ConcurrentHashMap<>();

    /**
     * Of one field.
     *
     * @param items of a repeated field; 1 of any other
     * @param bytes of a text, in UTF-8, or a byte string, and of each item of a list of them; 0 of any other type
     */
    public record Limit(int items, int bytes) {
        @Override
        public String toString() {
            String each = String.format(Locale.ROOT, "%,d bytes", bytes);
            String count = String.format(Locale.ROOT, "%,d items", items);
            if (bytes == 0) {
                return count;
            }
            return items == 1 ? each : count + " of " + each;
        }
    }

    static {
        cluster();
        tree();
        files();
        betweenGroups();
        blocks();
    }

    private RequestLimits() {}

    private static void cluster() {
        bytes(NAME_BYTES, "Endpoint.host", "OpenSessionRequest.client_name");
        bytes(
                NAME_BYTES,
                "RegisterMetadataServerRequest.server_id",
                "ReportMetadataServerRequest.server_id",
                "ChangeMetadataServerRequest.server_id",
                "GroupReplica.server_id");
        items(
                GROUPS,
                "RegisterMetadataServerRequest.hosted_group",
                "RegisterMetadataServerRequest.wanted_shard",
                "RegisterMetadataServerRequest.replicated_group",
                "ReportMetadataServerRequest.led_group",
                "ReportMetadataServerRequest.held");
        bytes(FAILURE_BYTES, "HeldReplica.failure");
        items(REPLICAS, "SetGroupMembersRequest.member", "GroupLocation.replica");
        bytes(
                NAME_BYTES,
                "RegisterBlockServerRequest.host",
                "RegisterBlockServerRequest.rack",
                "ReportMetadataServerRequest.version");
        items(FORMER_STARTS, "RegisterBlockServerRequest.former_incarnation");
        bytes(NAME_BYTES, "ChangeBlockServerRequest.rack");
        bytes(PATH_BYTES, "ChangeVolumeRequest.volume");
        texts(VOLUMES, NAME_BYTES, "RegisterBlockServerRequest.volume_id", "RegisterBlockServerRequest.storage_type");
        texts(VOLUMES, PATH_BYTES, "HeartbeatRequest.failed_volume");
        items(VOLUMES, "HeartbeatRequest.volume");
        bytes(NAME_BYTES, "ClusterMap.cluster_id", "ClusterMap.cluster_name");
        items(GROUPS, "ClusterMap.group");
        items(16_384, "ClusterMap.block_server");
        items(1_024, "ClusterMap.left");
        bytes(NAME_BYTES, "BlockServerInfo.host", "BlockServerInfo.rack");
        texts(VOLUMES, NAME_BYTES, "BlockServerInfo.storage_type");
    }

    private static void tree() {
        bytes(
                PATH_BYTES,
                "ResolveRequest.path",
                "MkdirsRequest.path",
                "RenameDirectoryRequest.source",
                "RenameDirectoryRequest.destination",
                "DeleteDirectoryRequest.path",
                "SetDirectoryAttributesRequest.path",
                "GetDirectoryRequest.path",
                "ContentSummaryRequest.path",
                "CheckDirectoryRequest.name",
                "CheckReachRequest.user",
                "ReserveMarkerRequest.name",
                "SettleMarkerRequest.name");
        items(
                DIRECTORIES,
                "GetDirectoriesRequest.directory_id",
                "CheckReachRequest.directory_id",
                "ReadSharesRequest.directory_id",
                "ReclaimDirectoriesRequest.directory_id",
                "SettleMovesRequest.directory_id",
                "FsckRequest.directory_id",
                "FsckRequest.file_id");
        items(CHECKED_HEALTHS, "FsckRequest.list");
        bytes(RIGHT_BYTES, "FsckRequest.cursor");
        texts(DIRECTORIES, PATH_BYTES, "GetDirectoriesRequest.name");
        texts(USER_GROUPS, PATH_BYTES, "CheckReachRequest.user_group");
        items(TREE_CHANGES, "AnnounceRequest.change");
        bytes(RIGHT_BYTES, "ReadSharesRequest.right");
    }

    private static void files() {
        bytes(HANDLE_BYTES, "SignedHandle.payload");
        bytes(NAME_BYTES, "SignedHandle.signature");
        bytes(
                PATH_BYTES,
                "LookupRequest.name",
                "ListRequest.after",
                "CreateRequest.name",
                "AppendRequest.name",
                "RecoverLeaseRequest.name",
                "TruncateRequest.name",
                "ConcatRequest.name",
                "DeleteFileRequest.name",
                "BulkDeleteRequest.Item.name",
                "SetFileAttributesRequest.name",
                "CreateSymlinkRequest.name",
                "RenameFileRequest.source_name",
                "RenameFileRequest.destination_name",
                "RenameFileRequest.destination_path");
        bytes(3 * PATH_BYTES, "CreateSymlinkRequest.target");
        bytes(
                NAME_BYTES,
                "CreateRequest.client_host",
                "AddBlocksRequest.client_host",
                "AppendRequest.client_host",
                "RenewBlockRequest.client_host");
        items(
                SERVERS,
                "CreateRequest.excluded_server_id",
                "AddBlocksRequest.excluded_server_id",
                "RenewBlockRequest.failed_server_id",
                "SealBlockRequest.failed_server_id");
        items(
                WRITTEN_BLOCKS,
                "AddBlocksRequest.written",
                "CommitLengthRequest.written",
                "CompleteRequest.written",
                "CompleteRequest.unused_block_id",
                "SealBlockRequest.written");
        bytes(1 << 20, "CompleteRequest.inline");
        items(LEASES, "RenewLeasesRequest.file_id");
        bytes(RIGHT_BYTES, "GetBlocksRequest.right");
        texts(CONCAT_SOURCES, PATH_BYTES, "ConcatRequest.source");
        items(BULK_DELETE_ITEMS, "BulkDeleteRequest.item");
        bytes(PATH_BYTES, "AttributeChange.owner", "AttributeChange.group", "AclEntry.name", "XAttr.name");
        items(64, "AttributeChange.AclChange.entry");
        bytes(64 << 10, "XAttr.value");
    }

    private static void betweenGroups() {
        bytes(
                PATH_BYTES,
                "PrepareMoveRequest.source_name",
                "PrepareMoveRequest.destination_path",
                "PrepareMoveRequest.user",
                "FinishMoveRequest.name",
                "EntryMoved.name",
                "FileClosed.name",
                "CheckReadRequest.name",
                "CheckReadRequest.user",
                "GiveEntriesRequest.arrived_up_to",
                "GiveEntriesRequest.dropped_up_to",
                "GiveEntriesRequest.name");
        texts(USER_GROUPS, PATH_BYTES, "PrepareMoveRequest.user_group", "CheckReadRequest.user_group");
        items(ANCESTORS, "EntryMoved.ancestor_id", "ReopenFileRequest.ancestor_id");
    }

    private static void blocks() {
        items(64, "WriteBlockRequest.target");
        bytes(NAME_BYTES, "WriteTarget.host");
        bytes(PATH_BYTES, "WriteBlockRequest.shared_memory", "ReadBlockRequest.shared_memory");
        bytes(NAME_BYTES, "ReadBlockRequest.client_host");
        bytes(CALLER_CONTEXT_BYTES, "ReadStatisticsRequest.context");
        items(COUNTED_FILES, "ReadStatisticsRequest.file_id");
        items(
                DELETED_BLOCKS,
                "DeleteBlocksRequest.item",
                "DamagedCopiesRequest.block_id",
                "DamagedCopiesRequest.copy_number");
        items(AUDITED_BLOCKS, "AuditRequest.item");
        items(PULLED_BLOCKS, "PullBlocksRequest.item");
        items(PULL_SOURCES, "PullBlocksRequest.Item.source");
        items(REPORTED_COPIES, "CopiesMadeRequest.item");
        bytes(FAILURE_BYTES, "CopiesMadeRequest.Item.message");
        bytes(NAME_BYTES, "PlanReadsRequest.plan_id", "PlanStatusRequest.plan_id", "CancelPlanRequest.plan_id");
        items(PLANNED_RANGES, "PlanReadsRequest.range");
        bytes(PLAN_ABOUT_BYTES, "PlanReadsRequest.about");
        items(STAGED_BLOCKS, "StagedBlocksRequest.block_id");
    }

    private static void items(int count, String... fields) {
        put(new Limit(count, 0), fields);
    }

    private static void bytes(int count, String... fields) {
        put(new Limit(1, count), fields);
    }

    private static void texts(int count, int bytes, String... fields) {
        put(new Limit(count, bytes), fields);
    }

    private static void put(Limit limit, String... fields) {
        for (String field : fields) {
            Check.check(LIMITS.put(field, limit) == null, "the limit of %s is declared twice", field);
        }
    }

    /** All limits, by message and field, as {@code BulkDeleteRequest.Item.name}. */
    public static Map<String, Limit> all() {
        return Collections.unmodifiableMap(LIMITS);
    }

    /** The limit of a field of a message of ours, which is a list, a text or a byte string. */
    static Limit of(FieldDescriptor field) {
        Limit limit = LIMITS.get(field.getFullName().substring(PACKAGE.length()));
        if (limit == null) {
            throw new IllegalStateException("no limit is declared for " + field.getFullName());
        }
        return limit;
    }

    /** Whether a message is one of the protocol's. */
    static boolean isOurs(Descriptor message) {
        return message.getFullName().startsWith(PACKAGE);
    }

    static LimitedFields fieldsOf(Descriptor message) {
        LimitedFields known = PLANS.get(message);
        if (known == null) {
            known = new LimitedFields(message);
            LimitedFields other = PLANS.putIfAbsent(message, known);
            known = other == null ? known : other;
        }
        return known;
    }

    /**
     * Checks a request before anything is done with it.
     *
     * @param method for the message
     * @throws TatamiException INVALID_ARGUMENT, naming the field and its limit
     */
    public static void require(String method, Message request) throws TatamiException {
        String excess = fieldsOf(request.getDescriptorForType()).excess(request);
        if (excess != null) {
            throw new TatamiException(ErrorCode.INVALID_ARGUMENT, method + ": " + excess);
        }
    }
}
