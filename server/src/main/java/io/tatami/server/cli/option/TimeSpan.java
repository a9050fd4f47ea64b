package io.tatami.server.cli.option;

import io.tatami.conf.SettingKind;
import java.time.Duration;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Times as people write them: {@code 2h}. */
public final class TimeSpan implements ITypeConverter<Duration> {
    @Override
    public Duration convert(String text) {
        try {
            return SettingKind.DURATION.parse(text);
        } catch (IllegalArgumentException e) {
            throw new TypeConversionException("'" + text + "' is not a valid time; write for example 30s, 5m or 2h");
        }
    }
}
