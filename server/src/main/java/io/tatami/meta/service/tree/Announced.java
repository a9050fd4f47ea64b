package io.tatami.meta.service.tree;

import io.tatami.meta.op.tree.wire.Place;
import io.tatami.protocol.wire.Share;
import java.util.List;

/**
 * A change that every shard knows of, so that none acts on older handles.
 *
 * @param shares of all shards, read since then
 */
record Announced(long version, List<Share> shares) {
    /**
     * Whether no shard has a file of a directory. Shards are asked one after the other, so while entries go from one to
     * another, as in a directory that is being widened, nobody knows.
     *
     * @param directory as it was before the change was announced; what is committed then holds only as long as its
     *     spread is the same
     */
    boolean isWithoutFiles(Place directory) {
        return isWithoutFiles(directory.getWideningFrom(), of(directory));
    }

    /**
     * The same of a directory whose shares were read in another way.
     *
     * @param wideningFrom as its record says
     */
    static boolean isWithoutFiles(int wideningFrom, List<Share> shares) {
        return wideningFrom == 0 && shares.stream().noneMatch(share -> share.getFiles() + share.getSymlinks() > 0);
    }

    /**
     * Whether that may be known in a while, because entries are on their way out of the directory, into it, or in it.
     */
    boolean isInMotion(Place directory) {
        return directory.getWideningFrom() != 0 || of(directory).stream().anyMatch(share -> share.getMoving() > 0);
    }

    private List<Share> of(Place directory) {
        return shares.stream()
                .filter(share -> share.getDirectoryId() == directory.getDirectoryId())
                .toList();
    }
}
