package io.tatami.meta.op.tree;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.DirectoryId;
import io.tatami.meta.op.tree.wire.ShardsOfHandlesReply;
import io.tatami.meta.op.tree.wire.ShardsOfHandlesRequest;
import io.tatami.meta.state.TreeState.Named;
import io.tatami.protocol.Placement;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class ShardsOfHandlesTest {
    private static final int SHARDS = 256;

    private final MemoryTree tree = new MemoryTree();
    private final Set<Integer> expected = new TreeSet<>();

    private DirectoryId make(DirectoryId parent, String name) {
        DirectoryId directory = tree.make(parent, name);
        expect(directory, MemoryTree.SPREAD);
        return directory;
    }

    private void expect(DirectoryId directory, int spread) {
        for (int step = 0; step < spread; step++) {
            expected.add((Placement.firstShardOf(directory, SHARDS) + step) % SHARDS);
        }
    }

    private ShardsOfHandlesReply ask(DirectoryId directory, boolean selfOnly, int spread) throws Exception {
        return tree.run(
                new ShardsOfHandles(SHARDS),
                ShardsOfHandlesRequest.newBuilder()
                        .addFrom(ShardsOfHandlesRequest.From.newBuilder()
                                .setDirectoryId(directory.value())
                                .setSelfOnly(selfOnly)
                                .setSpread(spread))
                        .build());
    }

    private void assertExpected(ShardsOfHandlesReply reply) {
        assertEquals(expected, new TreeSet<>(reply.getShardList()));
    }

    @Test
    void handlesOfADirectoryWithNoneBelowAreUsedAtItsOwnShards() throws Exception {
        DirectoryId unused = tree.make(DirectoryId.ROOT, "beside");
        assertExpected(ask(make(DirectoryId.ROOT, "leaf"), false, 0));
    }

    @Test
    void handlesOfAllBelowCountUnlessTheChangeConcernsTheDirectoryAlone() throws Exception {
        DirectoryId top = make(DirectoryId.ROOT, "top");
        assertExpected(ask(top, true, 0));
        DirectoryId middle = make(top, "middle");
        DirectoryId unused = make(middle, "bottom");
        DirectoryId other = make(top, "other");
        tree.change(state -> state.replaceRecord(new Named(
                top, "other", tree.record(top, "other").toBuilder().setSpread(4).build())));
        expect(other, 4);
        assertExpected(ask(top, false, 0));
    }

    @Test
    void shardsThatADirectoryIsAboutToHaveCount() throws Exception {
        DirectoryId wide = tree.make(DirectoryId.ROOT, "wide");
        expect(wide, 2 * MemoryTree.SPREAD);
        assertExpected(ask(wide, true, 2 * MemoryTree.SPREAD));
    }

    @Test
    void asManyDirectoriesAsAreLookedAtAreNamedAndOneMoreMeansEveryShard() throws Exception {
        DirectoryId top = make(DirectoryId.ROOT, "top");
        DirectoryId below = make(top, "below");
        for (int i = 1; i < ShardsOfHandles.DIRECTORIES_MAX; i++) {
            DirectoryId unused = make(below, "d" + i);
        }
        assertExpected(ask(top, false, 0));
        DirectoryId unused = make(top, "last");
        assertTrue(ask(top, false, 0).getAll());
    }

    @Test
    void aDirectoryThatIsNotInTheTreeMeansEveryShard() throws Exception {
        assertTrue(ask(new DirectoryId(4_711), false, 0).getAll());
    }
}
