package io.tatami.conf;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * How the text of a setting becomes a value.
 *
 * @param description what may be written, in words that follow "allowed is"
 * @param parser throws {@link IllegalArgumentException} for anything else
 */
public record SettingKind<T>(String description, Function<String, T> parser) {
    private static final Pattern AMOUNT = Pattern.compile("(\\d{1,15}(?:\\.\\d{1,6})?)\\s*([a-z]*)");

    private static final Map<String, Long> BYTES_BY_UNIT = Map.of(
            "", 1L,
            "b", 1L,
            "k", 1L << 10,
            "m", 1L << 20,
            "g", 1L << 30,
            "t", 1L << 40,
            "p", 1L << 50);

    private static final Map<String, Long> NANOS_BY_UNIT = Map.of(
            "ns", 1L,
            "us", 1_000L,
            "ms", 1_000_000L,
            "s", 1_000_000_000L,
            "m", 60_000_000_000L,
            "h", 3_600_000_000_000L,
            "d", 86_400_000_000_000L);

    public static final SettingKind<String> TEXT = new SettingKind<>("any text", text -> text);

    public static final SettingKind<Boolean> FLAG = new SettingKind<>("true or false", SettingKind::flagOf);

    public static final SettingKind<Integer> COUNT = new SettingKind<>("a whole number", Integer::valueOf);

    /** Bytes; the units are powers of 1,024. */
    public static final SettingKind<Long> SIZE =
            new SettingKind<>("a size such as 4096, 64k, 256m or 20g", text -> amount(text, BYTES_BY_UNIT));

    /** The unit must be written, because a bare number leaves open which one is meant. */
    public static final SettingKind<Duration> DURATION = new SettingKind<>(
            "a duration such as 500ms, 60s, 20m, 6h or 7d", text -> Duration.ofNanos(amount(text, NANOS_BY_UNIT)));

    /** One of an enum's constants, in lower case with dashes. */
    public static <E extends Enum<E>> SettingKind<E> oneOf(Class<E> type) {
        String names =
                Stream.of(type.getEnumConstants()).map(SettingKind::nameOf).collect(Collectors.joining(", "));
        return new SettingKind<>(
                "one of " + names,
                text -> Stream.of(type.getEnumConstants())
                        .filter(constant -> nameOf(constant).equals(text.toLowerCase(Locale.ROOT)))
                        .findFirst()
                        .orElseThrow(() -> new IllegalArgumentException(text)));
    }

    public T parse(String text) {
        return parser.apply(text);
    }

    private static String nameOf(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    private static Boolean flagOf(String text) {
        return switch (text.toLowerCase(Locale.ROOT)) {
            case "true" -> true;
            case "false" -> false;
            default -> throw new IllegalArgumentException(text);
        };
    }

    private static Long amount(String text, Map<String, Long> factors) {
        Matcher matcher = AMOUNT.matcher(text.toLowerCase(Locale.ROOT));
        if (!matcher.matches()) {
            throw new IllegalArgumentException(text);
        }
        Long factor = factors.get(matcher.group(2));
        if (factor == null) {
            throw new IllegalArgumentException(text);
        }
        try {
            return new BigDecimal(matcher.group(1))
                    .multiply(BigDecimal.valueOf(factor))
                    .longValueExact();
        } catch (ArithmeticException e) {
            throw new IllegalArgumentException(text, e);
        }
    }
}
