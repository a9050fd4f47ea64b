package io.tatami.conf;

import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Settings by key, from a configuration file, Hadoop's configuration, the command line or a test's map. A component
 * takes them in a record of its own, {@code XxxSettings.from(settings)}, and keeps that, so that every bad value is
 * told at the start. As safe for use by many threads as its source.
 */
public final class Settings {
    private final Function<String, @Nullable String> source;

    /** @param source answers null for a key that is not set */
    public Settings(Function<String, @Nullable String> source) {
        this.source = source;
    }

    /** Settings of exactly these keys. */
    public static Settings of(Map<String, String> values) {
        Map<String, String> copy = Map.copyOf(values);
        return new Settings(copy::get);
    }

    /** Everything at its default. */
    public static Settings defaults() {
        return of(Map.of());
    }

    /**
     * The value that is set, or the default; text of only blanks counts as not set.
     *
     * @throws SettingException INVALID_ARGUMENT when the text is no such value or out of range
     */
    public <T> T get(Setting<T> setting) throws SettingException {
        String text = source.apply(setting.key());
        return setting.parse(text == null || text.isBlank() ? setting.defaultText() : text);
    }

    /** The text under a key that is another program's, such as Hadoop's; empty where none is set. */
    public String foreign(String key) {
        String text = source.apply(key);
        return text == null ? "" : text.strip();
    }

    /** Whether the source has a value for this setting. */
    public boolean isSet(Setting<?> setting) {
        String text = source.apply(setting.key());
        return text != null && !text.isBlank();
    }

    /** These settings where they are set, and {@code fallback} for all else. */
    public Settings orElse(Settings fallback) {
        return new Settings(key -> {
            String text = source.apply(key);
            return text == null || text.isBlank() ? fallback.source.apply(key) : text;
        });
    }
}
