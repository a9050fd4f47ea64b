package io.tatami.server.http;

import io.tatami.base.Check;
import io.tatami.base.TatamiException;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** What is served under which path, and by which right. Filled by one thread before the port opens. */
public final class HttpRoutes {
    private final Map<String, Map<String, Route>> routes = new TreeMap<>();
    private final Set<String> atOnce = new TreeSet<>();

    /** Answers one kind of request. */
    @FunctionalInterface
    public interface Handler {
        /**
         * Called by a thread that may wait.
         *
         * @throws TatamiException whose code becomes a status; the message is for the person who asked
         */
        HttpAnswer answer(HttpQuestion question) throws TatamiException;
    }

    /** A path with a method. */
    record Route(Right right, Handler handler) {}

    /** Returns this. {@code HEAD} is served with it. */
    public HttpRoutes get(String path, Right right, Handler handler) {
        return add("GET", path, right, handler);
    }

    /** Returns this. What changes something is served by this alone. */
    public HttpRoutes post(String path, Right right, Handler handler) {
        return add("POST", path, right, handler);
    }

    /**
     * Returns this. As {@link #get}, and answered by the thread of the sockets, so that no other request is in its way;
     * the handler must not wait.
     */
    public HttpRoutes getAtOnce(String path, Right right, Handler handler) {
        atOnce.add(path);
        return get(path, right, handler);
    }

    boolean isAnsweredAtOnce(String path) {
        return atOnce.contains(path);
    }

    private HttpRoutes add(String method, String path, Right right, Handler handler) {
        Route before = routes.computeIfAbsent(path, absent -> new TreeMap<>()).put(method, new Route(right, handler));
        Check.check(before == null, "%s %s is served twice", method, path);
        return this;
    }

    Optional<Route> find(String method, String path) {
        String asked = method.equals("HEAD") ? "GET" : method;
        return Optional.ofNullable(routes.get(path)).map(methods -> methods.get(asked));
    }

    /** The methods that a path is served with; none for a path that is not served. */
    Set<String> methods(String path) {
        return new TreeSet<>(routes.getOrDefault(path, Map.of()).keySet());
    }

    /** Every path that is served. */
    public Set<String> paths() {
        return new TreeSet<>(routes.keySet());
    }
}
