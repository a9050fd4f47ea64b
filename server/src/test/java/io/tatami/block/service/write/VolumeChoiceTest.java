package io.tatami.block.service.write;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class VolumeChoiceTest {
    private static final long RUN = 256;

    @Test
    void theFewestWritersWinAmongVolumesWithAWholeRun() {
        assertChosen(
                "idle",
                List.of(volume("roomy", 2, 9000, 9000), volume("idle", 0, 500, RUN), volume("busy", 1, 800, 800)));
    }

    @Test
    void whereEquallyManyWriteTheMostRoomWinsAndThenTheFirst() {
        assertChosen(
                "roomy",
                List.of(volume("first", 1, 500, RUN), volume("roomy", 1, 900, RUN), volume("third", 1, 900, RUN)));
    }

    @Test
    void aVolumeWithAWholeRunWinsHoweverManyWriteThere() {
        assertChosen("whole", List.of(volume("pieces", 0, 9000, RUN - 1), volume("whole", 7, RUN, RUN)));
    }

    @Test
    void whereNoneHasAWholeRunTheLongestWinsWhoeverWrites() {
        assertChosen("longest", List.of(volume("pieces", 0, 9000, 100), volume("longest", 5, 300, 101)));
    }

    @Test
    void aVolumeThatHangsIsTakenOnlyWhereThereIsNoOther() {
        VolumeChoice.Candidate<String> hanging = new VolumeChoice.Candidate<>("hanging", true, 0, 9000, 9000);
        assertChosen("full", List.of(hanging, volume("full", 3, 1, 1)));
        assertChosen("hanging", List.of(hanging));
    }

    @Test
    void ofNoVolumesNoneIsChosen() {
        assertEquals(Optional.empty(), VolumeChoice.best(List.of(), RUN));
    }

    private static VolumeChoice.Candidate<String> volume(String name, int writers, long free, long longestRun) {
        return new VolumeChoice.Candidate<>(name, false, writers, free, longestRun);
    }

    private static void assertChosen(String name, List<VolumeChoice.Candidate<String>> candidates) {
        assertEquals(Optional.of(name), VolumeChoice.best(candidates, RUN));
    }
}
