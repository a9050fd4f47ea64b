package io.tatami.meta.state;

import io.tatami.base.SessionId;
import io.tatami.protocol.wire.ClusterMap;
import java.util.Set;

/**
 * What an operation may know beside its view and its request; part of its input, so that it needs no clock.
 *
 * @param session the client's session, {@link SessionId#NONE} for requests of servers
 * @param nowMillis log time: never falls within a group
 * @param wallMillis the clock's, for what other groups have timed; may fall
 * @param settled versions of markers of which the tree has said, since the request arrived, that their directories
 *     stand where they are: these are no longer in doubt
 * @param cluster the newest map this process has, for placement only: nothing that must be exact may hang on it
 * @param creditsAwaited the request has waited for block servers to renew their credits, and waits no more
 * @param treeAsked the tree was asked, since the request arrived, whether the directory of the file stands that the
 *     request writes; the gate knows where it does not
 * @param leavingAskedUpTo of all entries up to this name that were leaving the directory that the request lists, it was
 *     asked, since the request arrived, whether they have left: an entry that is marked still had not, or was marked
 *     later; empty for none
 */
public record RequestContext(
        Caller caller,
        SessionId session,
        long nowMillis,
        long wallMillis,
        Set<TreeVersion> settled,
        ClusterMap cluster,
        boolean creditsAwaited,
        boolean treeAsked,
        String leavingAskedUpTo) {
    /** A request that does not wait for credits. */
    public RequestContext(
            Caller caller, SessionId session, long nowMillis, Set<TreeVersion> settled, ClusterMap cluster) {
        this(caller, session, nowMillis, nowMillis, settled, cluster, true, false, "");
    }

    /** A request that nothing is settled for, in a cluster without block servers. */
    public RequestContext(Caller caller, SessionId session, long nowMillis) {
        this(caller, session, nowMillis, Set.of(), ClusterMap.getDefaultInstance());
    }
}
