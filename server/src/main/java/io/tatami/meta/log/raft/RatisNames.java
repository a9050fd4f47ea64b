package io.tatami.meta.log.raft;

import io.tatami.base.GroupId;
import io.tatami.base.UuidBytes;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.UUID;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.protocol.RaftPeer;
import org.apache.ratis.protocol.RaftPeerId;

/** Our ids and addresses as Ratis has them, and back. */
public final class RatisNames {
    private RatisNames() {}

    /** The same on every server of a cluster, and another in every cluster. */
    public static RaftGroupId group(UUID cluster, GroupId group) {
        ByteBuffer name = ByteBuffer.allocate(UuidBytes.LENGTH + Integer.BYTES);
        UuidBytes.put(cluster, name);
        name.putInt(group.value());
        return RaftGroupId.valueOf(UUID.nameUUIDFromBytes(name.array()));
    }

    public static RaftPeerId peer(UUID server) {
        return RaftPeerId.valueOf(server.toString());
    }

    static UUID server(RaftPeerId peer) {
        return UUID.fromString(peer.toString());
    }

    /**
     * All of the same priority. With others Ratis would hand a group over by itself to a member that has every entry,
     * though it may have yet to apply many before it can lead; and a vote is refused to whoever has a lower one.
     */
    static List<RaftPeer> peers(List<Member> members) {
        List<RaftPeer> peers = new ArrayList<>();
        for (Member member : members) {
            peers.add(RaftPeer.newBuilder()
                    .setId(peer(member.server()))
                    .setAddress(member.address().getHostString() + ":"
                            + member.address().getPort())
                    .build());
        }
        return peers;
    }

    static List<Member> members(Collection<RaftPeer> peers) {
        return peers.stream()
                .map(peer -> new Member(server(peer.getId()), address(peer.getAddress())))
                .toList();
    }

    private static InetSocketAddress address(String text) {
        int colon = text.lastIndexOf(':');
        return InetSocketAddress.createUnresolved(
                text.substring(0, colon), Integer.parseInt(text.substring(colon + 1)));
    }
}
