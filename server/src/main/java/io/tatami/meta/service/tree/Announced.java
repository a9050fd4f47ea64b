package io.tatami.meta.service.tree;

import io.tatami.protocol.wire.Share;
import java.util.List;

/**
 * A change that every shard knows of, so that none acts on older handles.
 *
 * @param shares of all shards, read since then
 */
record Announced(long version, List<Share> shares) {
    boolean hasFiles(long directory) {
        return shares.stream()
                .anyMatch(share -> share.getDirectoryId() == directory && share.getFiles() + share.getSymlinks() > 0);
    }

    /** Whether an entry is on its way out of the directory or into it. */
    boolean hasMoves(long directory) {
        return shares.stream().anyMatch(share -> share.getDirectoryId() == directory && share.getMoving() > 0);
    }
}
