package io.tatami.server.monitor;

import java.util.List;
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
    private volatile String phase = "starting";
    private volatile boolean serves;
    private volatile String end = "";

    /** A part is served from now on. @param problem why it serves nothing now; an empty text where it serves */
    void serves(String part, Supplier<String> problem) {
        parts.put(part, problem);
        phase = "serving";
        serves = true;
    }

    /** The server is told to stop, and serves to the end what it has begun. */
    void stops() {
        phase = "stopping";
        serves = false;
    }

    /** The server serves nothing any more, and its process has to be started again. */
    void ended(String reason) {
        end = reason;
        serves = false;
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
        if (!serves) {
            return List.of("the server is " + phase);
        }
        Map<String, String> found = new TreeMap<>();
        parts.forEach((part, problem) -> found.put(part, problem.get()));
        return found.entrySet().stream()
                .filter(part -> !part.getValue().isEmpty())
                .map(part -> part.getKey() + ": " + part.getValue())
                .toList();
    }
}
