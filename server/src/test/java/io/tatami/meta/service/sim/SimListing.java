package io.tatami.meta.service.sim;

import io.tatami.base.DirectoryId;
import io.tatami.base.GroupId;
import io.tatami.meta.op.Arrivals;
import io.tatami.protocol.MetaMethods;
import io.tatami.protocol.Placement;
import io.tatami.protocol.wire.Handle;
import io.tatami.protocol.wire.ListReply;
import io.tatami.protocol.wire.ListRequest;
import io.tatami.protocol.wire.SignedHandle;
import io.tatami.protocol.wire.Status;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** All of a directory as a client lists it: by pages of each of its shards, as far as the shortest of these goes. */
final class SimListing {
    private static final int PAGE_ENTRIES = 2;

    private final SimWorld world;
    private final SimSession session;
    private final int shards;
    private final SignedHandle handle;
    private final Handle directory;
    private final NavigableMap<String, Status> found = new TreeMap<>(Arrivals::compare);

    /**
     * @param shards of the cluster
     * @param directory what {@code handle} says
     */
    SimListing(SimWorld world, SimSession session, int shards, SignedHandle handle, Handle directory) {
        this.world = world;
        this.session = session;
        this.shards = shards;
        this.handle = handle;
        this.directory = directory;
    }

    /** What has which name; fails where the handle has become stale. */
    CompletableFuture<NavigableMap<String, Status>> all() {
        return from("");
    }

    private CompletableFuture<NavigableMap<String, Status>> from(String after) {
        return page(after).thenCompose(parts -> {
            @Nullable String end = end(parts);
            for (ListReply part : parts) {
                for (Status status : part.getStatusList()) {
                    if (end == null || Arrivals.compare(status.getName(), end) <= 0) {
                        add(status);
                    }
                }
            }
            return end == null ? CompletableFuture.completedFuture(found) : from(end);
        });
    }

    private CompletableFuture<List<ListReply>> page(String after) {
        ListRequest request = ListRequest.newBuilder()
                .setHandle(handle)
                .setAfter(after)
                .setLimit(PAGE_ENTRIES)
                .build();
        int first = Placement.firstShardOf(new DirectoryId(directory.getDirectoryId()), shards);
        List<CompletableFuture<ListReply>> calls = IntStream.range(0, directory.getSpread())
                .mapToObj(step -> session.ask(GroupId.ofShard((first + step) % shards), MetaMethods.LIST, request))
                .toList();
        return CompletableFuture.allOf(calls.toArray(CompletableFuture<?>[]::new))
                .thenApply(done -> calls.stream().map(CompletableFuture::join).toList());
    }

    /** The last name that each part goes up to; null where none has more. */
    private static @Nullable String end(List<ListReply> parts) {
        @Nullable String end = null;
        for (ListReply part : parts) {
            if (part.getMore()) {
                String last = part.getStatus(part.getStatusCount() - 1).getName();
                end = end == null || Arrivals.compare(last, end) < 0 ? last : end;
            }
        }
        return end;
    }

    private void add(Status status) {
        if (found.put(status.getName(), status) != null) {
            world.bug(new IllegalStateException(
                    status.getName() + " of directory " + directory.getDirectoryId() + " is listed twice"));
        }
    }
}
