package io.tatami.benchmarks.workload.ior;

import io.tatami.conf.SettingKind;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * A number of bytes as an option names it.
 *
 * @param text such as {@code 64k}
 * @param bytes from 1
 */
record ByteSize(String text, int bytes) {
    /** @throws IllegalArgumentException where it is no size from 1 byte to 1 GiB */
    static ByteSize of(String text) {
        long bytes = SettingKind.SIZE.parse(text);
        if (bytes < 1 || bytes > 1 << 30) {
            throw new IllegalArgumentException(text);
        }
        return new ByteSize(text, (int) bytes);
    }

    @Override
    public String toString() {
        return text;
    }

    /** For options. */
    static final class Converter implements ITypeConverter<ByteSize> {
        @Override
        public ByteSize convert(String text) {
            try {
                return of(text);
            } catch (IllegalArgumentException e) {
                throw new TypeConversionException("'" + text + "' is not a valid size; write for example 64k or 4m");
            }
        }
    }
}
