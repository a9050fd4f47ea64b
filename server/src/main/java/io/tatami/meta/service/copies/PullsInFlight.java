package io.tatami.meta.service.copies;

import io.tatami.base.BlockId;
import io.tatami.base.Clock;
import io.tatami.base.ServerId;
import io.tatami.meta.state.BlockCopies.Copy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The copies that block servers were asked for and that nothing was heard of yet. Begins empty with each leader, which
 * finds the intents of the one before it as it looks at the blocks that wait. Safe for use by many threads.
 */
final class PullsInFlight {
    /** After which a copy is asked for again, as the request or the report may be lost. */
    static final Duration AGAIN = Duration.ofSeconds(30);

    /** The same where the server had too much to do, or did not answer. */
    static final Duration AGAIN_SOON = Duration.ofSeconds(5);

    /** Requests in a row that the server did not take, after which another one is asked. */
    static final int TRIES_MAX = 6;

    private final Clock clock;
    private final int limit;
    private final Map<Pull, State> pulls = new LinkedHashMap<>();

    PullsInFlight(Clock clock, int limit) {
        this.clock = clock;
        this.limit = limit;
    }

    /** One copy of a block, by its number. */
    record Pull(BlockId block, Copy copy) {}

    private static final class State {
        private final long bytes;
        private long dueNanos;
        private int refusals;
        private @Nullable ServerId source;

        State(long bytes, long dueNanos) {
            this.bytes = bytes;
            this.dueNanos = dueNanos;
        }
    }

    /** How many more may be asked for; a quarter is kept for blocks with one good copy left. */
    synchronized int room(boolean urgent) {
        return Math.max(0, (urgent ? limit : limit - limit / 4) - pulls.size());
    }

    /** How many copies of blocks that need none may be intended now: a part of all, as others come first. */
    int roomForMoves() {
        return (room(false) + 2) / 3;
    }

    /** A copy is intended; it is due to be asked for. Without effect where it is known. */
    synchronized void add(Pull pull, long bytes) {
        pulls.computeIfAbsent(pull, absent -> new State(bytes, clock.monotonicNanos()));
    }

    synchronized boolean has(Pull pull) {
        return pulls.containsKey(pull);
    }

    /** Its bytes; -1 where it is not known. */
    synchronized long remove(Pull pull) {
        State state = pulls.remove(pull);
        return state == null ? -1 : state.bytes;
    }

    /** Some that are to be asked for now; they are due again later. */
    synchronized List<Pull> takeDue(int max) {
        List<Pull> due = new ArrayList<>();
        long now = clock.monotonicNanos();
        pulls.forEach((pull, state) -> {
            if (due.size() < max && now - state.dueNanos >= 0) {
                state.dueNanos = now + AGAIN.toNanos();
                state.source = null;
                due.add(pull);
            }
        });
        return due;
    }

    /** The copy was asked for, with that server as its first source. */
    synchronized void isMadeFrom(Pull pull, ServerId source) {
        State state = pulls.get(pull);
        if (state != null) {
            state.source = source;
        }
    }

    /** What servers are to send, by the first sources of the copies that were asked for and are not due again. */
    synchronized Map<ServerId, Long> bytesBySource() {
        Map<ServerId, Long> bytes = new HashMap<>();
        for (State state : pulls.values()) {
            ServerId source = state.source;
            if (source != null) {
                bytes.merge(source, state.bytes, Long::sum);
            }
        }
        return bytes;
    }

    synchronized void admitted(Pull pull) {
        State state = pulls.get(pull);
        if (state != null) {
            state.refusals = 0;
        }
    }

    /** Whether the server is to be left out from now on. */
    synchronized boolean refused(Pull pull) {
        State state = pulls.get(pull);
        if (state == null) {
            return false;
        }
        state.refusals++;
        state.dueNanos = clock.monotonicNanos() + AGAIN_SOON.toNanos();
        return state.refusals >= TRIES_MAX;
    }

    /** The pulls of a server that is lost. */
    synchronized List<Pull> of(ServerId server) {
        return pulls.keySet().stream()
                .filter(pull -> pull.copy().server().equals(server))
                .toList();
    }

    synchronized int count() {
        return pulls.size();
    }

    synchronized long bytes() {
        return pulls.values().stream().mapToLong(state -> state.bytes).sum();
    }
}
