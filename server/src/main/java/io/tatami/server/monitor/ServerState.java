package io.tatami.server.monitor;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/**
 * Whether the server of this process works, for supervisors. It is alive until a part has ended for good, and ready
 * while it serves. Safe for use by many threads.
 */
final class ServerState {
    private final Map<String, Supplier<String>> parts = new ConcurrentHashMap<>();
    private volatile Phase phase = Phase.STARTING;
    private volatile String end = "";

    /** How far the server is with its work, as long as it has not ended by itself. */
    private enum Phase {
        STARTING,
        SERVING,
        STOPPING;

        String text() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** A part is served from now on. @param problem why it serves nothing now; an empty text where it serves */
    void serves(String part, Supplier<String> problem) {
        parts.put(part, problem);
        phase = Phase.SERVING;
    }

    /** The server is told to stop, and serves to the end what it has begun. */
    void stops() {
        phase = Phase.STOPPING;
    }

    /** The server serves nothing any more, and its process has to be started again. */
    void ended(String reason) {
        end = reason;
    }

    /** Why the process should be started again; empty where it should not. */
    Optional<String> death() {
        return end.isEmpty() ? Optional.empty() : Optional.of(end);
    }

    /** Why it should be sent no requests now; none where it may be. */
    List<String> problems() {
        if (!end.isEmpty()) {
            return List.of(end);
        }
        Phase now = phase;
        if (now != Phase.SERVING) {
            return List.of("the server is " + now.text());
        }
        Map<String, String> found = new TreeMap<>();
        parts.forEach((part, problem) -> found.put(part, problem.get()));
        return found.entrySet().stream()
                .filter(part -> !part.getValue().isEmpty())
                .map(part -> part.getKey() + ": " + part.getValue())
                .toList();
    }
}
