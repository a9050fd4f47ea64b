package io.tatami.meta.service.file;

import io.tatami.base.GroupId;
import io.tatami.meta.op.UnsettledException.WriterInDoubt;
import io.tatami.meta.op.lease.SettleWriter;
import io.tatami.meta.service.Group;
import io.tatami.meta.service.Peers;
import io.tatami.meta.service.RequestOrigin;
import io.tatami.meta.service.Settler;
import io.tatami.meta.state.ShardState;
import io.tatami.meta.state.wire.SettleWriterRequest;
import io.tatami.protocol.MetaMethods;
import io.tatami.protocol.wire.GetDirectoriesRequest;
import java.util.concurrent.CompletableFuture;

/** Asks the tree whether the directory of an open file is there still, after one that was above it was deleted. */
final class WriterSettler implements Settler<WriterInDoubt> {
    private static final SettleWriter SETTLE = new SettleWriter();

    private final Group<ShardState> group;
    private final Peers peers;

    WriterSettler(Group<ShardState> group, Peers peers) {
        this.group = group;
        this.peers = peers;
    }

    @Override
    public CompletableFuture<Void> settle(WriterInDoubt question) {
        GetDirectoriesRequest ask = GetDirectoriesRequest.newBuilder()
                .addDirectoryId(question.directory().value())
                .build();
        return peers.call(GroupId.NAMESPACE, MetaMethods.GET_DIRECTORIES, ask).thenCompose(reply -> {
            SettleWriterRequest answer = SettleWriterRequest.newBuilder()
                    .setFileId(question.file().value())
                    .setDirectoryId(question.directory().value())
                    .setVersion(question.version())
                    .setGone(reply.getStatusCount() == 0)
                    .build();
            return group.submit(SETTLE, RequestOrigin.SERVICE, answer).thenAccept(done -> {});
        });
    }
}
