package io.tatami.hadoop.call;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.NoSuchElementException;
import java.util.stream.Stream;
import org.apache.hadoop.fs.BlockLocation;
import org.apache.hadoop.fs.LocatedFileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RemoteIterator;
import org.jspecify.annotations.Nullable;

/** The files at and below a path with a block of which no copy can be read now. Used by one thread. */
public final class CorruptFiles implements RemoteIterator<Path> {
    private final TatamiCalls calls;

    /** Listings that are not at their end, the deepest first. */
    private final Deque<RemoteIterator<LocatedFileStatus>> open = new ArrayDeque<>();

    private @Nullable Path next;

    public CorruptFiles(TatamiCalls calls, Path top) throws IOException {
        this.calls = calls;
        open.push(calls.listLocated(top));
    }

    @Override
    public boolean hasNext() throws IOException {
        while (next == null && !open.isEmpty()) {
            RemoteIterator<LocatedFileStatus> listing = open.element();
            if (listing.hasNext()) {
                look(listing.next());
            } else {
                open.pop();
            }
        }
        return next != null;
    }

    private void look(LocatedFileStatus status) throws IOException {
        if (status.isDirectory()) {
            open.push(calls.listLocated(status.getPath()));
        } else if (Stream.of(status.getBlockLocations()).anyMatch(BlockLocation::isCorrupt)) {
            next = status.getPath();
        }
    }

    @Override
    public Path next() throws IOException {
        if (!hasNext() || next == null) {
            throw new NoSuchElementException();
        }
        Path found = next;
        next = null;
        return found;
    }
}
