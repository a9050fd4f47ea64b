package io.tatami.benchmarks.harness.trace;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class AddressTrailTest {
    private static final long SECTORS_PER_MEBIBYTE = 2048;

    @Test
    void readsOneAfterTheOtherAreNoJump() {
        AddressTrail trail = trail(read(100, 8), read(108, 8), read(116, 16));
        assertEquals(0, trail.jumps());
        assertEquals(32 * 512, trail.bytes());
        assertEquals(List.of(), trail.foreign(32 * 512));
    }

    @Test
    void aJumpIsCountedForwardsAndBackwardsAndFarOnesApart() {
        long far = 17 * SECTORS_PER_MEBIBYTE;
        AddressTrail trail = trail(read(0, 8), read(16, 8), read(8, 8), read(far, 8), read(far + 8, 8), read(24, 8));
        assertEquals(4, trail.jumps());
        assertEquals(2, trail.jumpsBeyond(AddressTrail.NEAR_BYTES));
    }

    @Test
    void aFlushBetweenReadsIsNoJumpButForeign() {
        AddressTrail trail = trail(read(0, 8), new BlockRequest(0, "FF", 0, 0, "x"), read(8, 8));
        assertEquals(0, trail.jumps());
        assertEquals(List.of("1 requests that are no reads"), trail.foreign(16 * 512));
    }

    @Test
    void bytesReadTwiceBesideOrNotAtAllAreTold() {
        assertEquals(
                List.of("2048 bytes read twice"), trail(read(0, 8), read(4, 8)).foreign(12 * 512));
        assertEquals(
                List.of("4096 bytes read beside those of the file"),
                trail(read(0, 8), read(80, 8)).foreign(8 * 512));
        assertEquals(
                List.of("4096 bytes of the file not read from the device"),
                trail(read(0, 8)).foreign(16 * 512));
        assertEquals(
                List.of("512 bytes read twice"),
                trail(read(0, 16), read(4, 1), read(16, 8)).foreign(24 * 512));
    }

    private static AddressTrail trail(BlockRequest... requests) {
        return new AddressTrail(Arrays.asList(requests));
    }

    private static BlockRequest read(long sector, long sectors) {
        return new BlockRequest(0, "R", sector, sectors, "x");
    }
}
