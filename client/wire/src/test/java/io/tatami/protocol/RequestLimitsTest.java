package io.tatami.protocol;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor.JavaType;
import com.google.protobuf.Message;
import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.protocol.RequestLimits.Limit;
import io.tatami.protocol.wire.ConcatRequest;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Every list, text and byte string of every request has a limit, which holds, and which the documents tell. */
final class RequestLimitsTest {
    private static final Pattern BEGIN = Pattern.compile("\\s*(?:message|enum|oneof) (\\w+) \\{(\\})?.*");
    private static final Pattern FIELD = Pattern.compile("\\s*(?:repeated |optional )?[\\w.]+ (\\w+) = \\d+;(.*)");
    private static final Pattern ROW = Pattern.compile("\\| `([A-Z]\\w+(?:\\.\\w+)+)` \\| ([^|]*) \\|");

    /** A field that has a limit, from the request inwards. */
    private record Place(String method, Message request, List<FieldDescriptor> path) {
        FieldDescriptor last() {
            return path.get(path.size() - 1);
        }

        String key() {
            return last().getFullName().substring("tatami.".length());
        }

        /** A request with so many items there, or one, of so many bytes. */
        Message with(int items, int bytes) {
            return with(request, 0, items, bytes);
        }

        private Message with(Message message, int depth, int items, int bytes) {
            FieldDescriptor field = path.get(depth);
            Message.Builder builder = message.newBuilderForType();
            boolean isLast = depth == path.size() - 1;
            Object value = field.getJavaType() == JavaType.MESSAGE
                    ? inner(builder.newBuilderForField(field).build(), depth, isLast, items, bytes)
                    : value(field, bytes);
            if (!field.isRepeated()) {
                return builder.setField(field, value).build();
            }
            for (int i = 0; i < (isLast ? items : 1); i++) {
                builder.addRepeatedField(field, value);
            }
            return builder.build();
        }

        private Message inner(Message message, int depth, boolean isLast, int items, int bytes) {
            return isLast ? message : with(message, depth + 1, items, bytes);
        }

        private static Object value(FieldDescriptor field, int bytes) {
            return switch (field.getJavaType()) {
                case INT -> (Object) 1;
                case LONG -> (Object) 1L;
                case STRING -> "s".repeat(bytes);
                case BYTE_STRING -> ByteString.copyFrom(new byte[bytes]);
                case ENUM -> field.getEnumType().getValues().get(0);
                case FLOAT, DOUBLE, BOOLEAN, MESSAGE -> throw new AssertionError("no limit for " + field);
            };
        }
    }

    private static List<Place> places() throws Exception {
        List<Place> places = new ArrayList<>();
        for (Class<?> table : List.of(MetaMethods.class, BlockMethods.class)) {
            for (Method<?, ?> call : DeclaredMethods.calls(table)) {
                collect(call.name(), call.requestParser().parseFrom(new byte[0]), places);
            }
            for (StreamMethod<?, ?, ?, ?> stream : DeclaredMethods.streams(table)) {
                collect(stream.name(), stream.requestParser().parseFrom(new byte[0]), places);
            }
        }
        return places;
    }

    private static void collect(String method, Message request, List<Place> places) {
        collect(method, request, request.getDescriptorForType(), new ArrayDeque<>(), places);
    }

    private static void collect(
            String method, Message request, Descriptor message, Deque<FieldDescriptor> path, List<Place> places) {
        assertTrue(path.size() < 10, () -> method + " contains itself: " + path);
        for (FieldDescriptor field : message.getFields()) {
            path.addLast(field);
            if (field.isRepeated()
                    || field.getJavaType() == JavaType.STRING
                    || field.getJavaType() == JavaType.BYTE_STRING) {
                places.add(new Place(method, request, List.copyOf(path)));
            }
            if (field.getJavaType() == JavaType.MESSAGE) {
                collect(method, request, field.getMessageType(), path, places);
            }
            path.removeLast();
        }
    }

    @Test
    void everyListTextAndByteStringOfEveryRequestHasALimitAndNothingElse() throws Exception {
        Set<String> found = new TreeSet<>();
        places().forEach(place -> found.add(place.key()));
        assertEquals(found, new TreeSet<>(RequestLimits.all().keySet()));
        assertTrue(found.contains("BulkDeleteRequest.Item.name"), "nested messages are not looked into");
        assertTrue(found.contains("WriteTarget.host"), "what opens a stream is not looked into");
    }

    @Test
    void requestAtALimitIsTakenAndOneAboveIsRefused() throws Exception {
        for (Place place : places()) {
            Limit limit = RequestLimits.of(place.last());
            int items = limit.items();
            int bytes = limit.bytes();
            RequestLimits.require(place.method(), place.with(items, Math.min(bytes, 100)));
            RequestLimits.require(place.method(), place.with(1, bytes));
            if (place.last().isRepeated()) {
                requireRefused(place, place.with(items + 1, Math.min(bytes, 1)));
            }
            if (bytes > 0) {
                requireRefused(place, place.with(1, bytes + 1));
            }
        }
    }

    private static void requireRefused(Place place, Message request) {
        TatamiException refused =
                assertThrows(TatamiException.class, () -> RequestLimits.require(place.method(), request), place::key);
        assertEquals(ErrorCode.INVALID_ARGUMENT, refused.code());
        String message = String.valueOf(refused.getMessage());
        assertTrue(message.startsWith(place.method() + ": " + place.last().getName()), message);
    }

    @Test
    void textIsMeasuredInUtf8() throws Exception {
        int limit = RequestLimits.of(ConcatRequest.getDescriptor().findFieldByName("name"))
                .bytes();
        ConcatRequest fits =
                ConcatRequest.newBuilder().setName("é".repeat(limit / 2)).build();
        RequestLimits.require("a", fits);
        ConcatRequest longer = fits.toBuilder().setName(fits.getName() + "e").build();
        assertThrows(TatamiException.class, () -> RequestLimits.require("a", longer));
    }

    @Test
    void protocolDocumentListsTheLimits() throws Exception {
        Map<String, String> told = new TreeMap<>();
        for (String line : Files.readAllLines(SourceTree.root().resolve("docs/protocol.md"))) {
            Matcher row = ROW.matcher(line);
            if (row.matches()) {
                told.put(row.group(1), row.group(2));
            }
        }
        assertEquals(declared(), told);
    }

    @Test
    void messagesTellTheirLimitsBesideTheirFields() throws Exception {
        Map<String, String> told = new TreeMap<>();
        for (String file : List.of("meta", "block", "attributes", "common")) {
            Deque<String> inside = new ArrayDeque<>();
            Path proto = SourceTree.root().resolve("client/wire/src/main/proto/tatami/" + file + ".proto");
            for (String line : Files.readAllLines(proto)) {
                Matcher begin = BEGIN.matcher(line);
                Matcher field = FIELD.matcher(line);
                if (begin.matches() && begin.group(2) == null) {
                    inside.addLast(begin.group(1));
                } else if (line.strip().equals("}")) {
                    inside.removeLast();
                } else if (field.matches() && field.group(2).contains("// Limit: ")) {
                    String limit = field.group(2).strip().substring("// Limit: ".length());
                    told.put(String.join(".", inside) + "." + field.group(1), limit.substring(0, limit.length() - 1));
                }
            }
        }
        assertEquals(declared(), told);
    }

    private static Map<String, String> declared() {
        Map<String, String> declared = new TreeMap<>();
        RequestLimits.all().forEach((field, limit) -> declared.put(field, limit.toString()));
        return declared;
    }
}
