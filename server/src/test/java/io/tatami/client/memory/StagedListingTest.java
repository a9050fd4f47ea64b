package io.tatami.client.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.BlockId;
import io.tatami.base.ServerId;
import io.tatami.base.TatamiException;
import io.tatami.client.TatamiClient;
import io.tatami.client.file.FileWriter;
import io.tatami.client.file.StagedListing;
import io.tatami.client.model.CreateSpec;
import io.tatami.client.model.LocatedBlock;
import io.tatami.client.model.TatamiPath;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Who is asked what is staged, and how often. */
final class StagedListingTest {
    private static final int FILES = 12;
    private static final Set<ServerId> BOTH = Set.of(new ServerId(1), new ServerId(2));

    private final MemoryCluster cluster;

    StagedListingTest() throws TatamiException {
        cluster = new MemoryCluster(2);
        cluster.giveCacheTiers();
    }

    @AfterEach
    void close() {
        cluster.close();
    }

    @Test
    void aListingAsksEachServerOnceAPageForAllBlocksOfItsFiles() throws Exception {
        TatamiClient client = cluster.client();
        write(client);

        List<StagedListing.Entry> entries = list(client);

        assertEquals(FILES + 1, entries.size());
        for (StagedListing.Entry entry : entries) {
            for (LocatedBlock block : entry.status().blocks()) {
                assertEquals(
                        block.block().equals(BlockId.NONE) ? null : BOTH,
                        entry.staged().get(block.block()));
            }
        }
        for (FakeBlocks server : cluster.blocks) {
            assertEquals(
                    List.of(FILES),
                    server.askedForStaged().stream().map(List::size).toList());
        }
    }

    @Test
    void aServerThatDoesNotAnswerIsNotAskedAgainForTheNextPages() throws Exception {
        TatamiClient client = cluster.client(Map.of("tatami.client.list.page", "1"));
        write(client);
        cluster.blocks.get(0).setRefusing(true);

        List<StagedListing.Entry> entries = list(client);

        assertEquals(FILES + 1, entries.size());
        assertEquals(1, cluster.blocks.get(0).askedForStaged().size());
        assertTrue(cluster.blocks.get(1).askedForStaged().size() > 1);
        Set<Set<ServerId>> staged = entries.stream()
                .flatMap(entry -> entry.staged().values().stream())
                .collect(Collectors.toSet());
        assertEquals(Set.of(Set.of(new ServerId(2))), staged);
    }

    @Test
    void moreBlocksThanACallTakesAreAskedForInSeveral() throws Exception {
        TatamiClient client = cluster.client();
        write(client);
        LocatedBlock.Holder holder =
                new LocatedBlock.Holder(new ServerId(1), "node-1", 1, "/rack", "DISK", true, false);
        List<LocatedBlock> blocks = LongStream.rangeClosed(1, 25_000)
                .mapToObj(id -> new LocatedBlock(new BlockId(1_000_000 + id), 0, 1, List.of(holder), false, false))
                .toList();

        assertEquals(Map.of(), client.stagedCopies(blocks));

        assertEquals(
                List.of(10_000, 10_000, 5_000),
                cluster.blocks.get(0).askedForStaged().stream().map(List::size).toList());
    }

    private static List<StagedListing.Entry> list(TatamiClient client) throws TatamiException {
        List<StagedListing.Entry> entries = new ArrayList<>();
        StagedListing listing = client.listWithCopies(TatamiPath.ROOT);
        while (listing.hasNext()) {
            entries.add(listing.next());
        }
        return entries;
    }

    /** Some files of one block each, on both servers, and one that is stored in its entry. */
    private void write(TatamiClient client) throws Exception {
        for (int file = 0; file < FILES; file++) {
            write(client, "file-" + file, 20_000 + file);
        }
        for (StagedListing.Entry entry : list(client)) {
            long block = entry.status().blocks().get(0).block().value();
            for (int server = 0; server < 2; server++) {
                FakeBlocks other = cluster.blocks.get(1 - server);
                if (!cluster.blocks.get(server).holds(block)) {
                    cluster.blocks.get(server).copyFrom(other, block);
                }
            }
        }
        cluster.blocks.forEach(FakeBlocks::forgetQuestions);
        write(client, "small", 100);
    }

    private static void write(TatamiClient client, String name, int length) throws Exception {
        try (FileWriter writer =
                client.create(TatamiPath.ROOT.listedChild(name), CreateSpec.DEFAULT.withReplication(2))) {
            writer.write(new byte[length], 0, length);
        }
    }
}
