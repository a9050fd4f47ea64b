package io.tatami.protocol;

import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.List;

/** All methods that a table declares, for tests that look at each of them. */
public final class DeclaredMethods {
    private DeclaredMethods() {}

    /** The calls of {@link MetaMethods} or {@link BlockMethods}. */
    public static List<Method<?, ?>> calls(Class<?> table) {
        List<Method<?, ?>> calls = new ArrayList<>();
        for (Object constant : constants(table)) {
            if (constant instanceof Method<?, ?> call) {
                calls.add(call);
            }
        }
        return calls;
    }

    /** The streams of {@link BlockMethods}. */
    public static List<StreamMethod<?, ?, ?, ?>> streams(Class<?> table) {
        List<StreamMethod<?, ?, ?, ?>> streams = new ArrayList<>();
        for (Object constant : constants(table)) {
            if (constant instanceof StreamMethod<?, ?, ?, ?> stream) {
                streams.add(stream);
            }
        }
        return streams;
    }

    private static List<Object> constants(Class<?> table) {
        List<Object> constants = new ArrayList<>();
        for (Field field : table.getFields()) {
            try {
                constants.add(field.get(null));
            } catch (IllegalAccessException e) {
                throw new AssertionError(field + " cannot be read", e);
            }
        }
        return constants;
    }
}
