package io.tatami.meta.log;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.InvalidProtocolBufferException;
import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.files.CrashPoint;
import io.tatami.meta.log.ReplicaCluster.Node;
import io.tatami.meta.log.raft.RaftReplica;
import io.tatami.meta.state.Keys;
import io.tatami.meta.state.View;
import io.tatami.meta.state.wire.ProgressRecord;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.zip.CRC32;
import java.util.zip.CRC32C;

/**
 * Hashes all records of each replica whenever one has applied an entry. The thread that applies waits meanwhile, so
 * every index at which a replica is while it is open is looked at.
 */
final class StateWatch implements CrashPoint.Listener {
    private static final String APPLIED = "meta.apply.after-write";
    private static final byte[] FIRST_KEY = {};
    private static final byte[] BEHIND_LAST_KEY = {(byte) 0xff, (byte) 0xff};

    private final List<Node> nodes;
    private final NavigableMap<Long, Sight> sights = new TreeMap<>();
    private final NavigableMap<Long, String> differing = new TreeMap<>();

    /** What was seen at an index, by the first who came there, and who has come there since. */
    private record Sight(UUID first, long hash, Set<UUID> replicas) {}

    private record State(long appliedIndex, long hash) {}

    StateWatch(List<Node> nodes) {
        this.nodes = nodes;
    }

    @Override
    public void passing(String name) {
        if (name.equals(APPLIED)) {
            look();
        }
    }

    /** A difference is told where all have been looked at, and not on a thread that would take it for a bug. */
    private synchronized void look() {
        for (Node node : nodes) {
            RaftReplica replica = node.replicaIfOpen();
            if (replica == null) {
                continue;
            }
            try {
                replica.read(view -> see(node.member.server(), stateOf(view)));
            } catch (TatamiException e) {
                assertEquals(ErrorCode.UNAVAILABLE, e.code(), e.toString());
            }
        }
    }

    private void see(UUID replica, State state) {
        if (state.appliedIndex() == 0) {
            // One that was sealed differs from one that is to be filled anew.
            return;
        }
        Sight sight = sights.computeIfAbsent(
                state.appliedIndex(), index -> new Sight(replica, state.hash(), new HashSet<>()));
        if (sight.hash() != state.hash()) {
            differing.putIfAbsent(
                    state.appliedIndex(),
                    "at entry " + state.appliedIndex() + " the records of " + replica + " and of " + sight.first()
                            + " differ");
        }
        sight.replicas().add(replica);
    }

    private static State stateOf(View view) throws TatamiException {
        try {
            CRC32 first = new CRC32();
            CRC32C second = new CRC32C();
            try (View.Cursor records = view.scan(FIRST_KEY, BEHIND_LAST_KEY)) {
                while (records.next()) {
                    for (byte[] bytes : List.of(records.key(), records.value())) {
                        first.update(bytes.length);
                        first.update(bytes);
                        second.update(bytes.length);
                        second.update(bytes);
                    }
                }
            }
            byte[] progress = view.get(Keys.singleton("progress"));
            return new State(
                    progress == null ? 0 : ProgressRecord.parseFrom(progress).getAppliedIndex(),
                    first.getValue() << Integer.SIZE | second.getValue());
        } catch (InvalidProtocolBufferException e) {
            throw new TatamiException(ErrorCode.INTERNAL, "cannot hash a store", e);
        }
    }

    /** That all of the indexes were seen, most of them at several replicas, and alike. */
    synchronized void requireEqual(long appliedIndex) {
        assertEquals(Map.of(), differing);
        assertEquals(
                appliedIndex, sights.headMap(appliedIndex, true).tailMap(1L).size(), "indexes that were seen");
        long compared = sights.values().stream()
                .filter(sight -> sight.replicas().size() > 1)
                .count();
        System.out.println(compared + " of " + appliedIndex + " indexes were compared");
        assertTrue(compared > appliedIndex * 3 / 4, compared + " of " + appliedIndex + " were compared");
    }
}
