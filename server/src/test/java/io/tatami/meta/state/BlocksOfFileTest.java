package io.tatami.meta.state;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.tatami.base.FileId;
import io.tatami.meta.state.wire.BlockRecord;
import io.tatami.meta.state.wire.HomeRecord;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** Few blocks are looked up and many walked over; a file beside it has blocks, too. */
class BlocksOfFileTest {
    private static final FileId FILE = FileId.of(0, 1, 5);
    private static final FileId NEXT = FileId.of(0, 1, 6);

    private final ShardState state = new ShardState(new Draft(new MemoryView()));

    @Test
    void allAreThereInTheOrderOfTheFileHoweverMany() {
        for (int blocks : new int[] {0, 1, 8, 9, 300}) {
            HomeRecord home = fileOf(blocks);
            state.putBlock(NEXT, 0, block(9_999));
            assertEquals(LongStream.range(0, blocks).boxed().toList(), ids(state.blocks(FILE, home)));
            assertEquals(LongStream.range(0, blocks).boxed().toList(), ids(state.blocks(FILE)));
            assertEquals(
                    IntStream.range(0, blocks).boxed().toList(),
                    List.copyOf(state.recordedBlocks(FILE, home).keySet()));
        }
    }

    @Test
    void aGrantedBlockIsTheFirstAndHasNoRecord() {
        HomeRecord home =
                HomeRecord.newBuilder().setGranted(block(77)).setBlocks(1).build();
        state.putHome(FILE, home);
        assertEquals(List.of(77L), ids(state.blocks(FILE, home)));
        assertEquals(0, state.recordedBlocks(FILE, home).size());
    }

    @Test
    void moreThanTheHomeCountsAreSeenWhereAllAreAskedFor() {
        fileOf(3);
        HomeRecord fewer = HomeRecord.newBuilder().setBlocks(2).build();
        state.putHome(FILE, fewer);
        assertEquals(List.of(0L, 1L), ids(state.blocks(FILE, fewer)));
        assertEquals(List.of(0L, 1L, 2L), ids(state.blocks(FILE)));
    }

    private HomeRecord fileOf(int blocks) {
        HomeRecord home = HomeRecord.newBuilder().setBlocks(blocks).build();
        state.putHome(FILE, home);
        IntStream.range(0, blocks).forEach(index -> state.putBlock(FILE, index, block(index)));
        return home;
    }

    private static BlockRecord block(long id) {
        return BlockRecord.newBuilder().setBlockId(id).build();
    }

    private static List<Long> ids(List<BlockRecord> blocks) {
        return blocks.stream().map(BlockRecord::getBlockId).toList();
    }
}
