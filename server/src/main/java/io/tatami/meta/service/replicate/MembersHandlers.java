package io.tatami.meta.service.replicate;

import io.tatami.meta.op.cluster.NoteMembersEpoch;
import io.tatami.meta.service.GroupPart;
import io.tatami.meta.service.GroupTable;
import io.tatami.meta.service.PartContext;
import io.tatami.meta.service.RequestOrigin;
import io.tatami.meta.state.Draft;
import io.tatami.protocol.MetaMethods;
import io.tatami.protocol.wire.Empty;
import io.tatami.protocol.wire.SetGroupMembersRequest;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/**
 * How the leader of a replicated group is told who the members are to be: by which map is in the group's log before
 * anything is done, so what an older map says is refused by whoever leads.
 */
final class MembersHandlers implements GroupPart<Draft> {
    private static final NoteMembersEpoch NOTE = new NoteMembersEpoch();

    private final Function<SetGroupMembersRequest, CompletableFuture<Void>> setMembers;

    /** @param setMembers asked by the namespace's leader, for the newest map so far */
    MembersHandlers(Function<SetGroupMembersRequest, CompletableFuture<Void>> setMembers) {
        this.setMembers = setMembers;
    }

    @Override
    public void register(GroupTable<Draft> table, PartContext<Draft> parts) {
        table.flow(
                MetaMethods.SET_GROUP_MEMBERS,
                (origin, request) -> parts.group()
                        .submit(NOTE, RequestOrigin.SERVICE, request)
                        .thenCompose(noted -> setMembers.apply(request))
                        .thenApply(done -> Empty.getDefaultInstance()));
    }
}
