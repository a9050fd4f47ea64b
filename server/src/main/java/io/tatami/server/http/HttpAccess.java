package io.tatami.server.http;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/**
 * The one place where the HTTP port asks for rights, before any handler sees a request. Safe for use by many threads.
 *
 * <p>A request is refused if
 *
 * <ul>
 *   <li>it names the server by a name that is not the server's: a page of another site whose name was made to lead here
 *       (DNS rebinding) reads nothing;
 *   <li>it may change something and comes from a page of another site;
 *   <li>it needs an administrator, and shows no session of one, by {@linkplain #cookie its cookie} or as bearer token.
 * </ul>
 */
public final class HttpAccess {
    private static final String COOKIE = "tatami-session";

    private static final String BEARER = "Bearer ";
    private static final Set<String> SAFE_METHODS = Set.of("GET", "HEAD");
    private static final Set<String> OWN_SITES = Set.of("same-origin", "none");

    private final AdminSessions sessions;
    private final Set<String> names;

    /**
     * Why a request is not answered.
     *
     * @param status of HTTP
     */
    public record Refusal(int status, String reason) {}

    /** @param names by which browsers may reach this server, beside {@code localhost} and IP addresses; lower case */
    public HttpAccess(AdminSessions sessions, Set<String> names) {
        this.sessions = sessions;
        this.names = Set.copyOf(names);
    }

    /** Empty where the request may be answered. */
    Optional<Refusal> refusal(Right right, HttpQuestion question) {
        if (!isOwnName(question.headers().getOrDefault("host", ""))) {
            return Optional.of(new Refusal(
                    421,
                    "this server is not known by the name that the request gives; add the name to tatami.http.names"));
        }
        if (!SAFE_METHODS.contains(question.method()) && !isOwnSite(question)) {
            return Optional.of(new Refusal(403, "requests from pages of other sites change nothing here"));
        }
        if (right == Right.ADMINISTER && administrator(question).isEmpty()) {
            return Optional.of(
                    new Refusal(401, "this is for administrators; a superuser gets a link by 'tatami console URI'"));
        }
        return Optional.empty();
    }

    /** The administrator whose session a request shows. */
    public Optional<String> administrator(HttpQuestion question) {
        return session(question).flatMap(sessions::user);
    }

    /** The secret of the session that a request shows, open or not. */
    public static Optional<String> session(HttpQuestion question) {
        return question.header("authorization")
                .filter(value -> value.startsWith(BEARER))
                .map(value -> value.substring(BEARER.length()))
                .or(() -> Optional.ofNullable(question.cookies().get(cookie(question))));
    }

    /** The name of a session's cookie; browsers do not tell the ports of a host apart, so the port is in it. */
    public static String cookie(HttpQuestion question) {
        String host = question.headers().getOrDefault("host", "");
        String port = host.replaceFirst("^.*:(\\d+)$", "$1");
        return port.equals(host) ? COOKIE : COOKIE + "-" + port;
    }

    private boolean isOwnName(String hostAndPort) {
        String host = host(hostAndPort);
        return host.equals("localhost") || isAddress(host) || names.contains(host);
    }

    private static boolean isOwnSite(HttpQuestion question) {
        String site = question.headers().getOrDefault("sec-fetch-site", "none");
        Optional<String> origin = question.header("origin");
        return OWN_SITES.contains(site)
                && (origin.isEmpty()
                        || authority(origin.get())
                                .equalsIgnoreCase(question.headers().getOrDefault("host", "")));
    }

    private static String authority(String origin) {
        try {
            return Optional.ofNullable(new URI(origin).getRawAuthority()).orElse("");
        } catch (URISyntaxException e) {
            return "";
        }
    }

    private static String host(String hostAndPort) {
        String host = hostAndPort.startsWith("[")
                ? hostAndPort.substring(0, hostAndPort.indexOf(']') + 1)
                : hostAndPort.replaceFirst(":\\d*$", "");
        return host.toLowerCase(Locale.ROOT);
    }

    /** A name of digits and dots is never looked up, so nobody can make it lead here. */
    private static boolean isAddress(String host) {
        return host.startsWith("[") || host.matches("\\d{1,3}(\\.\\d{1,3}){3}");
    }
}
