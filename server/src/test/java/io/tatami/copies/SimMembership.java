package io.tatami.copies;

import com.google.protobuf.ByteString;
import io.tatami.base.ServerId;
import io.tatami.base.UuidBytes;
import io.tatami.protocol.wire.BlockServerInfo;
import io.tatami.protocol.wire.BlockServerInfo.State;
import io.tatami.protocol.wire.ClusterMap;
import io.tatami.protocol.wire.Endpoint;
import io.tatami.protocol.wire.GroupLocation;
import java.net.InetSocketAddress;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * The cluster map, as the namespace tells it: which block servers are heard, silent or dead, what an administrator has
 * said of them, and which process each of them is. A process is known a moment after it began. Silences are shorter
 * than a cluster's.
 */
final class SimMembership {
    private static final long STALE_NANOS = TimeUnit.SECONDS.toNanos(3);
    private static final long DEAD_NANOS = TimeUnit.SECONDS.toNanos(8);
    private static final long REFRESH_MILLIS = 500;

    private final CopiesWorld world;
    private final int racks;
    private final Map<ServerId, Member> members = new LinkedHashMap<>();
    private ClusterMap map = ClusterMap.getDefaultInstance();
    private long askedNanos;
    private long heldUpUntilNanos;
    private long epoch;

    /** What an administrator wants of a server. */
    enum Order {
        SERVE,
        DRAIN,
        FORGET
    }

    private static final class Member {
        private final SimServer server;
        private Order order = Order.SERVE;
        private long heardNanos;
        private long incarnation;

        Member(SimServer server, long heardNanos) {
            this.server = server;
            this.heardNanos = heardNanos;
        }
    }

    SimMembership(CopiesWorld world, int racks) {
        this.world = world;
        this.racks = racks;
    }

    void join(SimServer server) {
        members.put(server.id(), new Member(server, world.time().monotonicNanos()));
        look();
    }

    /** Keeps the map up to date from now on. */
    void begin() {
        look();
        world.time().after(TimeUnit.MILLISECONDS.toNanos(REFRESH_MILLIS), this::begin);
    }

    /** Nobody gets a newer map for so long. */
    void holdUp(long nanos) {
        heldUpUntilNanos = Math.max(heldUpUntilNanos, world.time().monotonicNanos() + nanos);
    }

    void goOn() {
        heldUpUntilNanos = 0;
    }

    void order(ServerId server, Order order) {
        member(server).order = order;
    }

    Order order(ServerId server) {
        return member(server).order;
    }

    private Member member(ServerId server) {
        Member member = members.get(server);
        if (member == null) {
            throw new IllegalStateException(server + " has not joined");
        }
        return member;
    }

    /** Servers on which blocks are to have copies. */
    List<ServerId> serving() {
        return members.values().stream()
                .filter(member -> member.order == Order.SERVE && !member.server.isDestroyed())
                .map(member -> member.server.id())
                .toList();
    }

    ClusterMap map() {
        return map;
    }

    /** How old the map may be that everybody has. */
    long ageMillis() {
        return TimeUnit.NANOSECONDS.toMillis(world.time().monotonicNanos() - askedNanos);
    }

    /** Tells what there is now. */
    void look() {
        long now = world.time().monotonicNanos();
        for (Member member : members.values()) {
            if (member.server.isHeard()) {
                member.heardNanos = now;
                member.incarnation = member.server.incarnation();
            }
        }
        if (now < heldUpUntilNanos) {
            return;
        }
        askedNanos = now;
        ClusterMap next = mapAt(now);
        if (!next.equals(map.toBuilder().setEpoch(0).build())) {
            map = next.toBuilder().setEpoch(++epoch).build();
        }
    }

    private ClusterMap mapAt(long now) {
        ClusterMap.Builder next =
                ClusterMap.newBuilder().setShards(1).setClusterId(ByteString.copyFrom(UuidBytes.of(SimDrive.CLUSTER)));
        for (int group = -1; group < 1; group++) {
            next.addGroup(GroupLocation.newBuilder().setGroup(group).setLeader(endpoint(SimMetadata.ADDRESS)));
        }
        members.values().forEach(member -> next.addBlockServer(info(member, now)));
        return next.build();
    }

    private BlockServerInfo info(Member member, long now) {
        SimServer server = member.server;
        return BlockServerInfo.newBuilder()
                .setServerId(server.id().value())
                .setHost(server.address().getHostString())
                .setRack("/rack-" + server.id().value() % racks)
                .setState(state(member, now))
                .setToBeEmptied(member.order == Order.DRAIN)
                .setSilent(now - member.heardNanos >= STALE_NANOS)
                .setIncarnation(member.incarnation)
                .setCapacityBytes(1L << 40)
                .setFreeBytes(1L << 40)
                .setData(endpoint(server.address()))
                .build();
    }

    private static State state(Member member, long now) {
        long silentNanos = now - member.heardNanos;
        if (member.order == Order.FORGET) {
            return State.GONE;
        }
        if (silentNanos >= DEAD_NANOS) {
            return State.DEAD;
        }
        if (silentNanos >= STALE_NANOS) {
            return State.STALE;
        }
        return member.order == Order.DRAIN ? State.DRAINING : State.ACTIVE;
    }

    private static Endpoint endpoint(InetSocketAddress at) {
        return Endpoint.newBuilder()
                .setHost(at.getHostString())
                .setPort(at.getPort())
                .build();
    }
}
