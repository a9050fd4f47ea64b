package io.tatami.meta.service.host;

import io.tatami.base.Clock;
import io.tatami.base.GroupId;
import io.tatami.base.TatamiException;
import io.tatami.files.CrashPoint;
import io.tatami.meta.service.identity.Identity;
import io.tatami.meta.service.identity.RememberedServers;
import io.tatami.meta.service.identity.StoredIdentity;
import io.tatami.meta.service.lead.Futures;
import io.tatami.meta.store.StoreMemory;
import io.tatami.protocol.MetaMethods;
import io.tatami.rpc.CallOptions;
import io.tatami.rpc.GroupLeaders;
import io.tatami.rpc.GroupRoutes;
import io.tatami.rpc.netty.client.RpcClient;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How a server that starts comes into its cluster: it asks whether it may take part before a replica of it votes, and
 * tells where it is once it can be reached. Owned by the thread that starts the server.
 */
final class StartingServer {
    private static final long ANNOUNCEMENT_TIMEOUT_MILLIS = 2_000;
    private static final long MAP_TIMEOUT_MILLIS = 5_000;

    /** How long a start waits for a leader of a replicated namespace, before it goes on without. */
    private static final long ELECTION_NANOS = TimeUnit.SECONDS.toNanos(5);

    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
    private static final Logger LOG = LoggerFactory.getLogger(StartingServer.class);

    private final StoredIdentity own;
    private final RpcClient client;
    private final List<InetSocketAddress> seeds;
    private final CallOptions options;

    /**
     * @param seeds metadata servers of the cluster; empty where this one is the first
     * @param options with the credential of a server
     */
    StartingServer(StoredIdentity own, RpcClient client, List<InetSocketAddress> seeds, CallOptions options) {
        this.own = own;
        this.client = client;
        this.seeds = seeds;
        this.options = options;
    }

    /**
     * Asks the cluster, where it answers, whether this directory is the newest of its server. Where nobody answers, as
     * when all servers start at once, that is asked when the server registers.
     *
     * @param directory whose stores are not open yet
     */
    void announce(Path directory, StoreMemory memory) throws TatamiException {
        Identity identity = own.get();
        if (identity.replicas().port() == 0 || !identity.made() || hasOwnNamespace()) {
            return;
        }
        List<InetSocketAddress> others = new ArrayList<>(seeds);
        others.addAll(RememberedServers.at(directory.resolve(GroupId.NAMESPACE.toString()), memory));
        try {
            var unused = Futures.result(
                    new GroupRoutes(client, new GroupLeaders(), () -> others, ANNOUNCEMENT_TIMEOUT_MILLIS)
                            .call(
                                    GroupId.NAMESPACE,
                                    MetaMethods.REGISTER_METADATA_SERVER,
                                    options.withTimeoutMillis(ANNOUNCEMENT_TIMEOUT_MILLIS),
                                    own.registration().build()));
        } catch (TatamiException e) {
            if (!e.code().isRetryable()) {
                throw e;
            }
            LOG.info("the namespace group does not answer before the start of this server: {}", e.getMessage());
        }
    }

    /** Whether the namespace is this server's alone, and nobody else could say anything of it. */
    private boolean hasOwnNamespace() {
        Identity identity = own.get();
        return identity.hostsNamespace() && !identity.isReplicated(GroupId.NAMESPACE);
    }

    /**
     * Where this server reports. Without a replica of the namespace group it keeps to itself where it takes that
     * group's leader to be: the groups here are at work already, and share what the map of the start before says, which
     * may name another address.
     *
     * @param self where this server listens
     * @param known other servers, as far as this one knows
     */
    GroupRoutes toNamespace(GroupLeaders shared, InetSocketAddress self, Supplier<List<InetSocketAddress>> known) {
        GroupLeaders leaders = own.get().isReplicated(GroupId.NAMESPACE) ? shared : new GroupLeaders();
        if (own.get().hostsNamespace() && seeds.isEmpty()) {
            leaders.assume(GroupId.NAMESPACE, self);
        }
        return new GroupRoutes(
                client,
                leaders,
                () -> Stream.concat(seeds.stream(), known.get().stream()).toList(),
                MAP_TIMEOUT_MILLIS);
    }

    /**
     * Tells the namespace group where the groups here are; where nobody answers for a while, the server serves without.
     *
     * @throws TatamiException where the cluster refuses it; also where the namespace is here and does not answer
     */
    void register(ClusterMember member, Clock clock) throws TatamiException {
        CrashPoint.hit("meta.open.before-announcing");
        long giveUpNanos = clock.monotonicNanos() + ELECTION_NANOS;
        while (true) {
            try {
                Futures.result(member.register());
                return;
            } catch (TatamiException e) {
                if (hasOwnNamespace() || !e.code().isRetryable()) {
                    throw e;
                }
                boolean mayBeElected = own.get().isReplicated(GroupId.NAMESPACE);
                if (!mayBeElected || clock.monotonicNanos() - giveUpNanos >= 0) {
                    LOG.warn("the namespace group does not answer; this server serves what it can until it does", e);
                    return;
                }
                LockSupport.parkNanos(PAUSE_NANOS);
            }
        }
    }
}
