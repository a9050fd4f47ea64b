package io.tatami.meta.log.raft.transport;

import io.tatami.base.Threads;
import java.util.Objects;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.apache.ratis.conf.Parameters;
import org.apache.ratis.grpc.GrpcFactory;
import org.apache.ratis.grpc.server.GrpcServices;
import org.apache.ratis.grpc.server.GrpcServicesImpl;
import org.apache.ratis.rpc.RpcFactory;
import org.apache.ratis.rpc.RpcType;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.leader.FollowerInfo;
import org.apache.ratis.server.leader.LeaderState;
import org.apache.ratis.server.leader.LogAppender;
import org.jspecify.annotations.Nullable;

/**
 * How Raft servers talk: Ratis's gRPC, with durable votes ({@link DurableVotes}), with elections that end when another
 * one was voted for ({@link OvertakenElections}), and in which nobody stands who is far behind
 * ({@link ReadyCandidates}), with nothing for groups that are just being started ({@link StartedGroups}), with
 * snapshots that are told of when they are durable ({@link ReceivedSnapshots}), and with entries that are sent again
 * where it is not known whether they came ({@link PersistentAppender}). Ratis makes one, by the name of this class.
 */
public final class RatisTransport implements RpcType {
    @Override
    public String name() {
        return RatisTransport.class.getName();
    }

    @Override
    public RpcFactory newFactory(Parameters parameters) {
        return new Factory(parameters);
    }

    /** What a server takes in that was made with this transport. */
    public static ReceivedSnapshots received(RaftServer server) {
        return Objects.requireNonNull(((Factory) server.getFactory()).received, "the server has not been made yet");
    }

    /** The groups that a server was told to take entries and snapshots for. */
    public static StartedGroups started(RaftServer server) {
        return ((Factory) server.getFactory()).started;
    }

    /** Of one server. */
    static final class Factory extends GrpcFactory {
        /** Its threads end a minute after an election. */
        private final ExecutorService askers = Executors.newCachedThreadPool(Threads.daemons("raft-votes"));

        private final StartedGroups started = new StartedGroups();

        private volatile @Nullable GrpcServicesImpl services;
        private volatile @Nullable ReceivedSnapshots received;

        private Factory(Parameters parameters) {
            super(parameters);
        }

        @Override
        public GrpcServices newRaftServerRpc(RaftServer server) {
            DurableVotes votes = new DurableVotes(server.getProperties());
            ReceivedSnapshots snapshots = new ReceivedSnapshots(server.getProperties());
            received = snapshots;
            GrpcServices made = super.newRaftServerRpc(started.guarding(snapshots.taking(votes.granting(server))));
            services = (GrpcServicesImpl) made;
            OvertakenElections elections = new OvertakenElections(
                    group -> server.getDivision(group).getInfo().isCandidate(), askers);
            ReadyCandidates ready = new ReadyCandidates(group -> backlog(server.getDivision(group)));
            return ready.asking(elections.asking(votes.asking(server, made)));
        }

        private static long backlog(RaftServer.Division replica) {
            return replica.getRaftLog().getLastCommittedIndex()
                    - replica.getInfo().getLastAppliedIndex();
        }

        @Override
        public LogAppender newLogAppender(RaftServer.Division server, LeaderState state, FollowerInfo follower) {
            return new PersistentAppender(server, state, follower);
        }

        /** What the server talks through, without what is around it. */
        GrpcServicesImpl services() {
            return Objects.requireNonNull(services, "the server has not been made yet");
        }
    }
}
