package io.tatami.server.http;

import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;

/**
 * What a request is answered with.
 *
 * @param headers beside those of the content and those that every answer has
 */
public record HttpAnswer(int status, String contentType, byte[] body, Map<String, String> headers) {
    public static final int OK = 200;
    private static final String TEXT = "text/plain; charset=utf-8";
    private static final String JSON = "application/json; charset=utf-8";

    public static HttpAnswer text(int status, String text) {
        return of(status, TEXT, text.getBytes(StandardCharsets.UTF_8));
    }

    public static HttpAnswer text(String text) {
        return text(OK, text);
    }

    public static HttpAnswer json(int status, byte[] json) {
        return of(status, JSON, json);
    }

    public static HttpAnswer of(int status, String contentType, byte[] body) {
        return new HttpAnswer(status, contentType, body, Map.of());
    }

    public HttpAnswer withHeader(String name, String value) {
        Map<String, String> more = new HashMap<>(headers);
        more.put(name, value);
        return new HttpAnswer(status, contentType, body, Map.copyOf(more));
    }
}
