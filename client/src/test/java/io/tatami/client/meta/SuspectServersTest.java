package io.tatami.client.meta;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.ErrorCode;
import io.tatami.base.ManualClock;
import io.tatami.base.ServerId;
import io.tatami.base.TatamiException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** For how long a server that failed is read last, and what ends that. */
final class SuspectServersTest {
    private static final ServerId SERVER = new ServerId(7);

    private final ManualClock clock = new ManualClock();
    private final List<CompletableFuture<String>> probes = new ArrayList<>();
    private final SuspectServers suspects = new SuspectServers(clock, server -> {
        CompletableFuture<String> probe = new CompletableFuture<>();
        probes.add(probe);
        return probe;
    });

    /** Nanoseconds may begin anywhere, and pass the largest number. */
    @BeforeEach
    void beginBeforeTheLargestNumber() {
        clock.advance(Duration.ofNanos(Long.MAX_VALUE - 5));
    }

    @Test
    void aSuspectIsProbedAfterItsTimeAndIsNoneOnceItAnswers() {
        assertFalse(suspects.isSuspect(SERVER));
        suspects.suspect(SERVER);
        clock.advance(Duration.ofSeconds(1).minusNanos(1));
        assertTrue(suspects.isSuspect(SERVER));
        assertEquals(0, probes.size());

        clock.advance(Duration.ofNanos(1));
        assertTrue(suspects.isSuspect(SERVER));
        assertTrue(suspects.isSuspect(SERVER));
        assertEquals(1, probes.size());

        probes.get(0).completeExceptionally(failure(ErrorCode.NO_SUCH_BLOCK));
        assertFalse(suspects.isSuspect(SERVER));
    }

    @Test
    void theTimeDoublesWithEachProbeWithoutAnswerUpToAMinute() {
        suspects.suspect(SERVER);
        for (int seconds : List.of(1, 2, 4, 8, 16, 32, 60, 60)) {
            clock.advance(Duration.ofSeconds(seconds).minusNanos(1));
            assertTrue(suspects.isSuspect(SERVER));
            assertEquals(0, probes.size(), "after " + seconds + " s");
            clock.advance(Duration.ofNanos(1));
            assertTrue(suspects.isSuspect(SERVER));
            probes.remove(0).completeExceptionally(failure(ErrorCode.UNAVAILABLE));
        }
        assertTrue(suspects.isSuspect(SERVER));
    }

    @Test
    void aServerThatAnswersAndFailsAgainIsSuspectedForTwiceAsLong() {
        suspects.suspect(SERVER);
        suspects.suspect(SERVER);
        clock.advance(Duration.ofSeconds(1));
        assertTrue(suspects.isSuspect(SERVER));
        probes.remove(0).complete("here");

        suspects.suspect(SERVER);
        clock.advance(Duration.ofSeconds(2).minusNanos(1));
        assertTrue(suspects.isSuspect(SERVER));
        assertEquals(0, probes.size());
        clock.advance(Duration.ofNanos(1));
        assertTrue(suspects.isSuspect(SERVER));
        probes.remove(0).complete("here");

        clock.advance(Duration.ofSeconds(4));
        suspects.suspect(SERVER);
        clock.advance(Duration.ofSeconds(1));
        assertTrue(suspects.isSuspect(SERVER));
        assertEquals(1, probes.size(), "what was long ago is forgotten");
    }

    @Test
    void aSlowServerIsASuspectOnlyIfItDoesNotAnswer() {
        suspects.doubt(SERVER);
        suspects.doubt(SERVER);
        assertEquals(1, probes.size());
        assertFalse(suspects.isSuspect(SERVER));
        probes.remove(0).complete("here");
        assertFalse(suspects.isSuspect(SERVER));
        assertEquals(0, suspects.count());

        suspects.doubt(SERVER);
        probes.remove(0).completeExceptionally(failure(ErrorCode.DEADLINE_EXCEEDED));
        assertTrue(suspects.isSuspect(SERVER));
    }

    @Test
    void onlyFailuresOfServersRaiseSuspicion() {
        for (ErrorCode code :
                List.of(ErrorCode.CORRUPT, ErrorCode.NO_SUCH_BLOCK, ErrorCode.FENCED, ErrorCode.CANCELLED)) {
            suspects.failed(SERVER, failure(code));
            assertFalse(suspects.isSuspect(SERVER), code::name);
        }
        suspects.failed(SERVER, failure(ErrorCode.UNAVAILABLE));
        assertTrue(suspects.isSuspect(SERVER));
    }

    @Test
    void theOldestSuspicionsGoWhereThereAreTooMany() {
        for (int id = 1; id <= SuspectServers.SERVERS_MAX + 10; id++) {
            suspects.suspect(new ServerId(id));
            clock.advance(Duration.ofNanos(1));
        }
        assertEquals(SuspectServers.SERVERS_MAX, suspects.count());
        assertFalse(suspects.isSuspect(new ServerId(10)));
        assertTrue(suspects.isSuspect(new ServerId(11)));
    }

    private static TatamiException failure(ErrorCode code) {
        return new TatamiException(code, "as the test says");
    }
}
