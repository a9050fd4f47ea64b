package io.tatami.server.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.ManualClock;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class AdminSessionsTest {
    private final ManualClock clock = new ManualClock();
    private final AdminSessions sessions = new AdminSessions(clock, new SecureRandom());

    private String session() {
        return sessions.begin(sessions.invite("anna")).orElseThrow();
    }

    @Test
    void anInvitationBeginsOneSession() {
        String invitation = sessions.invite("anna");
        String session = sessions.begin(invitation).orElseThrow();
        assertEquals(Optional.of("anna"), sessions.user(session));
        assertTrue(sessions.begin(invitation).isEmpty());
        assertTrue(sessions.user(invitation).isEmpty());
        assertTrue(sessions.begin("guessed").isEmpty());
    }

    @Test
    void anInvitationIsGoodForAMinute() {
        String early = sessions.invite("anna");
        String late = sessions.invite("anna");
        clock.advance(Duration.ofSeconds(59));
        assertTrue(sessions.begin(early).isPresent());
        clock.advance(Duration.ofSeconds(1));
        assertTrue(sessions.begin(late).isEmpty());
    }

    @Test
    void aSessionEndsAnHourAfterItsLastRequest() {
        String session = session();
        for (int i = 0; i < 5; i++) {
            clock.advance(Duration.ofMinutes(59));
            assertTrue(sessions.user(session).isPresent());
        }
        clock.advance(Duration.ofMinutes(60));
        assertTrue(sessions.user(session).isEmpty());
    }

    @Test
    void aSessionInUseEndsAfterTwelveHours() {
        String session = session();
        for (int i = 0; i < 23; i++) {
            clock.advance(Duration.ofMinutes(30));
            assertTrue(sessions.user(session).isPresent(), "after " + (i + 1) + " half hours");
        }
        clock.advance(Duration.ofMinutes(30));
        assertTrue(sessions.user(session).isEmpty());
    }

    @Test
    void theOldestOfTooManyGivesWay() {
        List<String> open = new ArrayList<>();
        for (int i = 0; i < 65; i++) {
            open.add(session());
        }
        assertTrue(sessions.user(open.get(0)).isEmpty());
        assertTrue(sessions.user(open.get(1)).isPresent());
        assertTrue(sessions.user(open.get(64)).isPresent());
    }
}
