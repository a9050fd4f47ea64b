package io.tatami.meta.service.file;

import io.tatami.base.ErrorCode;
import io.tatami.base.GroupId;
import io.tatami.base.TatamiException;
import io.tatami.meta.op.file.FindName;
import io.tatami.meta.service.PartContext;
import io.tatami.meta.service.RequestOrigin;
import io.tatami.meta.state.ShardState;
import io.tatami.meta.state.wire.FileName;
import io.tatami.protocol.MetaMethods;
import io.tatami.protocol.wire.CheckReachReply;
import io.tatami.protocol.wire.CheckReachRequest;
import io.tatami.protocol.wire.CheckReadReply;
import io.tatami.protocol.wire.CheckReadRequest;
import io.tatami.protocol.wire.GetBlocksRequest;
import java.util.concurrent.CompletableFuture;

/**
 * Whether somebody may read a file of which they know the id alone, as who opens it by its path: the shard of its name
 * is asked for READ on the file, and the tree for EXECUTE on all directories above it.
 */
final class ReadAccess {
    private static final FindName FIND = new FindName();

    private final PartContext<ShardState> parts;

    ReadAccess(PartContext<ShardState> parts) {
        this.parts = parts;
    }

    /**
     * Fails with PERMISSION_DENIED; with BUSY where the file's name has just moved, and its home has not heard of it
     * yet.
     */
    CompletableFuture<?> check(RequestOrigin origin, GetBlocksRequest request) {
        return parts.group()
                .read(FIND, RequestOrigin.SERVICE, request)
                .thenCompose(name -> check(origin, request.getFileId(), name));
    }

    private CompletableFuture<?> check(RequestOrigin origin, long file, FileName name) {
        CheckReadRequest read = CheckReadRequest.newBuilder()
                .setFileId(file)
                .setParentId(name.getParentId())
                .setName(name.getName())
                .setUser(origin.caller().user())
                .addAllUserGroup(origin.caller().groups())
                .build();
        CheckReachRequest reach = CheckReachRequest.newBuilder()
                .addDirectoryId(name.getParentId())
                .setEnter(true)
                .setUser(origin.caller().user())
                .addAllUserGroup(origin.caller().groups())
                .build();
        CompletableFuture<CheckReadReply> reading =
                parts.peers().call(new GroupId(name.getGroup()), MetaMethods.CHECK_READ, read);
        CompletableFuture<CheckReachReply> reaching =
                parts.peers().call(GroupId.NAMESPACE, MetaMethods.CHECK_REACH, reach);
        return reading.thenCompose(readable -> reaching.thenCompose(reached -> verdict(read, readable, reached)));
    }

    private static CompletableFuture<Void> verdict(
            CheckReadRequest asked, CheckReadReply readable, CheckReachReply reached) {
        if (readable.getElsewhere()) {
            return CompletableFuture.failedFuture(
                    new TatamiException(ErrorCode.BUSY, asked.getName() + " is being renamed; ask again"));
        }
        if (reached.getDirectoryIdCount() == 0) {
            return CompletableFuture.failedFuture(new TatamiException(
                    ErrorCode.PERMISSION_DENIED,
                    "Permission denied: user=" + asked.getUser() + ", access=EXECUTE on the directories above "
                            + asked.getName()));
        }
        return CompletableFuture.completedFuture(null);
    }
}
