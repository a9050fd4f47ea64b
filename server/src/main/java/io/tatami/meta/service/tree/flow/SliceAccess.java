package io.tatami.meta.service.tree.flow;

import io.tatami.base.ErrorCode;
import io.tatami.base.GroupId;
import io.tatami.base.TatamiException;
import io.tatami.meta.service.GroupPeers;
import io.tatami.meta.service.RequestOrigin;
import io.tatami.protocol.MetaMethods;
import io.tatami.protocol.wire.CheckReachRequest;
import io.tatami.protocol.wire.ReadSharesRequest;
import java.util.concurrent.CompletableFuture;

/** Whether somebody can reach directories of which they show the ids alone: the tree knows. */
final class SliceAccess {
    private final GroupPeers peers;

    SliceAccess(GroupPeers peers) {
        this.peers = peers;
    }

    /**
     * Fails with STALE_HANDLE where a handle was shown, so that its path is resolved anew; else with PERMISSION_DENIED.
     */
    CompletableFuture<?> check(RequestOrigin origin, ReadSharesRequest request) {
        CheckReachRequest reach = CheckReachRequest.newBuilder()
                .addAllDirectoryId(request.getDirectoryIdList())
                .setUser(origin.caller().user())
                .addAllUserGroup(origin.caller().groups())
                .build();
        return peers.call(GroupId.NAMESPACE, MetaMethods.CHECK_REACH, reach)
                .thenCompose(reply -> reply.getDirectoryIdList().equals(request.getDirectoryIdList())
                        ? CompletableFuture.completedFuture(null)
                        : CompletableFuture.failedFuture(refusal(origin, request)));
    }

    private static TatamiException refusal(RequestOrigin origin, ReadSharesRequest request) {
        return request.hasHandle()
                ? new TatamiException(ErrorCode.STALE_HANDLE, "the directory has moved since its handle was made")
                : new TatamiException(
                        ErrorCode.PERMISSION_DENIED,
                        "Permission denied: user=" + origin.caller().user()
                                + ", access=EXECUTE on the directories above the requested ones");
    }
}
