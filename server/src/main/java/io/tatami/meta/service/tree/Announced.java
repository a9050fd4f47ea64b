package io.tatami.meta.service.tree;

import io.tatami.meta.op.tree.wire.Place;
import io.tatami.meta.state.TreeVersion;
import io.tatami.protocol.wire.DirectorySlice;
import java.util.List;

/**
 * A change that every shard knows of at which an older handle that it concerns may be used, so that none acts on one.
 *
 * @param slices of these shards, among which are all that hold entries of the directories, read since then
 */
public record Announced(TreeVersion version, List<DirectorySlice> slices) {
    /**
     * Whether no shard has a file of a directory. Shards are asked one after the other, so while entries go from one to
     * another, as in a directory that is being widened, nobody knows.
     *
     * @param directory as it was before the change was announced; what is committed then holds only as long as its
     *     spread is the same
     */
    public boolean isWithoutFiles(Place directory) {
        return isWithoutFiles(directory.getWideningFrom(), of(directory));
    }

    /**
     * The same of a directory whose shares were read in another way.
     *
     * @param wideningFrom as its record says
     */
    public static boolean isWithoutFiles(int wideningFrom, List<DirectorySlice> slices) {
        return wideningFrom == 0 && slices.stream().noneMatch(slice -> slice.getFiles() + slice.getSymlinks() > 0);
    }

    /**
     * Whether that may be known in a while, because entries are on their way out of the directory, into it, or in it.
     */
    public boolean isInMotion(Place directory) {
        return directory.getWideningFrom() != 0 || of(directory).stream().anyMatch(slice -> slice.getMoving() > 0);
    }

    private List<DirectorySlice> of(Place directory) {
        return slices.stream()
                .filter(slice -> slice.getDirectoryId() == directory.getDirectoryId())
                .toList();
    }
}
