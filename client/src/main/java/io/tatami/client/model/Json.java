package io.tatami.client.model;

import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Writes maps, lists, strings, numbers and truth values as JSON (RFC 8259), for the commands that have {@code --json}.
 */
public final class Json {
    private Json() {}

    /** A map's keys stay in its order; what is of no such type is a string. */
    public static String text(Object value) {
        StringBuilder text = new StringBuilder();
        append(text, value);
        return text.toString();
    }

    /** The fields of a message of plain values under their names in the protocol, but for those of bytes. */
    public static Map<String, Object> fields(Message message) {
        Map<String, Object> fields = new LinkedHashMap<>();
        for (FieldDescriptor field : message.getDescriptorForType().getFields()) {
            if (field.getJavaType() != FieldDescriptor.JavaType.BYTE_STRING) {
                fields.put(field.getName(), message.getField(field));
            }
        }
        return fields;
    }

    private static void append(StringBuilder text, Object value) {
        if (value instanceof Map<?, ?> map) {
            text.append('{');
            String separator = "";
            for (Map.Entry<?, ?> entry : map.entrySet()) {
                text.append(separator);
                appendString(text, String.valueOf(entry.getKey()));
                text.append(':');
                append(text, entry.getValue());
                separator = ",";
            }
            text.append('}');
        } else if (value instanceof List<?> list) {
            text.append('[');
            String separator = "";
            for (Object element : list) {
                text.append(separator);
                append(text, element);
                separator = ",";
            }
            text.append(']');
        } else if (value instanceof Number || value instanceof Boolean) {
            text.append(value);
        } else {
            appendString(text, String.valueOf(value));
        }
    }

    private static void appendString(StringBuilder text, String value) {
        text.append('"');
        for (char c : value.toCharArray()) {
            if (c == '"' || c == '\\') {
                text.append('\\').append(c);
            } else if (c < ' ') {
                text.append(String.format("\\u%04x", (int) c));
            } else {
                text.append(c);
            }
        }
        text.append('"');
    }
}
