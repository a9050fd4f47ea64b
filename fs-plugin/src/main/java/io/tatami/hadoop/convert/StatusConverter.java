package io.tatami.hadoop.convert;

import io.tatami.base.BlockId;
import io.tatami.base.ServerId;
import io.tatami.client.model.ContentTotals;
import io.tatami.client.model.LocatedBlock;
import io.tatami.client.model.PathStatus;
import io.tatami.protocol.wire.Attributes;
import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.Set;
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

    /** @param uri of the file system, by which paths are qualified */
    public StatusConverter(URI uri) {
        this.uri = uri;
    }

    public TatamiFileStatus status(PathStatus status) {
        // Qualified as it is made: a Path parses its URI, which is most of what the list of a directory costs.
        Path path = new Path(uri.getScheme(), uri.getAuthority(), status.path().toString());
        @Nullable Path symlink = status.isSymlink() ? new Path(status.wire().getSymlinkTarget()) : null;
        return new TatamiFileStatus(status, path, symlink, hasAcl(status.attributes()));
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

    private static BlockLocation location(LocatedBlock block, Set<ServerId> staged) {
        List<LocatedBlock.Holder> holders = readable(block);
        String[] hosts = holders.stream().map(LocatedBlock.Holder::host).toArray(String[]::new);
        String[] cachedHosts = holders.stream()
                .filter(holder -> staged.contains(holder.server()))
                .map(LocatedBlock.Holder::host)
                .toArray(String[]::new);
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
