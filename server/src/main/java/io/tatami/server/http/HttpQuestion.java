package io.tatami.server.http;

import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.QueryStringDecoder;
import io.netty.handler.codec.http.cookie.Cookie;
import io.netty.handler.codec.http.cookie.ServerCookieDecoder;
import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * One HTTP request, without the buffers that it came in.
 *
 * @param path decoded, without the query
 * @param parameters of the query and of a body of form fields
 * @param headers by their names in lower case; the first of each
 * @param cookies by their names
 */
public record HttpQuestion(
        String method,
        String path,
        Map<String, List<String>> parameters,
        Map<String, String> headers,
        Map<String, String> cookies) {
    private static final String FORM = "application/x-www-form-urlencoded";

    /** @throws TatamiException INVALID_ARGUMENT where the path or the query is no valid one */
    static HttpQuestion of(FullHttpRequest request) throws TatamiException {
        try {
            QueryStringDecoder uri = new QueryStringDecoder(request.uri());
            Map<String, List<String>> parameters = new HashMap<>(uri.parameters());
            Map<String, String> headers = new HashMap<>();
            request.headers()
                    .forEach(
                            header -> headers.putIfAbsent(header.getKey().toLowerCase(Locale.ROOT), header.getValue()));
            if (headers.getOrDefault("content-type", "").startsWith(FORM)) {
                String body = request.content().toString(StandardCharsets.UTF_8);
                new QueryStringDecoder(body, StandardCharsets.UTF_8, false)
                        .parameters()
                        .forEach(parameters::putIfAbsent);
            }
            Map<String, String> cookies = new HashMap<>();
            for (Cookie cookie :
                    ServerCookieDecoder.STRICT.decode(headers.getOrDefault(HttpHeaderNames.COOKIE.toString(), ""))) {
                cookies.putIfAbsent(cookie.name(), cookie.value());
            }
            return new HttpQuestion(request.method().name(), uri.path(), parameters, headers, cookies);
        } catch (IllegalArgumentException e) {
            throw new TatamiException(ErrorCode.INVALID_ARGUMENT, "the request is not well formed: " + e, e);
        }
    }

    /** The first value of a header, by its name in lower case. */
    public Optional<String> header(String name) {
        return Optional.ofNullable(headers.get(name));
    }

    /** The first value of a parameter. */
    public Optional<String> parameter(String name) {
        return Optional.ofNullable(parameters.get(name)).map(values -> values.get(0));
    }

    /** @throws TatamiException INVALID_ARGUMENT where there is none */
    public String required(String name) throws TatamiException {
        return parameter(name)
                .orElseThrow(
                        () -> new TatamiException(ErrorCode.INVALID_ARGUMENT, path + " needs the parameter " + name));
    }
}
