package io.tatami.meta.service.file;

import io.tatami.base.GroupId;
import io.tatami.meta.op.UnsettledException.WriterInDoubt;
import io.tatami.meta.op.lease.SettleWriter;
import io.tatami.meta.service.Group;
import io.tatami.meta.service.GroupPeers;
import io.tatami.meta.service.RequestOrigin;
import io.tatami.meta.service.Settler;
import io.tatami.meta.state.ShardState;
import io.tatami.meta.state.wire.SettleWriterRequest;
import io.tatami.protocol.MetaMethods;
import io.tatami.protocol.wire.LocateDirectoryReply;
import io.tatami.protocol.wire.LocateDirectoryRequest;
import java.util.concurrent.CompletableFuture;

/** Asks the tree where the directory of an open file is, after a change of one that was above it. */
final class WriterSettler implements Settler<WriterInDoubt> {
    private static final SettleWriter SETTLE = new SettleWriter();

    private final Group<ShardState> group;
    private final GroupPeers peers;

    WriterSettler(Group<ShardState> group, GroupPeers peers) {
        this.group = group;
        this.peers = peers;
    }

    @Override
    public CompletableFuture<Void> settle(WriterInDoubt question) {
        LocateDirectoryRequest ask = LocateDirectoryRequest.newBuilder()
                .setDirectoryId(question.directory().value())
                .build();
        return peers.call(GroupId.NAMESPACE, MetaMethods.LOCATE_DIRECTORY, ask)
                .thenCompose(place -> place.getPathIdCount() > 0 && place.getVersion() == 0
                        ? CompletableFuture.completedFuture(null)
                        : group.submit(SETTLE, RequestOrigin.SERVICE, settlement(question, place))
                                .thenAccept(done -> {}));
    }

    private static SettleWriterRequest settlement(WriterInDoubt question, LocateDirectoryReply place) {
        return SettleWriterRequest.newBuilder()
                .setFileId(question.file().value())
                .setDirectoryId(question.directory().value())
                .setPlace(place)
                .build();
    }
}
