package io.tatami.conf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class SettingsTest {
    private static final Setting<Long> SIZE = Setting.size("tatami.test.size", "256m", "1m", "2g", "A size.");
    private static final Setting<Duration> WAIT = Setting.duration("tatami.test.wait", "60s", "1ms", "1h", "A wait.");
    private static final Setting<Integer> COUNT = Setting.count("tatami.test.count", 16, 1, 256, "A count.")
            .where("a power of two", value -> Integer.bitCount(value) == 1);
    private static final Setting<Boolean> FLAG = Setting.flag("tatami.test.flag", true, "A flag.");

    private enum Colour {
        DARK_RED,
        BLUE
    }

    private static final Setting<Colour> COLOUR = new Setting<>(
            "tatami.test.colour", "blue", SettingKind.oneOf(Colour.class), "", value -> true, "A <colour> & more.");

    private static Settings with(String key, String value) {
        return Settings.of(Map.of(key, value));
    }

    @Test
    void unsetAndBlankSettingsHaveTheirDefaults() throws SettingException {
        assertEquals(256L << 20, Settings.defaults().get(SIZE));
        assertEquals(Duration.ofMinutes(1), with(WAIT.key(), "  ").get(WAIT));
        assertEquals(16, Settings.defaults().get(COUNT));
        assertEquals(true, Settings.defaults().get(FLAG));
        assertEquals(Colour.BLUE, Settings.defaults().get(COLOUR));
        assertFalse(with(WAIT.key(), " ").isSet(WAIT));
        assertTrue(with(WAIT.key(), "1s").isSet(WAIT));
    }

    @ParameterizedTest
    @CsvSource({"1048576, 1048576", "4M, 4194304", "1.5g, 1610612736", "2097152b, 2097152", "1024 k, 1048576"})
    void sizesTakeUnitsOf1024(String text, long bytes) throws SettingException {
        assertEquals(bytes, with(SIZE.key(), text).get(SIZE));
    }

    @ParameterizedTest
    @CsvSource({"500ms, 500", "2s, 2000", "1m, 60000", "0.5h, 1800000"})
    void durationsNeedAUnit(String text, long millis) throws SettingException {
        assertEquals(Duration.ofMillis(millis), with(WAIT.key(), text).get(WAIT));
    }

    @ParameterizedTest
    @ValueSource(strings = {"x", "-4m", "4x", "3g", "1k", "99999999999999999999g", "4m4m", "NaN", "1.1"})
    void aBadSizeIsRefusedAndTheErrorNamesKeyValueAndWhatIsAllowed(String text) {
        SettingException failure = assertThrows(
                SettingException.class, () -> with(SIZE.key(), text).get(SIZE));
        assertEquals(
                "setting tatami.test.size is \"" + text
                        + "\"; allowed is a size such as 4096, 64k, 256m or 20g from 1m to 2g",
                failure.getMessage());
    }

    @ParameterizedTest
    @ValueSource(strings = {"60", "2h", "0ms", "s"})
    void aBadDurationIsRefused(String text) {
        assertThrows(SettingException.class, () -> with(WAIT.key(), text).get(WAIT));
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "257", "3", "16.0", "sixteen"})
    void aBadCountIsRefused(String text) {
        SettingException failure = assertThrows(
                SettingException.class, () -> with(COUNT.key(), text).get(COUNT));
        assertEquals(
                "setting tatami.test.count is \"" + text
                        + "\"; allowed is a whole number from 1 to 256, a power of two",
                failure.getMessage());
    }

    @Test
    void flagsAndChoicesTakeOnlyTheirWords() throws SettingException {
        assertEquals(false, with(FLAG.key(), " FALSE ").get(FLAG));
        assertThrows(SettingException.class, () -> with(FLAG.key(), "yes").get(FLAG));
        assertEquals(Colour.DARK_RED, with(COLOUR.key(), "dark-red").get(COLOUR));
        assertThrows(SettingException.class, () -> with(COLOUR.key(), "green").get(COLOUR));
    }

    @Test
    void aFallbackServesWhatIsNotSet() throws SettingException {
        Settings both = with(COUNT.key(), "8").orElse(Settings.of(Map.of(COUNT.key(), "4", FLAG.key(), "false")));
        assertEquals(8, both.get(COUNT));
        assertEquals(false, both.get(FLAG));
    }

    @Test
    void theCatalogListsEverythingOnceAndFindsTypingErrors() {
        SettingCatalog catalog = new SettingCatalog(List.of(SIZE, WAIT), List.of(COUNT, COLOUR, SIZE));
        assertEquals(List.of(COLOUR, COUNT, SIZE, WAIT), List.copyOf(catalog.settings()));
        assertEquals(
                List.of("tatami.test.sise"), catalog.unknown(List.of("tatami.test.sise", SIZE.key(), "fs.defaultFS")));
        Setting<Long> twin = Setting.size(SIZE.key(), "1g", "1m", "2g", "Another.");
        assertThrows(IllegalStateException.class, () -> new SettingCatalog(List.of(SIZE), List.of(twin)));
    }

    @Test
    void theSiteFileShowsKeyDefaultAndMeaning() {
        String xml = new SettingCatalog(List.of(COLOUR)).toSiteXml();
        assertTrue(xml.contains("<name>tatami.test.colour</name>\n    <value>blue</value>"), xml);
        assertTrue(xml.contains("A &lt;colour&gt; &amp; more. Allowed: one of dark-red, blue."), xml);
    }

    @Test
    void aDefaultOutOfRangeIsABug() {
        assertThrows(IllegalStateException.class, () -> Setting.count("tatami.x", 0, 1, 2, "X."));
    }
}
