package io.tatami.client.file;

import io.tatami.base.BlockId;
import io.tatami.base.ServerId;
import io.tatami.base.TatamiException;
import io.tatami.client.model.DirectoryListing;
import io.tatami.client.model.LocatedBlock;
import io.tatami.client.model.PathStatus;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Set;

/**
 * A listing that also tells which servers have blocks on their cache tiers. Those are asked once a page, for all blocks
 * of its files, and one that does not answer once is not asked again. Used by one thread.
 */
public final class StagedListing {
    private final DirectoryListing listing;
    private final StagedCopies copies;
    private Iterator<PathStatus> page = List.<PathStatus>of().iterator();
    private Map<BlockId, Set<ServerId>> staged = Map.of();

    /** @param listing with locations */
    public StagedListing(DirectoryListing listing, StagedCopies copies) {
        this.listing = listing;
        this.copies = copies;
    }

    /**
     * An entry of the directory.
     *
     * @param staged the servers that had at least half of a block staged as the page was read; has those of other
     *     entries, too
     */
    public record Entry(PathStatus status, Map<BlockId, Set<ServerId>> staged) {}

    /** @throws TatamiException where the next page was needed; asking again reads it again */
    public boolean hasNext() throws TatamiException {
        return page.hasNext() || listing.hasNext();
    }

    /** @throws NoSuchElementException after the last */
    public Entry next() throws TatamiException {
        if (!page.hasNext()) {
            List<PathStatus> read = listing.nextPage();
            page = read.iterator();
            staged = Map.of();
            List<LocatedBlock> blocks =
                    read.stream().flatMap(status -> status.blocks().stream()).toList();
            staged = copies.of(blocks);
        }
        return new Entry(page.next(), staged);
    }
}
