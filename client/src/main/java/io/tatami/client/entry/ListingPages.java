package io.tatami.client.entry;

import io.tatami.base.DirectoryId;
import io.tatami.base.GroupId;
import io.tatami.base.TatamiException;
import io.tatami.client.meta.Deadline;
import io.tatami.client.model.DirectoryListing;
import io.tatami.client.model.LocatedBlock;
import io.tatami.client.model.PathStatus;
import io.tatami.client.model.TatamiPath;
import io.tatami.protocol.MetaMethods;
import io.tatami.protocol.wire.ListReply;
import io.tatami.protocol.wire.ListRequest;
import io.tatami.protocol.wire.Status;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The pages of one listing. A page is one range scan in each shard that holds entries, merged by name as far as all of
 * them were read; the directories on it are completed by one call to the tree and one to each shard. Where entries
 * moved between the shards meanwhile, or a file of whose length its home was asked was deleted, the page is read again.
 * So it is where the tree has no directory at a name that is kept for one, which may just have got another name that is
 * not on the page yet; and where the directory may have got its name after the page was read, beside which there may be
 * what was gone by then. A page that stays as it was is of one moment. Used by one thread.
 */
final class ListingPages implements DirectoryListing.Pages {
    /**
     * Moves and deletions in a directory that never stop do not keep a listing from ending: then a page is given as it
     * is.
     */
    private static final int READS_OF_A_PAGE_MAX = 10;

    private static final Comparator<Status> BY_NAME = Comparator.comparing(ListingPages::utf8, Arrays::compareUnsigned);

    private final EntryReader reader;
    private final TatamiPath path;
    private final boolean withLocations;
    private String after;
    private boolean atEnd;

    /** What homes last said of files of which names did not know as much, by their ids. */
    private final Map<Long, Status> toldByHomes = new HashMap<>();

    /**
     * Entries of a directory in order.
     *
     * @param upTo the name up to which they are complete; null for all
     * @param links so many names, at least, the tree had given to directories before they were read
     */
    private record Page(
            DirectoryId directory,
            List<Status> entries,
            @Nullable String upTo,
            long links) {
        /** Those that are kept for directories. */
        List<String> names() {
            return entries.stream()
                    .filter(status -> status.getKind() == Status.Kind.DIRECTORY)
                    .map(Status::getName)
                    .toList();
        }

        /** Whether every name that is kept for a directory was already that directory's which has it now. */
        boolean isOfOneMomentWith(Map<String, Status> directories) {
            return names().size() == directories.size()
                    && directories.values().stream().allMatch(directory -> directory.getLink() <= links);
        }

        boolean isSameAs(Page other) {
            return directory.equals(other.directory)
                    && entries.equals(other.entries)
                    && Objects.equals(upTo, other.upTo);
        }
    }

    /** @param after the name behind which the first page begins; empty for all */
    ListingPages(EntryReader reader, TatamiPath path, String after, boolean withLocations) {
        this.after = after;
        this.reader = reader;
        this.path = path;
        this.withLocations = withLocations;
    }

    boolean isAtEnd() {
        return atEnd;
    }

    @Override
    public List<PathStatus> next() throws TatamiException {
        Deadline deadline = reader.caller().deadline();
        while (!atEnd) {
            Page page = read(deadline);
            Map<String, Status> directories = directories(page, deadline);
            for (int reads = 1; !page.isOfOneMomentWith(directories) && reads < READS_OF_A_PAGE_MAX; reads++) {
                Page again = read(deadline);
                if (again.isSameAs(page)) {
                    break;
                }
                page = again;
                directories = directories(page, deadline);
            }
            List<PathStatus> entries = statuses(page, directories);
            after = page.upTo == null ? after : page.upTo;
            atEnd = page.upTo == null;
            if (!entries.isEmpty()) {
                return entries;
            }
        }
        return List.of();
    }

    private Page read(Deadline deadline) throws TatamiException {
        return reader.resolver().in(path, path, deadline, directory -> read(directory, deadline));
    }

    private Page read(ResolvedDirectory directory, Deadline deadline) throws TatamiException {
        List<GroupId> shards = directory.shards(reader.caller().shards());
        ListRequest request = ListRequest.newBuilder()
                .setHandle(directory.signed())
                .setAfter(after)
                .setLimit(reader.pageEntries())
                .setWithLocations(withLocations)
                .build();
        for (int reads = 1; ; reads++) {
            long links = reader.resolver().links().count();
            List<ListReply> parts = reader.caller().callAll(shards, MetaMethods.LIST, request, deadline);
            boolean isOneMoment = shards.size() == 1
                    || parts.stream()
                            .map(ListReply::getMoves)
                            .toList()
                            .equals(reader.directories().moves(directory, shards, deadline));
            boolean isLast = reads == READS_OF_A_PAGE_MAX;
            if (isOneMoment || isLast) {
                Page page = merged(directory.id(), links, parts, isLast, deadline);
                if (page != null) {
                    return page;
                }
            }
        }
    }

    /**
     * Null where a file on it was deleted since or its content became another, unless the page is given
     * {@code inAnyCase}, without a deleted one then.
     */
    private @Nullable Page merged(
            DirectoryId directory, long links, List<ListReply> parts, boolean inAnyCase, Deadline deadline)
            throws TatamiException {
        List<Status> all = new ArrayList<>();
        boolean isOutdated = false;
        byte[] upTo = null;
        for (ListReply part : parts) {
            for (Status status : part.getStatusList()) {
                Status completed = reader.completed(status, withLocations, deadline);
                if (completed != null) {
                    all.add(completed);
                    isOutdated |= !EntryReader.isSameContent(status, completed)
                            && !EntryReader.isSameContent(toldByHomes.put(completed.getId(), completed), completed);
                } else if (!inAnyCase) {
                    return null;
                }
            }
            if (part.getMore() && part.getStatusCount() > 0) {
                byte[] last = utf8(part.getStatus(part.getStatusCount() - 1));
                upTo = upTo == null || Arrays.compareUnsigned(last, upTo) < 0 ? last : upTo;
            }
        }
        if (isOutdated && !inAnyCase) {
            return null;
        }
        if (parts.size() > 1) {
            all.sort(BY_NAME);
        }
        if (upTo == null) {
            return new Page(directory, all, null, links);
        }
        byte[] limit = upTo;
        if (parts.size() > 1) {
            all.removeIf(status -> Arrays.compareUnsigned(utf8(status), limit) > 0);
        }
        return new Page(directory, all, new String(limit, StandardCharsets.UTF_8), links);
    }

    /** What the tree has at those names that shards say are kept for directories. */
    private Map<String, Status> directories(Page page, Deadline deadline) throws TatamiException {
        return reader.directories().byName(page.directory, page.names(), deadline);
    }

    /**
     * With directories completed. What a shard calls a directory is only a name that is kept for one: where the tree
     * has none there it was reserved and not used, or its directory is gone from it, under another name perhaps.
     */
    private List<PathStatus> statuses(Page page, Map<String, Status> directories) throws TatamiException {
        List<PathStatus> statuses = new ArrayList<>(page.entries.size());
        for (Status entry : page.entries) {
            TatamiPath child = path.listedChild(entry.getName());
            Status directory = directories.get(entry.getName());
            if (entry.getKind() != Status.Kind.DIRECTORY) {
                List<LocatedBlock> blocks =
                        withLocations ? reader.servers().located(entry, reader.deadline()) : List.of();
                statuses.add(new PathStatus(child, entry, blocks));
            } else if (directory != null) {
                statuses.add(new PathStatus(child, directory, List.of()));
            }
        }
        return statuses;
    }

    private static byte[] utf8(Status status) {
        return status.getName().getBytes(StandardCharsets.UTF_8);
    }
}
