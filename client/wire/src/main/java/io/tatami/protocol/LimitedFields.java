package io.tatami.protocol;

import com.google.protobuf.ByteString;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import io.tatami.base.Check;
import io.tatami.protocol.RequestLimits.Limit;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What of one type of message has a limit, itself and in the messages in it. Immutable. */
final class LimitedFields {
    /** UTF-8 bytes of one char at most. */
    private static final int CHAR_BYTES_MAX = 3;

    private final List<Field> fields = new ArrayList<>();

    /**
     * A message of so many bytes breaks no limit: a list takes a byte an item, a text or byte string its own length.
     */
    private final int bytesWithoutExcess;

    /** @param limit null where a field is one message, and has no length itself */
    private record Field(
            FieldDescriptor descriptor,
            @Nullable Limit limit,
            @Nullable LimitedFields inside) {}

    LimitedFields(Descriptor message) {
        this(message, List.of());
    }

    /** @param above those that this is a part of */
    private LimitedFields(Descriptor message, List<Descriptor> above) {
        Check.check(!above.contains(message), "a request contains %s in itself", message.getFullName());
        List<Descriptor> path = new ArrayList<>(above);
        path.add(message);
        int least = Integer.MAX_VALUE;
        if (RequestLimits.isOurs(message)) {
            for (FieldDescriptor field : message.getFields()) {
                boolean isMessage = field.getJavaType() == FieldDescriptor.JavaType.MESSAGE;
                LimitedFields inside = isMessage ? new LimitedFields(field.getMessageType(), path) : null;
                Limit limit = field.isRepeated() || isBytes(field) ? RequestLimits.of(field) : null;
                if (limit != null || (inside != null && !inside.fields.isEmpty())) {
                    fields.add(new Field(field, limit, inside));
                    least = Math.min(least, inside == null ? Integer.MAX_VALUE : inside.bytesWithoutExcess);
                    least = Math.min(least, limit == null ? Integer.MAX_VALUE : least(field, limit));
                }
            }
        }
        bytesWithoutExcess = least;
    }

    private static boolean isBytes(FieldDescriptor field) {
        return switch (field.getJavaType()) {
            case STRING, BYTE_STRING -> true;
            case INT, LONG, FLOAT, DOUBLE, BOOLEAN, ENUM, MESSAGE -> false;
        };
    }

    private static int least(FieldDescriptor field, Limit limit) {
        Check.check(isBytes(field) == (limit.bytes() > 0), "the limit of %s is of another type", field.getFullName());
        int bytes = limit.bytes() > 0 ? limit.bytes() : Integer.MAX_VALUE;
        return field.isRepeated() ? Math.min(bytes, limit.items()) : bytes;
    }

    /** Which limit a message breaks, null for none. */
    @Nullable
    String excess(Message message) {
        if (message.getSerializedSize() <= bytesWithoutExcess) {
            return null;
        }
        for (Field field : fields) {
            String excess = field.descriptor.isRepeated() ? excessOfList(message, field) : excessOfOne(message, field);
            if (excess != null) {
                return excess;
            }
        }
        return null;
    }

    private static @Nullable String excessOfList(Message message, Field field) {
        int count = message.getRepeatedFieldCount(field.descriptor);
        Limit limit = field.limit;
        if (limit != null && count > limit.items()) {
            return field.descriptor.getName() + " has " + count + " items, at most " + limit.items()
                    + " are taken in one request; send several requests";
        }
        if (field.inside == null && (limit == null || limit.bytes() == 0)) {
            return null;
        }
        for (int i = 0; i < count; i++) {
            String excess = excess(message.getRepeatedField(field.descriptor, i), field);
            if (excess != null) {
                return excess;
            }
        }
        return null;
    }

    private static @Nullable String excessOfOne(Message message, Field field) {
        if (field.descriptor.hasPresence() && !message.hasField(field.descriptor)) {
            return null;
        }
        return excess(message.getField(field.descriptor), field);
    }

    private static @Nullable String excess(Object value, Field field) {
        LimitedFields inside = field.inside;
        if (inside != null) {
            return inside.excess((Message) value);
        }
        Limit limit = field.limit;
        int bytes = bytesOf(value, limit);
        return limit != null && bytes > limit.bytes()
                ? field.descriptor.getName() + " has " + bytes + " bytes, at most " + limit.bytes() + " are taken"
                : null;
    }

    private static int bytesOf(Object value, @Nullable Limit limit) {
        if (value instanceof ByteString bytes) {
            return bytes.size();
        }
        if (value instanceof String text) {
            boolean isShort = limit != null && text.length() <= limit.bytes() / CHAR_BYTES_MAX;
            return isShort ? text.length() : text.getBytes(StandardCharsets.UTF_8).length;
        }
        throw new IllegalArgumentException(value + " has no bytes");
    }
}
