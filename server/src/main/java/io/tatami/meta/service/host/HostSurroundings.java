package io.tatami.meta.service.host;

import io.tatami.base.Clock;
import io.tatami.meta.service.Invitations;
import io.tatami.meta.service.lead.GroupObserver;
import io.tatami.rpc.RequestObserver;

/**
 * What a metadata server finds around it.
 *
 * @param groups of users
 * @param requests told of each request that the server answers
 * @param batches told of each batch that its groups decide
 * @param invitations to the console of its process
 */
public record HostSurroundings(
        GroupMapping groups, Clock clock, RequestObserver requests, GroupObserver batches, Invitations invitations) {
    /** Of a server that nobody watches. */
    public static HostSurroundings of(GroupMapping groups, Clock clock) {
        return new HostSurroundings(groups, clock, RequestObserver.NONE, GroupObserver.NONE, Invitations.NONE);
    }
}
