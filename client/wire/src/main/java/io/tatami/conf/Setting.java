package io.tatami.conf;

import io.tatami.base.Check;
import java.time.Duration;
import java.util.function.Predicate;

/**
 * One thing that can be configured. Declared as a constant in the settings record of the component that reads it; the
 * default is text in the same notation a user writes, so that generated configuration shows it unchanged.
 *
 * @param key lower case with dots, begins with {@code tatami.}
 * @param defaultText always valid; checked when the constant is made
 * @param kind how text becomes a value
 * @param range what values are allowed beyond what the kind says, in words; empty where all are
 * @param inRange the same as a predicate
 * @param doc one line, for the generated configuration
 */
public record Setting<T>(
        String key, String defaultText, SettingKind<T> kind, String range, Predicate<T> inRange, String doc) {
    public Setting {
        Check.check(key.startsWith("tatami."), "key %s does not begin with tatami.", key);
        Check.check(!doc.isEmpty() && doc.indexOf('\n') < 0, "the doc of %s is not one line", key);
    }

    /** Free text. */
    public static Setting<String> text(String key, String defaultText, String doc) {
        return new Setting<>(key, defaultText, SettingKind.TEXT, "", value -> true, doc);
    }

    /** {@code true} or {@code false}. */
    public static Setting<Boolean> flag(String key, boolean defaultValue, String doc) {
        return new Setting<>(key, Boolean.toString(defaultValue), SettingKind.FLAG, "", value -> true, doc);
    }

    /** A number of things, from {@code least} to {@code most}. */
    public static Setting<Integer> count(String key, int defaultValue, int least, int most, String doc) {
        return new Setting<>(
                        key,
                        Integer.toString(defaultValue),
                        SettingKind.COUNT,
                        "from " + least + " to " + most,
                        value -> value >= least && value <= most,
                        doc)
                .checked();
    }

    /** A number of bytes such as {@code 256m}, within two bounds in the same notation. */
    public static Setting<Long> size(String key, String defaultText, String least, String most, String doc) {
        return between(key, defaultText, SettingKind.SIZE, least, most, doc);
    }

    /** A length of time such as {@code 60s}, within two bounds in the same notation. */
    public static Setting<Duration> duration(String key, String defaultText, String least, String most, String doc) {
        return between(key, defaultText, SettingKind.DURATION, least, most, doc);
    }

    private static <T extends Comparable<T>> Setting<T> between(
            String key, String defaultText, SettingKind<T> kind, String least, String most, String doc) {
        T low = kind.parse(least);
        T high = kind.parse(most);
        return new Setting<>(
                        key,
                        defaultText,
                        kind,
                        "from " + least + " to " + most,
                        value -> value.compareTo(low) >= 0 && value.compareTo(high) <= 0,
                        doc)
                .checked();
    }

    /** The same setting with one more condition, told in words that follow "allowed is". */
    public Setting<T> where(String condition, Predicate<T> predicate) {
        String both = range.isEmpty() ? condition : range + ", " + condition;
        return new Setting<>(key, defaultText, kind, both, inRange.and(predicate), doc).checked();
    }

    /** What {@code text} stands for; the error names the key, the text and what is allowed. */
    T parse(String text) throws SettingException {
        T value;
        try {
            value = kind.parse(text.trim());
        } catch (IllegalArgumentException e) {
            throw new SettingException(this, text, e);
        }
        if (!inRange.test(value)) {
            throw new SettingException(this, text, null);
        }
        return value;
    }

    /** What may be written, in words. */
    public String allowed() {
        return range.isEmpty() ? kind.description() : kind.description() + " " + range;
    }

    private Setting<T> checked() {
        Check.check(inRange.test(kind.parse(defaultText)), "the default %s of %s is out of range", defaultText, key);
        return this;
    }
}
