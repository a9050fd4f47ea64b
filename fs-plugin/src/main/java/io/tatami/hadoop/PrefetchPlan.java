package io.tatami.hadoop;

import io.tatami.client.model.AccessPlan;
import io.tatami.hadoop.convert.PathConverter;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.apache.hadoop.fs.Path;

/**
 * What will be read, in order, for {@link TatamiFileSystem#prefetch}. Built by one thread.
 *
 * <pre>{@code
 * Prefetch prefetch = fs.prefetch(PrefetchPlan.inOrder().read(genome).read(index, 0, 1 << 30).releaseAfterRead());
 * }</pre>
 */
public final class PrefetchPlan {
    private final List<Part> parts = new ArrayList<>();
    private boolean release;
    private long windowBytes;
    private Duration keep = AccessPlan.KEEP;

    private record Part(Path path, long start, long length) {}

    private PrefetchPlan() {}

    public static PrefetchPlan inOrder() {
        return new PrefetchPlan();
    }

    /** Next, a whole file. */
    public PrefetchPlan read(Path file) {
        return read(file, 0, Long.MAX_VALUE);
    }

    /** Next, {@code length} bytes of a file from {@code start} on, or as many as there are. */
    public PrefetchPlan read(Path file, long start, long length) {
        if (start < 0 || length < 0) {
            throw new IllegalArgumentException(length + " bytes at " + start + " of " + file);
        }
        parts.add(new Part(file, start, length));
        return this;
    }

    /** Each copy is given up once it was read: for what is read once. Else it stays as long as there is room. */
    public PrefetchPlan releaseAfterRead() {
        release = true;
        return this;
    }

    /** How much each server stages ahead of its readers at most; as much as it gives one plan unless this is called. */
    public PrefetchPlan window(long bytes) {
        if (bytes <= 0) {
            throw new IllegalArgumentException("a window of " + bytes + " bytes");
        }
        windowBytes = bytes;
        return this;
    }

    /** Servers forget the plan when for so long nothing of it was read and nobody asked for it; an hour by default. */
    public PrefetchPlan keep(Duration time) {
        if (time.toMillis() <= 0) {
            throw new IllegalArgumentException("a plan kept for " + time);
        }
        keep = time;
        return this;
    }

    /** Makes a path absolute, and refuses one of another file system. */
    @FunctionalInterface
    interface Resolver {
        Path absolute(Path path) throws IOException;
    }

    AccessPlan toAccessPlan(Resolver resolver) throws IOException {
        List<AccessPlan.Read> reads = new ArrayList<>(parts.size());
        for (Part part : parts) {
            reads.add(new AccessPlan.Read(
                    PathConverter.path(resolver.absolute(part.path())), part.start(), part.length()));
        }
        return new AccessPlan(UUID.randomUUID(), reads, release, windowBytes, keep);
    }
}
