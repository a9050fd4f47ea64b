package io.tatami.server.http;

import io.tatami.base.Clock;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * The sessions of administrators. A superuser gets an invitation, which is good for one session and for a minute; a
 * session ends after an hour without a request, and after twelve hours in any case. Both are 256 random bits, and only
 * their digests are kept, in memory. At most {@value #KEPT_MAX} of each are kept, and the oldest gives way. Safe for
 * use by many threads.
 */
public final class AdminSessions {
    private static final int KEPT_MAX = 64;
    private static final int TOKEN_BYTES = 32;
    private static final long INVITATION_NANOS = TimeUnit.MINUTES.toNanos(1);
    private static final long IDLE_NANOS = TimeUnit.HOURS.toNanos(1);
    private static final long SESSION_NANOS = TimeUnit.HOURS.toNanos(12);

    private final Clock clock;
    private final SecureRandom random;
    private final Map<String, Invitation> invitations = new LinkedHashMap<>();
    private final Map<String, Session> sessions = new LinkedHashMap<>();

    private record Invitation(String user, long madeNanos) {}

    private record Session(String user, long begunNanos, long usedNanos) {}

    public AdminSessions(Clock clock, SecureRandom random) {
        this.clock = clock;
        this.random = random;
    }

    /** The secret of an invitation for a superuser. */
    public synchronized String invite(String user) {
        String secret = secret();
        keep(invitations, secret, new Invitation(user, clock.monotonicNanos()));
        return secret;
    }

    /** Begins a session by an invitation, which is used up; its secret, or empty where there is no such invitation. */
    public synchronized Optional<String> begin(String invitation) {
        Invitation taken = invitations.remove(digest(invitation));
        long nowNanos = clock.monotonicNanos();
        if (taken == null || nowNanos - taken.madeNanos() >= INVITATION_NANOS) {
            return Optional.empty();
        }
        String secret = secret();
        keep(sessions, secret, new Session(taken.user(), nowNanos, nowNanos));
        return Optional.of(secret);
    }

    /** The user of a session that is open, which so goes on; empty where there is no such session. */
    public synchronized Optional<String> user(String session) {
        String key = digest(session);
        Session known = sessions.get(key);
        long nowNanos = clock.monotonicNanos();
        if (known == null
                || nowNanos - known.usedNanos() >= IDLE_NANOS
                || nowNanos - known.begunNanos() >= SESSION_NANOS) {
            sessions.remove(key);
            return Optional.empty();
        }
        sessions.put(key, new Session(known.user(), known.begunNanos(), nowNanos));
        return Optional.of(known.user());
    }

    /** Ends a session. */
    public synchronized void end(String session) {
        sessions.remove(digest(session));
    }

    private static <T> void keep(Map<String, T> kept, String secret, T value) {
        if (kept.size() >= KEPT_MAX) {
            kept.remove(kept.keySet().iterator().next());
        }
        kept.put(digest(secret), value);
    }

    private String secret() {
        byte[] bytes = new byte[TOKEN_BYTES];
        random.nextBytes(bytes);
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }

    /** So that a look-up takes no longer for a secret that is nearly right. */
    private static String digest(String secret) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(secret.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }
}
