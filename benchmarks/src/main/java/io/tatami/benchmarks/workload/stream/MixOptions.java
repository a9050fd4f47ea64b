package io.tatami.benchmarks.workload.stream;

import java.util.List;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** Which readers and writers work side by side, for how long, and on how many volumes. */
final class MixOptions {
    @Option(
            names = "--mixes",
            split = ",",
            paramLabel = "READERS+WRITERS",
            converter = MixConverter.class,
            description = "Default: 1+0,0+1,1+1,4+4,8+8,1+15,16+0,0+16. What 1+0 and 0+1 reach is what others are"
                    + " measured by.")
    List<Mix> mixes = List.of(
            new Mix(1, 0),
            new Mix(0, 1),
            new Mix(1, 1),
            new Mix(4, 4),
            new Mix(8, 8),
            new Mix(1, 15),
            new Mix(16, 0),
            new Mix(0, 16));

    @Option(
            names = "--mix-seconds",
            paramLabel = "SECONDS",
            description = "How long each mix goes on (default: ${DEFAULT-VALUE}).")
    int seconds = 10;

    @Option(
            names = "--volumes",
            split = ",",
            paramLabel = "COUNT",
            description = "Volumes of Tatami's server, each a file of its own on the same disk (default: 1,2).")
    List<Integer> volumeCounts = List.of(1, 2);

    int streamsMax() {
        return mixes.stream()
                .mapToInt(mix -> mix.readers() + mix.writers())
                .max()
                .orElse(1);
    }

    int writersMax() {
        return mixes.stream().mapToInt(Mix::writers).max().orElse(0);
    }

    /** So many of each at once. */
    record Mix(int readers, int writers) {
        static final Mix READER_ALONE = new Mix(1, 0);
        static final Mix WRITER_ALONE = new Mix(0, 1);

        @Override
        public String toString() {
            return readers + "+" + writers;
        }
    }

    /** {@code 4+4}. */
    static final class MixConverter implements ITypeConverter<Mix> {
        @Override
        public Mix convert(String text) {
            String[] parts = text.split("\\+", -1);
            try {
                Mix mix = new Mix(Integer.parseInt(parts[0]), Integer.parseInt(parts[1]));
                if (parts.length == 2
                        && mix.readers() >= 0
                        && mix.writers() >= 0
                        && mix.readers() + mix.writers() > 0) {
                    return mix;
                }
            } catch (NumberFormatException | ArrayIndexOutOfBoundsException e) {
                throw new TypeConversionException(refused(text));
            }
            throw new TypeConversionException(refused(text));
        }

        private static String refused(String text) {
            return "'" + text + "' is no mix; write for instance 4+4 for four readers and four writers";
        }
    }
}
