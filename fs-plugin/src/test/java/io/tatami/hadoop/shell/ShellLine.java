package io.tatami.hadoop.shell;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A line of the script: one command of Hadoop's shell. How it is written is told at the head of the script.
 *
 * @param user who does it; empty for the superuser
 * @param arguments with places such as {@code {dir}} still in them
 * @param input its standard input
 */
record ShellLine(String text, Kind kind, String user, List<String> arguments, String input) {
    /** How the results of a line are compared. */
    enum Kind {
        SAME,
        /** But for the order of lines. */
        UNORDERED,
        /** But for numbers. */
        SHAPE,
        /** Not with HDFS: Tatami is to refuse. */
        REFUSED
    }

    private static final Pattern SHAPE = Pattern.compile(
            "(?:(?<user>[a-z]+): )?(?:(?<kind>shape|refused|unordered) )?(?<command>.*?)(?: < (?<input>.*))?");
    private static final Pattern ARGUMENT = Pattern.compile("'([^']*)'|(\\S+)");

    static ShellLine parse(String text) {
        Matcher parts = SHAPE.matcher(text);
        if (!parts.matches()) {
            throw new IllegalArgumentException("no line of a script: " + text);
        }
        List<String> arguments = new ArrayList<>();
        Matcher argument = ARGUMENT.matcher(parts.group("command"));
        while (argument.find()) {
            arguments.add(argument.group(1) == null ? argument.group(2) : argument.group(1));
        }
        String kind = parts.group("kind");
        return new ShellLine(
                text,
                kind == null ? Kind.SAME : Kind.valueOf(kind.toUpperCase(Locale.ROOT)),
                parts.group("user") == null ? "" : parts.group("user"),
                arguments,
                parts.group("input") == null
                        ? ""
                        : parts.group("input").replace("\\n", "\n").replace("\\t", "\t"));
    }

    /** The command's name without its dash. */
    String command() {
        String first = arguments.get(0);
        return first.startsWith("-") ? first.substring(1) : first;
    }

    @Override
    public String toString() {
        return text;
    }
}
