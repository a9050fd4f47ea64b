package io.tatami.server.cli;

import io.tatami.base.GroupId;
import io.tatami.block.volume.format.SuperblockFormat;
import io.tatami.conf.SettingKind;
import io.tatami.meta.service.host.NewCluster;
import java.nio.file.Path;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** What every start has in common. */
final class ServeOptions {
    @Option(
            names = "--data",
            required = true,
            paramLabel = "DIR",
            description = "The server's directory; created and formatted if it is new.")
    Path data;

    @Option(
            names = "--host",
            paramLabel = "NAME",
            defaultValue = "localhost",
            description =
                    "The host name to bind and to announce to clients; YARN schedules tasks by it (default: ${DEFAULT-VALUE}).")
    String host;

    @Option(
            names = "--foreground",
            description = "Run in this process and not in the background; exit code 3 if the server ends by itself"
                    + " because it serves nothing any more.")
    boolean foreground;

    /** How many shards a new cluster has. */
    static final class ShardCount implements ITypeConverter<Integer> {
        @Override
        public Integer convert(String text) {
            try {
                int shards = Integer.parseInt(text);
                NewCluster.onOneServer(shards);
                return shards;
            } catch (IllegalArgumentException e) {
                throw new TypeConversionException("'" + text
                        + "' is not a valid number of shards; write a power of two from 1 to " + GroupId.SHARDS_MAX);
            }
        }
    }

    /** Bytes as people write them: {@code 20g}. */
    static final class Bytes implements ITypeConverter<Long> {
        @Override
        public Long convert(String text) {
            try {
                return SettingKind.SIZE.parse(text);
            } catch (IllegalArgumentException e) {
                throw new TypeConversionException("'" + text + "' is not a valid size; write for example 512m or 20g");
            }
        }
    }

    /** The size of a volume or a cache. One that is too small is refused before anything is made. */
    static final class VolumeBytes implements ITypeConverter<Long> {
        @Override
        public Long convert(String text) {
            long bytes = new Bytes().convert(text);
            if (bytes < SuperblockFormat.SIZE_BYTES_MIN) {
                throw new TypeConversionException("'" + text + "' is too small; write "
                        + (SuperblockFormat.SIZE_BYTES_MIN >> 20) + "m or more, for example 20g");
            }
            return bytes;
        }
    }
}
