package io.tatami.client.meta;

import io.tatami.base.DirectoryId;
import io.tatami.base.GroupId;
import io.tatami.base.TatamiException;
import io.tatami.protocol.MetaMethods;
import io.tatami.protocol.wire.GetDirectoriesReply;
import io.tatami.protocol.wire.GetDirectoriesRequest;
import io.tatami.protocol.wire.GetDirectoryReply;
import io.tatami.protocol.wire.GetDirectoryRequest;
import io.tatami.protocol.wire.ReadSharesReply;
import io.tatami.protocol.wire.ReadSharesRequest;
import io.tatami.protocol.wire.Share;
import io.tatami.protocol.wire.Status;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Statuses of directories: the tree knows all but the last change of their entries, which the shards know that hold them.
 */
final class DirectoryStatus {
    private final MetadataCaller caller;

    DirectoryStatus(MetadataCaller caller) {
        this.caller = caller;
    }

    /**
     * A directory by its path.
     *
     * @param idHint the directory's id if the caller has seen it, so that tree and shard can be asked at once; NONE where
     *     it has not
     */
    Status of(String path, DirectoryId idHint, Deadline deadline) throws TatamiException {
        GetDirectoryRequest request =
                GetDirectoryRequest.newBuilder().setPath(path).build();
        MetadataCall<GetDirectoryRequest, GetDirectoryReply> inTree =
                caller.start(GroupId.NAMESPACE, MetaMethods.GET_DIRECTORY, request, deadline);
        List<MetadataCall<ReadSharesRequest, ReadSharesReply>> inShard = new ArrayList<>();
        try {
            if (!idHint.equals(DirectoryId.NONE)) {
                inShard.add(startShares(
                        ResolvedDirectory.shardsOf(idHint, 1, caller.shards()).get(0),
                        List.of(idHint.value()),
                        deadline));
            }
            Status status = inTree.await().getStatus();
            if (status.getId() != idHint.value() || status.getSpread() > 1) {
                return withShares(List.of(status), deadline).get(0);
            }
            return merged(status, caller.awaitAll(inShard).get(0).getShareList());
        } finally {
            inTree.abandon();
            inShard.forEach(MetadataCall::abandon);
        }
    }

    /** The directories that stand at these names of one parent, by name: those that exist. */
    Map<String, Status> byName(DirectoryId parent, List<String> names, Deadline deadline) throws TatamiException {
        if (names.isEmpty()) {
            return Map.of();
        }
        GetDirectoriesRequest request = GetDirectoriesRequest.newBuilder()
                .setParentId(parent.value())
                .addAllName(names)
                .build();
        GetDirectoriesReply reply = caller.call(GroupId.NAMESPACE, MetaMethods.GET_DIRECTORIES, request, deadline);
        Map<String, Status> found = new HashMap<>();
        withShares(reply.getStatusList(), deadline).forEach(status -> found.put(status.getName(), status));
        return found;
    }

    /** The counts of moves of a directory's shares, in the order of {@code groups}. */
    List<Long> moves(DirectoryId directory, List<GroupId> groups, Deadline deadline) throws TatamiException {
        ReadSharesRequest request =
                ReadSharesRequest.newBuilder().addDirectoryId(directory.value()).build();
        return caller.callAll(groups, MetaMethods.READ_SHARES, request, deadline).stream()
                .map(reply -> reply.getShare(0).getMoves())
                .toList();
    }

    private List<Status> withShares(List<Status> directories, Deadline deadline) throws TatamiException {
        Map<GroupId, List<Long>> byShard = new LinkedHashMap<>();
        for (Status status : directories) {
            List<GroupId> shards = ResolvedDirectory.shardsOf(
                    new DirectoryId(status.getId()), Math.max(1, status.getSpread()), caller.shards());
            shards.forEach(shard ->
                    byShard.computeIfAbsent(shard, key -> new ArrayList<>()).add(status.getId()));
        }
        List<MetadataCall<ReadSharesRequest, ReadSharesReply>> calls = new ArrayList<>();
        for (Map.Entry<GroupId, List<Long>> entry : byShard.entrySet()) {
            calls.add(startShares(entry.getKey(), entry.getValue(), deadline));
        }
        Map<Long, List<Share>> shares = new HashMap<>();
        for (ReadSharesReply reply : caller.awaitAll(calls)) {
            reply.getShareList()
                    .forEach(share -> shares.computeIfAbsent(share.getDirectoryId(), key -> new ArrayList<>())
                            .add(share));
        }
        return directories.stream()
                .map(status -> merged(status, shares.getOrDefault(status.getId(), List.of())))
                .toList();
    }

    private MetadataCall<ReadSharesRequest, ReadSharesReply> startShares(
            GroupId shard, List<Long> directories, Deadline deadline) throws TatamiException {
        ReadSharesRequest request =
                ReadSharesRequest.newBuilder().addAllDirectoryId(directories).build();
        return caller.start(shard, MetaMethods.READ_SHARES, request, deadline);
    }

    private static Status merged(Status directory, List<Share> shares) {
        long modified = directory.getAttributes().getModifiedMillis();
        for (Share share : shares) {
            modified = Math.max(modified, share.getLastChangeMillis());
        }
        return directory.toBuilder()
                .setKind(Status.Kind.DIRECTORY)
                .setAttributes(directory.getAttributes().toBuilder().setModifiedMillis(modified))
                .build();
    }
}
