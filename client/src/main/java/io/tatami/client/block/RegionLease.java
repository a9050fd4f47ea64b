package io.tatami.client.block;

import io.tatami.rpc.Connection;
import org.jspecify.annotations.Nullable;

/** A region that one stream has to itself until it gives it back, or the word that it has none. */
final class RegionLease {
    /** All bytes pass through the connection. */
    static final RegionLease NONE = new RegionLease(null, null);

    private final @Nullable SharedRegion region;
    private final @Nullable SharedRegions regions;

    private RegionLease(@Nullable SharedRegion region, @Nullable SharedRegions regions) {
        this.region = region;
        this.regions = regions;
    }

    static RegionLease of(SharedRegion region, SharedRegions regions) {
        return new RegionLease(region, regions);
    }

    @Nullable
    SharedRegion region() {
        return region;
    }

    /** The connection for the stream: the region's, else {@code bulk}. */
    Connection connectionOr(Connection bulk) {
        return region == null ? bulk : region.connection();
    }

    /** The next stream may use it: neither this one nor the server touches it on this one's behalf any more. */
    void giveBack() {
        if (region != null && regions != null) {
            regions.giveBack(region);
        }
    }

    /** No stream may use it again, as the server may still do something there for this one. */
    void giveUp() {
        if (region != null) {
            region.close();
        }
    }
}
