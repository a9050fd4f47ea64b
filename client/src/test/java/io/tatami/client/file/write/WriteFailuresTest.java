package io.tatami.client.file.write;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.ManualClock;
import io.tatami.base.ServerId;
import java.time.Duration;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class WriteFailuresTest {
    private static final ServerId FRONT = new ServerId(1);
    private static final ServerId MIDDLE = new ServerId(2);
    private static final ServerId TAIL = new ServerId(3);
    private static final long FORGIVING_BYTES = 32L << 20;

    private final ManualClock clock = new ManualClock();
    private final WriteFailures failures = new WriteFailures(clock, 256L << 20);

    private boolean fail() {
        return failures.add(FRONT, TAIL);
    }

    @Test
    void thirteenFailuresEndTheWriter() {
        for (int i = 0; i < WriteFailures.FAILURES_MAX; i++) {
            failures.acknowledged(1 << 20);
            assertTrue(fail());
        }
        assertFalse(fail());
    }

    @Test
    void aFailureIsForgottenForTheBytesOfAShortBlock() {
        for (int i = 0; i < 1_000; i++) {
            assertTrue(fail());
            failures.acknowledged(FORGIVING_BYTES);
        }
        assertEquals(1, failures.count());
    }

    @Test
    void aFailureIsForgottenAfterTenMinutes() {
        for (int i = 0; i < 1_000; i++) {
            assertTrue(fail());
            clock.advance(Duration.ofMinutes(10));
        }
    }

    @Test
    void smallBlocksForgiveByTheirOwnLength() {
        WriteFailures small = new WriteFailures(clock, 1_000);
        for (int i = 0; i < 1_000; i++) {
            assertTrue(small.add(FRONT, TAIL));
            small.acknowledged(1_000);
        }
    }

    @Test
    void theFirstServerOfTwoChainsThatFailedIsAvoidedToo() {
        assertTrue(failures.add(FRONT, MIDDLE));
        assertEquals(Set.of(MIDDLE), failures.avoided());
        assertTrue(failures.add(FRONT, TAIL));
        assertEquals(Set.of(FRONT, MIDDLE, TAIL), failures.avoided());
    }

    @Test
    void failuresThatAreForgottenCountForNoFirstServer() {
        assertTrue(failures.add(FRONT, MIDDLE));
        failures.acknowledged(FORGIVING_BYTES);
        assertTrue(failures.add(FRONT, TAIL));
        assertEquals(Set.of(MIDDLE, TAIL), failures.avoided());
    }

    @Test
    void serversAreAvoidedForTenMinutesAndNoMoreThanSixtyFour() {
        assertTrue(failures.add(FRONT, FRONT));
        clock.advance(Duration.ofMinutes(5));
        failures.acknowledged(FORGIVING_BYTES);
        assertTrue(failures.add(MIDDLE, TAIL));
        clock.advance(Duration.ofMinutes(5));
        assertEquals(Set.of(TAIL), failures.avoided());
        for (int server = 100; server < 200; server++) {
            failures.acknowledged(FORGIVING_BYTES);
            assertTrue(failures.add(new ServerId(server), new ServerId(server)));
        }
        assertEquals(64, failures.avoided().size());
        assertFalse(failures.avoided().contains(TAIL));
        failures.avoidNone();
        assertEquals(Set.of(), failures.avoided());
    }
}
