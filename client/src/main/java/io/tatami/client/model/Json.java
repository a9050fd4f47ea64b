package io.tatami.client.model;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.google.protobuf.Descriptors.EnumValueDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Writes maps, lists, strings, numbers and truth values as JSON (RFC 8259), for the commands that have {@code --json}.
 * Jackson does it, which Hadoop has on every class path.
 */
public final class Json {
    private static final ObjectMapper MAPPER = new ObjectMapper();

    private Json() {}

    /** A map's keys stay in its order. */
    public static String text(Object value) {
        try {
            return MAPPER.writeValueAsString(value);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException(value.getClass() + " cannot be written as JSON", e);
        }
    }

    /**
     * The fields of a message under their names in the protocol, messages in it as maps; fields of bytes are left out.
     */
    public static Map<String, Object> fields(Message message) {
        Map<String, Object> fields = new LinkedHashMap<>();
        for (FieldDescriptor field : message.getDescriptorForType().getFields()) {
            if (field.getJavaType() != FieldDescriptor.JavaType.BYTE_STRING) {
                fields.put(field.getName(), plain(message.getField(field)));
            }
        }
        return fields;
    }

    private static Object plain(Object value) {
        if (value instanceof List<?> list) {
            return list.stream().map(Json::plain).toList();
        }
        if (value instanceof Message message) {
            return fields(message);
        }
        if (value instanceof EnumValueDescriptor constant) {
            return constant.getName();
        }
        return value;
    }
}
