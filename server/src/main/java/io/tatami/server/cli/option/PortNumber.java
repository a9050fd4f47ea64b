package io.tatami.server.cli.option;

import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** A port to listen on, from 0 to 65535; 0 stands for any that is free. */
public final class PortNumber implements ITypeConverter<Integer> {
    private static final int PORT_MAX = 65_535;

    @Override
    public Integer convert(String text) {
        try {
            int port = Integer.parseInt(text);
            if (port >= 0 && port <= PORT_MAX) {
                return port;
            }
        } catch (NumberFormatException e) {
            throw refusal(text);
        }
        throw refusal(text);
    }

    private static TypeConversionException refusal(String text) {
        return new TypeConversionException(
                "'" + text + "' is not a port; write a number from 0 to " + PORT_MAX + ", 0 for any that is free");
    }
}
