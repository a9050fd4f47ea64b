package io.tatami.meta.service.copies;

import io.tatami.base.GroupId;
import io.tatami.meta.op.fsck.Fsck;
import io.tatami.meta.service.Flow;
import io.tatami.meta.service.Group;
import io.tatami.meta.service.GroupPeers;
import io.tatami.meta.service.RequestOrigin;
import io.tatami.meta.state.ShardState;
import io.tatami.protocol.MetaMethods;
import io.tatami.protocol.wire.CheckedFile;
import io.tatami.protocol.wire.FsckReply;
import io.tatami.protocol.wire.FsckRequest;
import io.tatami.protocol.wire.LocateDirectoryReply;
import io.tatami.protocol.wire.LocateDirectoryRequest;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** A page of a check. Where the file of a block was asked for, the namespace group is asked for its path. */
final class CheckFlow implements Flow<FsckRequest, FsckReply> {
    private final Group<ShardState> group;
    private final GroupPeers peers;
    private final Fsck check;

    CheckFlow(Group<ShardState> group, GroupPeers peers, ServerStandings standings) {
        this.group = group;
        this.peers = peers;
        this.check = new Fsck(standings::view);
    }

    @Override
    public CompletableFuture<FsckReply> run(RequestOrigin origin, FsckRequest request) {
        CompletableFuture<FsckReply> page = group.read(check, origin, request);
        return request.getBlockId() == 0 ? page : page.thenCompose(this::named);
    }

    private CompletableFuture<FsckReply> named(FsckReply page) {
        if (page.getFileCount() == 0) {
            return CompletableFuture.completedFuture(page);
        }
        CheckedFile file = page.getFile(0);
        LocateDirectoryRequest ask = LocateDirectoryRequest.newBuilder()
                .setDirectoryId(file.getDirectoryId())
                .build();
        return peers.call(GroupId.NAMESPACE, MetaMethods.LOCATE_DIRECTORY, ask)
                .thenApply(place -> page.toBuilder()
                        .setFile(0, file.toBuilder().setPath(path(place, file.getName())))
                        .build());
    }

    /** Empty where the directory is gone. */
    private static String path(LocateDirectoryReply place, String name) {
        List<String> names = place.getNameList();
        if (names.isEmpty()) {
            return "";
        }
        StringBuilder path = new StringBuilder();
        names.subList(1, names.size()).forEach(step -> path.append('/').append(step));
        return path.append('/').append(name).toString();
    }
}
