package io.tatami.hadoop.convert;

import io.tatami.base.BlockId;
import io.tatami.base.ServerId;
import io.tatami.client.model.ContentTotals;
import io.tatami.client.model.LocatedBlock;
import io.tatami.client.model.PathStatus;
import io.tatami.client.model.TatamiPath;
import io.tatami.protocol.wire.Attributes;
import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.hadoop.fs.BlockLocation;
import org.apache.hadoop.fs.ContentSummary;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.StorageType;
import org.jspecify.annotations.Nullable;

/** Statuses and block locations as Hadoop has them. Safe for use by many threads. */
public final class StatusConverter {
    private static final String DEFAULT_RACK = "/default-rack";

    /** HDFS's word for a file whose blocks are copied and not coded. */
    private static final String NO_ERASURE_CODING = "Replicated";

    private final URI uri;
    private final boolean stagedOnly;

    /**
     * Conversions for one file system.
     *
     * @param uri of the file system, by which paths are qualified
     * @param stagedOnly whether the location of a block that is staged names only the servers that have it staged
     */
    public StatusConverter(URI uri, boolean stagedOnly) {
        this.uri = uri;
        this.stagedOnly = stagedOnly;
    }

    public TatamiFileStatus status(PathStatus status) {
        @Nullable Path symlink = status.isSymlink() ? new Path(status.wire().getSymlinkTarget()) : null;
        return new TatamiFileStatus(status, qualified(status.path()), symlink, hasAcl(status.attributes()));
    }

    /**
     * The path as {@code new Path(scheme, authority, path)} makes it. That one brings the path into its normal form,
     * which it has, and parses the authority once more for each entry: most of what a client does in a listing.
     */
    private Path qualified(TatamiPath path) {
        try {
            return new Path(uri.resolve(new URI(null, null, path.toString(), null)));
        } catch (URISyntaxException e) {
            throw new IllegalArgumentException(e);
        }
    }

    public TatamiLocatedFileStatus located(PathStatus status, Map<BlockId, Set<ServerId>> staged) {
        return new TatamiLocatedFileStatus(status(status), locations(status.blocks(), staged));
    }

    /** The sums of a tree or a file; there are no quotas. */
    public static ContentSummary summary(ContentTotals totals) {
        return new ContentSummary.Builder()
                .length(totals.lengthBytes())
                .fileCount(totals.files())
                .directoryCount(totals.directories())
                .spaceConsumed(totals.spaceBytes())
                .quota(-1)
                .spaceQuota(-1)
                .erasureCodingPolicy(totals.directories() == 0 ? NO_ERASURE_CODING : "")
                .build();
    }

    /**
     * One location a block, its servers in the order given.
     *
     * @param staged the servers that have a block on their cache tiers
     */
    public BlockLocation[] locations(List<LocatedBlock> blocks, Map<BlockId, Set<ServerId>> staged) {
        return blocks.stream()
                .map(block -> location(block, staged.getOrDefault(block.block(), Set.of())))
                .toArray(BlockLocation[]::new);
    }

    private BlockLocation location(LocatedBlock block, Set<ServerId> staged) {
        List<LocatedBlock.Holder> readable = readable(block);
        List<LocatedBlock.Holder> cached = readable.stream()
                .filter(holder -> staged.contains(holder.server()))
                .toList();
        List<LocatedBlock.Holder> holders = stagedOnly && !cached.isEmpty() ? cached : readable;
        String[] hosts = holders.stream().map(LocatedBlock.Holder::host).toArray(String[]::new);
        String[] cachedHosts = cached.stream().map(LocatedBlock.Holder::host).toArray(String[]::new);
        String[] names = holders.stream()
                .map(holder -> holder.host() + ":" + holder.port())
                .toArray(String[]::new);
        String[] topology = holders.stream()
                .map(holder -> (holder.rack().isEmpty() ? DEFAULT_RACK : holder.rack()) + "/" + holder.host() + ":"
                        + holder.port())
                .toArray(String[]::new);
        String[] storageIds =
                holders.stream().map(holder -> holder.server().toString()).toArray(String[]::new);
        StorageType[] storageTypes =
                holders.stream().map(StatusConverter::storageType).toArray(StorageType[]::new);
        return new BlockLocation(
                names,
                hosts,
                cachedHosts,
                topology,
                storageIds,
                storageTypes,
                block.offsetBytes(),
                block.lengthBytes(),
                block.unreadable());
    }

    /**
     * The location as one where the block is on the cache tiers of some of its servers, and nowhere else; the same
     * where it has none of these.
     */
    public static BlockLocation stagedOn(Set<ServerId> servers, BlockLocation location) throws IOException {
        Set<String> ids = servers.stream().map(ServerId::toString).collect(Collectors.toSet());
        String[] storageIds = location.getStorageIds();
        int[] kept = IntStream.range(0, storageIds.length)
                .filter(at -> ids.contains(storageIds[at]))
                .toArray();
        if (kept.length == 0) {
            return location;
        }
        String[] hosts = at(kept, location.getHosts());
        return new BlockLocation(
                at(kept, location.getNames()),
                hosts,
                hosts,
                at(kept, location.getTopologyPaths()),
                at(kept, storageIds),
                IntStream.of(kept)
                        .mapToObj(at -> location.getStorageTypes()[at])
                        .toArray(StorageType[]::new),
                location.getOffset(),
                location.getLength(),
                location.isCorrupt());
    }

    private static String[] at(int[] kept, String[] all) {
        return IntStream.of(kept).mapToObj(at -> all[at]).toArray(String[]::new);
    }

    /** As HDFS does it, bad copies are told only of a block that has no others. */
    private static List<LocatedBlock.Holder> readable(LocatedBlock block) {
        List<LocatedBlock.Holder> alive =
                block.holders().stream().filter(LocatedBlock.Holder::alive).toList();
        List<LocatedBlock.Holder> good =
                alive.stream().filter(holder -> !holder.bad()).toList();
        return good.isEmpty() ? alive : good;
    }

    private static StorageType storageType(LocatedBlock.Holder holder) {
        for (StorageType type : StorageType.values()) {
            if (type.name().equalsIgnoreCase(holder.storageType())) {
                return type;
            }
        }
        return StorageType.DEFAULT;
    }

    private static boolean hasAcl(Attributes attributes) {
        return attributes.getAclCount() > 0;
    }
}
