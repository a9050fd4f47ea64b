package io.tatami.server.cli.option;

import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** A whole number above 0. */
public final class PositiveNumber implements ITypeConverter<Integer> {
    @Override
    public Integer convert(String text) {
        try {
            int number = Integer.parseInt(text);
            if (number > 0) {
                return number;
            }
        } catch (NumberFormatException e) {
            throw refusal(text);
        }
        throw refusal(text);
    }

    private static TypeConversionException refusal(String text) {
        return new TypeConversionException(
                "'" + text + "' is not allowed; write a whole number from 1 to " + Integer.MAX_VALUE);
    }
}
