package io.tatami.meta.service.lead;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

final class InlineReadPolicyTest {
    private static final int READS = 100_000;
    private static final long OUT_OF_MEMORY = TimeUnit.MICROSECONDS.toNanos(45);
    private static final long OFF_AN_SSD = TimeUnit.MICROSECONDS.toNanos(120);
    private static final long OFF_A_DISK = TimeUnit.MILLISECONDS.toNanos(10);

    private final InlineReadPolicy files = new InlineReadPolicy();

    /** How many of so many reads were tried, each of which took so long. */
    private int tried(int reads, long nanos) {
        int tried = 0;
        for (int i = 0; i < reads; i++) {
            if (files.isNextTried()) {
                files.took(nanos);
                tried++;
            }
        }
        return tried;
    }

    @Test
    void allAreTriedOnceTheyAreSeenToBeQuick() {
        assertEquals(1, tried(64, OUT_OF_MEMORY));
        tried(READS, OUT_OF_MEMORY);
        assertEquals(READS, tried(READS, OUT_OF_MEMORY));
    }

    @Test
    void ofThoseThatComeFromAnSsdOneNowAndThenIsTried() {
        tried(READS, OUT_OF_MEMORY);
        int until = tried(READS, OFF_AN_SSD);
        assertTrue(until < READS / 60, until + " were tried");
        assertEquals(READS / 64, tried(READS / 64 * 64, OFF_AN_SSD));
    }

    @Test
    void ofThoseThatComeFromADiskFewAreTriedAfterThoseOutOfMemory() {
        tried(READS, OUT_OF_MEMORY);
        assertTrue(tried(64, OFF_A_DISK) < 10);
    }

    @Test
    void oneOfAHundredInWhichAThreadLosesItsProcessorChangesNothing() {
        tried(READS, OUT_OF_MEMORY);
        for (int i = 0; i < 100; i++) {
            assertEquals(99, tried(99, OUT_OF_MEMORY));
            assertEquals(1, tried(1, TimeUnit.MILLISECONDS.toNanos(3)));
        }
    }
}
