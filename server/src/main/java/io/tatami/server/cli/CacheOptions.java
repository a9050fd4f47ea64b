package io.tatami.server.cli;

import io.tatami.server.node.BlockNode;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The cache tier of a block server. */
final class CacheOptions {
    private static final String MEMORY = "memory";

    /** Fits into the direct memory that the launcher gives a server, beside its buffers. */
    private static final long MEMORY_BYTES = 256L << 20;

    private static final long FILE_BYTES = 1L << 30;

    @Option(
            names = "--cache",
            paramLabel = "PATH",
            description = "A faster device or file for copies of planned reads, or '" + MEMORY + "' (default: none).")
    private @Nullable String cache;

    @Option(
            names = "--cache-size",
            paramLabel = "SIZE",
            converter = ServeOptions.VolumeBytes.class,
            description = "Size of a cache in memory, or of a new cache file (default: 256m of memory, 1g of a file).")
    private @Nullable Long sizeBytes;

    BlockNode.@Nullable CachePlace place() {
        if (cache == null) {
            return null;
        }
        boolean isMemory = cache.equals(MEMORY);
        long defaultBytes = isMemory ? MEMORY_BYTES : FILE_BYTES;
        return new BlockNode.CachePlace(isMemory ? null : Path.of(cache), sizeBytes == null ? defaultBytes : sizeBytes);
    }
}
