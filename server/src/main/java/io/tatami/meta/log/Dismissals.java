package io.tatami.meta.log;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.ratis.conf.Parameters;
import org.apache.ratis.proto.RaftProtos.RequestVoteReplyProto;
import org.apache.ratis.proto.RaftProtos.RequestVoteRequestProto;
import org.apache.ratis.protocol.RaftGroupId;

/**
 * The groups whose other members have answered a question for votes by that this server is no member. Ratis then ends
 * the replica, as it does after an error of an election, and does not say which it was. Safe for use by many threads.
 */
final class Dismissals {
    private static final String KEY = "tatami.raft.dismissals";

    private final Set<RaftGroupId> groups = ConcurrentHashMap.newKeySet();

    /** Those that a server's transport is given. */
    static Dismissals of(Parameters parameters) {
        return parameters.getNonNull(KEY, Dismissals.class);
    }

    void giveTo(Parameters parameters) {
        parameters.put(KEY, this, Dismissals.class);
    }

    /** Hears an answer before Ratis does. */
    void hear(RequestVoteRequestProto request, RequestVoteReplyProto reply) {
        if (reply.getShouldShutdown()) {
            groups.add(RaftGroupId.valueOf(
                    request.getServerRequest().getRaftGroupId().getId()));
        }
    }

    /** Whether this server was told so since this was last asked. */
    boolean forget(RaftGroupId group) {
        return groups.remove(group);
    }
}
