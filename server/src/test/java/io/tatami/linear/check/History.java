package io.tatami.linear.check;

import java.util.List;

/** A history as text: an operation a line, as {@link Operation#toString} has it, and comments behind a {@code #}. */
public final class History {
    private History() {}

    public static String text(List<Operation> history) {
        StringBuilder text = new StringBuilder();
        history.forEach(operation -> text.append(operation).append('\n'));
        return text.toString();
    }

    public static List<Operation> parse(String text) {
        return text.lines()
                .map(String::strip)
                .filter(line -> !line.isEmpty() && !line.startsWith("#"))
                .map(Operation::parse)
                .toList();
    }
}
