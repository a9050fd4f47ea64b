package io.tatami.client.model;

import io.tatami.base.TatamiException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;

/**
 * The entries of a directory in the order of their names' UTF-8 bytes, read a page at a time. An entry that is there
 * throughout is listed once; one that comes, goes or is renamed meanwhile may be listed or not. Used by one thread.
 */
public final class DirectoryListing {
    /** Reads the page after the one it gave before; an empty page is the last. */
    @FunctionalInterface
    public interface Pages {
        List<PathStatus> next() throws TatamiException;
    }

    private final Pages pages;
    private Iterator<PathStatus> page = List.<PathStatus>of().iterator();
    private boolean ended;

    public DirectoryListing(Pages pages) {
        this.pages = pages;
    }

    /** @throws TatamiException where the next page was needed; asking again reads it again */
    public boolean hasNext() throws TatamiException {
        if (!page.hasNext() && !ended) {
            List<PathStatus> read = pages.next();
            ended = read.isEmpty();
            page = read.iterator();
        }
        return page.hasNext();
    }

    /** @throws NoSuchElementException after the last */
    public PathStatus next() throws TatamiException {
        if (!hasNext()) {
            throw new NoSuchElementException();
        }
        return page.next();
    }

    /**
     * All that is left of the page that is read, or the next page.
     *
     * @throws NoSuchElementException after the last
     */
    public List<PathStatus> nextPage() throws TatamiException {
        List<PathStatus> left = new ArrayList<>();
        left.add(next());
        page.forEachRemaining(left::add);
        return left;
    }

    /** All that is left; for directories known to be small. */
    public List<PathStatus> toList() throws TatamiException {
        List<PathStatus> all = new ArrayList<>();
        while (hasNext()) {
            page.forEachRemaining(all::add);
        }
        return all;
    }
}
