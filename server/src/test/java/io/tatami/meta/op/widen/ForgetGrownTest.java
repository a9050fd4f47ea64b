package io.tatami.meta.op.widen;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.DirectoryId;
import io.tatami.meta.op.file.FileShard;
import io.tatami.meta.state.MemoryView;
import io.tatami.meta.state.wire.EntryRecord;
import io.tatami.meta.state.wire.FileEntry;
import io.tatami.meta.state.wire.GrownDirectory;
import io.tatami.meta.state.wire.GrownReply;
import io.tatami.meta.state.wire.GrownRequest;
import io.tatami.meta.state.wire.GrowthRecord;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The directories 7 and 8 are noted as grown. */
final class ForgetGrownTest {
    private final FileShard shard = new FileShard();

    @BeforeEach
    void grow() {
        shard.change(state -> {
            state.entries()
                    .changeName(
                            new DirectoryId(7),
                            "f",
                            EntryRecord.newBuilder()
                                    .setFile(FileEntry.getDefaultInstance())
                                    .build(),
                            1_000);
            state.putGrowth(
                    new DirectoryId(7), GrowthRecord.newBuilder().setSpread(2).build());
            state.putGrowth(
                    new DirectoryId(8), GrowthRecord.newBuilder().setSpread(4).build());
        });
    }

    @Test
    void grownDirectoriesAreListedWithTheirSizeHere() throws Exception {
        GrownDirectory first = GrownDirectory.newBuilder()
                .setDirectoryId(7)
                .setSpread(2)
                .setEntries(1)
                .setChanges(1)
                .build();
        assertEquals(List.of(first), list(1).getDirectoryList());
        assertEquals(2, list(10).getDirectoryCount());
    }

    @Test
    void onlyWhatWasLookedAtIsForgotten() throws Exception {
        shard.run(new ForgetGrown(), list(1));
        assertEquals(
                List.of(8L),
                list(10).getDirectoryList().stream()
                        .map(GrownDirectory::getDirectoryId)
                        .toList());
        assertEquals(1, shard.state().slice(new DirectoryId(7)).getFiles(), "only the note goes");
    }

    @Test
    void repeatedForgettingChangesNothing() throws Exception {
        GrownReply lookedAt = list(1);
        shard.run(new ForgetGrown(), lookedAt);
        MemoryView before = shard.store().copy();
        shard.run(new ForgetGrown(), lookedAt);
        assertTrue(shard.store().sameAs(before));
    }

    private GrownReply list(int limit) throws Exception {
        return shard.run(
                new ListGrown(), GrownRequest.newBuilder().setLimit(limit).build());
    }
}
