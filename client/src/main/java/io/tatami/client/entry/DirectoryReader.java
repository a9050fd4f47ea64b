package io.tatami.client.entry;

import com.google.protobuf.ByteString;
import io.tatami.base.DirectoryId;
import io.tatami.base.ErrorCode;
import io.tatami.base.GroupId;
import io.tatami.base.TatamiException;
import io.tatami.client.meta.Deadline;
import io.tatami.client.meta.MetadataCall;
import io.tatami.client.meta.MetadataCaller;
import io.tatami.protocol.MetaMethods;
import io.tatami.protocol.RequestLimits;
import io.tatami.protocol.wire.DirectorySlice;
import io.tatami.protocol.wire.GetDirectoriesReply;
import io.tatami.protocol.wire.GetDirectoriesRequest;
import io.tatami.protocol.wire.GetDirectoryReply;
import io.tatami.protocol.wire.GetDirectoryRequest;
import io.tatami.protocol.wire.ReadSharesReply;
import io.tatami.protocol.wire.ReadSharesRequest;
import io.tatami.protocol.wire.Status;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Statuses of directories: the tree knows all but the last change of their entries, which the shards know that hold
 * them.
 */
final class DirectoryReader {
    private final MetadataCaller caller;
    private final KnownLinks links;

    /** @param links told of what the tree says */
    DirectoryReader(MetadataCaller caller, KnownLinks links) {
        this.caller = caller;
        this.links = links;
    }

    /**
     * A directory by its path.
     *
     * @param idHint the directory's id if the caller has seen it, so that tree and shard can be asked at once; NONE
     *     where it has not
     * @param shown what shows the shard that the caller can reach it; without ids
     */
    Status of(String path, DirectoryId idHint, ReadSharesRequest shown, Deadline deadline) throws TatamiException {
        GetDirectoryRequest request =
                GetDirectoryRequest.newBuilder().setPath(path).build();
        MetadataCall<GetDirectoryRequest, GetDirectoryReply> inTree =
                caller.start(GroupId.NAMESPACE, MetaMethods.GET_DIRECTORY, request, deadline);
        List<MetadataCall<ReadSharesRequest, ReadSharesReply>> inShard = new ArrayList<>();
        try {
            if (!idHint.equals(DirectoryId.NONE)) {
                GroupId first =
                        ResolvedDirectory.shardsOf(idHint, 1, caller.shards()).get(0);
                inShard.add(startShares(first, List.of(idHint.value()), shown, deadline));
            }
            Status status = inTree.await().getStatus();
            if (status.getId() == idHint.value() && status.getSpread() <= 1) {
                try {
                    DirectorySlice share = caller.awaitAll(inShard).get(0).getSlice(0);
                    return merged(status, share.getLastChangeMillis());
                } catch (TatamiException e) {
                    requireStale(e);
                }
            }
            return withShares(List.of(status), status.getRight(), deadline).get(0);
        } finally {
            inTree.abandon();
            inShard.forEach(MetadataCall::abandon);
        }
    }

    /** The directories that stand at these names of one parent, by name: those that exist. */
    Map<String, Status> byName(DirectoryId parent, List<String> names, Deadline deadline) throws TatamiException {
        Map<String, Status> found = new HashMap<>();
        int from = 0;
        while (from < names.size()) {
            int to = Math.min(names.size(), from + RequestLimits.DIRECTORIES);
            GetDirectoriesRequest request = GetDirectoriesRequest.newBuilder()
                    .setParentId(parent.value())
                    .addAllName(names.subList(from, to))
                    .build();
            GetDirectoriesReply reply = caller.call(GroupId.NAMESPACE, MetaMethods.GET_DIRECTORIES, request, deadline);
            links.heardOf(reply.getLinks());
            withShares(reply.getStatusList(), reply.getRight(), deadline)
                    .forEach(status -> found.put(status.getName(), status));
            int answered = to - from - reply.getUnanswered();
            if (answered <= 0) {
                throw new TatamiException(
                        ErrorCode.MALFORMED,
                        "the namespace group's reply contains none of the requested directories of " + parent);
            }
            from += answered;
        }
        return found;
    }

    /** The counts of moves of a directory's shares, in the order of {@code groups}. */
    List<Long> moves(ResolvedDirectory directory, List<GroupId> groups, Deadline deadline) throws TatamiException {
        ReadSharesRequest request = directory.shown().toBuilder()
                .addDirectoryId(directory.id().value())
                .build();
        return caller.callAll(groups, MetaMethods.READ_SHARES, request, deadline).stream()
                .map(reply -> reply.getSlice(0).getMoves())
                .toList();
    }

    private List<Status> withShares(List<Status> directories, ByteString right, Deadline deadline)
            throws TatamiException {
        ReadSharesRequest shown = ReadSharesRequest.newBuilder().setRight(right).build();
        Map<GroupId, List<Long>> byShard = new LinkedHashMap<>();
        for (Status status : directories) {
            List<GroupId> shards = ResolvedDirectory.shardsOf(
                    new DirectoryId(status.getId()), Math.max(1, status.getSpread()), caller.shards());
            shards.forEach(shard ->
                    byShard.computeIfAbsent(shard, key -> new ArrayList<>()).add(status.getId()));
        }
        List<MetadataCall<ReadSharesRequest, ReadSharesReply>> calls = new ArrayList<>();
        for (Map.Entry<GroupId, List<Long>> entry : byShard.entrySet()) {
            calls.add(startShares(entry.getKey(), entry.getValue(), shown, deadline));
        }
        Map<Long, Long> changed = new HashMap<>(2 * directories.size());
        for (ReadSharesReply reply : caller.awaitAll(calls)) {
            for (DirectorySlice slice : reply.getSliceList()) {
                changed.merge(slice.getDirectoryId(), slice.getLastChangeMillis(), Math::max);
            }
        }
        List<Status> complete = new ArrayList<>(directories.size());
        for (Status status : directories) {
            complete.add(merged(status, changed.getOrDefault(status.getId(), Long.MIN_VALUE)));
        }
        return complete;
    }

    private MetadataCall<ReadSharesRequest, ReadSharesReply> startShares(
            GroupId shard, List<Long> directories, ReadSharesRequest shown, Deadline deadline) throws TatamiException {
        ReadSharesRequest request =
                shown.toBuilder().addAllDirectoryId(directories).build();
        return caller.start(shard, MetaMethods.READ_SHARES, request, deadline);
    }

    /** The handle that was shown is older than a change of the tree; what the tree has just said is not. */
    private static void requireStale(TatamiException failure) throws TatamiException {
        if (failure.code() != ErrorCode.STALE_HANDLE) {
            throw failure;
        }
    }

    private static Status merged(Status directory, long lastChangeMillis) {
        long modified = Math.max(directory.getAttributes().getModifiedMillis(), lastChangeMillis);
        if (modified == directory.getAttributes().getModifiedMillis()
                && directory.getRight().isEmpty()) {
            return directory;
        }
        return directory.toBuilder()
                .clearRight()
                .setAttributes(directory.getAttributes().toBuilder().setModifiedMillis(modified))
                .build();
    }
}
