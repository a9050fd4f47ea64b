package io.tatami.server.http;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import com.fasterxml.jackson.databind.json.JsonMapper;

/** Answers in JSON: records by their components, with names_in_lower_case as everywhere in Tatami's JSON. */
public final class HttpJson {
    private static final ObjectMapper MAPPER = JsonMapper.builder()
            .propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)
            .build();

    private HttpJson() {}

    public static HttpAnswer of(Object value) {
        try {
            return HttpAnswer.json(HttpAnswer.OK, MAPPER.writeValueAsBytes(value));
        } catch (JsonProcessingException e) {
            throw new IllegalStateException(value.getClass() + " cannot be written as JSON", e);
        }
    }
}
