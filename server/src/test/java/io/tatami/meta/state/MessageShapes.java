package io.tatami.meta.state;

import com.google.protobuf.DescriptorProtos.DescriptorProto;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.EnumDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Messages as their bytes depend on them: of each the numbers, types and names of its fields and the numbers that are
 * reserved, of each enum its values. Messages and enums that fields hold are among them.
 *
 * <p>As text, a line {@code message NAME} or {@code enum NAME}, and below it, indented, {@code NUMBER TYPE NAME},
 * {@code NUMBER NAME} for the value of an enum, or {@code NUMBER reserved}.
 *
 * @param byName what follows each number, by the message's or enum's full name
 */
record MessageShapes(SortedMap<String, SortedMap<Integer, String>> byName) {
    private static final String MESSAGE = "message ";
    private static final String ENUM = "enum ";
    private static final String RESERVED = "reserved";

    /** The shapes of messages and of all that they hold. */
    static MessageShapes of(Collection<Descriptor> messages) {
        MessageShapes shapes = new MessageShapes(new TreeMap<>());
        messages.forEach(shapes::add);
        return shapes;
    }

    /** Reads what {@link #toText} wrote; lines that begin with # count for nothing. */
    static MessageShapes parse(List<String> lines) {
        SortedMap<String, SortedMap<Integer, String>> byName = new TreeMap<>();
        SortedMap<Integer, String> current = new TreeMap<>();
        for (String line : lines) {
            if (line.startsWith("#") || line.isBlank()) {
                continue;
            }
            if (line.startsWith(" ")) {
                String[] parts = line.strip().split(" ", 2);
                current.put(Integer.valueOf(parts[0]), parts[1]);
            } else {
                current = new TreeMap<>();
                byName.put(line, current);
            }
        }
        return new MessageShapes(byName);
    }

    String toText() {
        StringBuilder text = new StringBuilder();
        byName.forEach((name, fields) -> {
            text.append(name).append('\n');
            fields.forEach((number, what) ->
                    text.append("  ").append(number).append(' ').append(what).append('\n'));
        });
        return text.toString();
    }

    /** The full names of the messages. */
    List<String> messages() {
        return byName.keySet().stream()
                .filter(name -> name.startsWith(MESSAGE))
                .map(name -> name.substring(MESSAGE.length()))
                .toList();
    }

    private void add(Descriptor message) {
        SortedMap<Integer, String> fields = new TreeMap<>();
        if (byName.putIfAbsent(MESSAGE + message.getFullName(), fields) != null) {
            return;
        }
        for (DescriptorProto.ReservedRange range : message.toProto().getReservedRangeList()) {
            for (int number = range.getStart(); number < range.getEnd(); number++) {
                fields.put(number, RESERVED);
            }
        }
        for (FieldDescriptor field : message.getFields()) {
            fields.put(field.getNumber(), typeOf(field) + " " + field.getName());
            if (field.getJavaType() == FieldDescriptor.JavaType.MESSAGE) {
                add(field.getMessageType());
            } else if (field.getJavaType() == FieldDescriptor.JavaType.ENUM) {
                add(field.getEnumType());
            }
        }
    }

    private void add(EnumDescriptor values) {
        SortedMap<Integer, String> names = new TreeMap<>();
        values.getValues().forEach(value -> names.put(value.getNumber(), value.getName()));
        byName.put(ENUM + values.getFullName(), names);
    }

    private static String typeOf(FieldDescriptor field) {
        String type = switch (field.getJavaType()) {
            case MESSAGE -> field.getMessageType().getFullName();
            case ENUM -> field.getEnumType().getFullName();
            case INT, LONG, FLOAT, DOUBLE, BOOLEAN, STRING, BYTE_STRING ->
                field.toProto().getType().name().substring("TYPE_".length()).toLowerCase(java.util.Locale.ROOT);
        };
        boolean isOptional = field.toProto().getProto3Optional();
        return field.isRepeated() ? "repeated " + type : isOptional ? "optional " + type : type;
    }

    /** What is not as it was before, a sentence each, with what to do about it. */
    List<String> changesSince(MessageShapes before) {
        List<String> changes = new ArrayList<>();
        for (String name : before.byName.keySet()) {
            if (!byName.containsKey(name)) {
                changes.add(name + " is stored no more, or has another name: directories that exist have it, so keep it"
                        + " until no release reads them; of a new name take the list along");
            }
        }
        byName.forEach((name, fields) -> {
            SortedMap<Integer, String> known = before.byName.get(name);
            if (known == null) {
                changes.add(name + " is stored now: what is changed in it from here on changes what is on disks; put it"
                        + " into the list if that is meant");
            } else {
                addChanges(changes, name, known, fields);
            }
        });
        return changes;
    }

    private static void addChanges(
            List<String> changes, String name, Map<Integer, String> known, Map<Integer, String> fields) {
        known.forEach((number, before) -> {
            String field = name + ", number " + number + ", which is \"" + before + "\" on disks, ";
            String now = fields.get(number);
            if (now == null) {
                changes.add(field + "is gone: reserve the number, so that it never means anything else");
            } else if (now.equals(RESERVED) && !before.equals(RESERVED)) {
                changes.add(field + "is reserved now: directories that have it lose it; put it into the list if that"
                        + " is meant");
            } else if (!now.equals(before)) {
                changes.add(field + "is \"" + now + "\" now: directories that exist are read wrong; give it a number"
                        + " of its own. Where the name alone is another, put that into the list");
            }
        });
        fields.forEach((number, now) -> {
            if (!known.containsKey(number)) {
                changes.add(name + ", number " + number + ", \"" + Objects.requireNonNull(now)
                        + "\", is new: it goes to disks from here on, and releases before this one ignore it; put it"
                        + " into the list if that is meant");
            }
        });
    }
}
