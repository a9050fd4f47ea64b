package io.tatami.server.cli;

import io.tatami.server.node.BlockNode;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The cache tier of a block server. */
final class CacheOptions {
    private static final String MEMORY = "memory";

    @Option(
            names = "--cache",
            paramLabel = "PATH",
            description = "A faster device or file for copies of planned reads, or '" + MEMORY + "' (default: none).")
    private @Nullable String cache;

    @Option(
            names = "--cache-size",
            paramLabel = "SIZE",
            defaultValue = "1g",
            converter = ServeOptions.VolumeBytes.class,
            description = "Size of a cache in memory, or of a new cache file (default:" + " ${DEFAULT-VALUE}).")
    private long sizeBytes;

    BlockNode.@Nullable CachePlace place() {
        if (cache == null) {
            return null;
        }
        return new BlockNode.CachePlace(cache.equals(MEMORY) ? null : Path.of(cache), sizeBytes);
    }
}
