package io.tatami.block.volume.index;

import io.tatami.base.Causes;
import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.block.device.FailStop;
import io.tatami.files.DurableFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The directories of the block indexes of a server's volumes, {@code index-} and the volume's id: which one is whose
 * does not depend on the order in which volumes are named. Used by one thread, while no volume is open that was not
 * found here.
 */
public final class IndexDirectories {
    private static final String PREFIX = "index-";

    /** As they were named before: by the place of the volume among those of the command. */
    private static final Pattern NUMBERED = Pattern.compile(PREFIX + "\\d+");

    private static final Pattern NAMED = Pattern.compile("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}");

    private final Path directory;

    /** @param directory the server's own; need not exist */
    public IndexDirectories(Path directory) {
        this.directory = directory;
    }

    /** Where the index of a volume is, or goes. */
    public Path of(UUID volume) {
        return directory.resolve(PREFIX + volume);
    }

    /**
     * Where the index of a volume is; one with a number is given its name. There may be none.
     *
     * @throws TatamiException CORRUPT where one with a number is damaged that may be the volume's; IO_ERROR
     */
    public Path find(UUID volume) throws TatamiException {
        Path named = of(volume);
        if (Files.exists(named)) {
            return named;
        }
        TatamiException damage = null;
        for (Path numbered : all()) {
            if (isNumbered(numbered) && RocksIndexStore.isMade(numbered)) {
                try {
                    if (volumeOf(numbered).equals(volume)) {
                        rename(numbered, named);
                        return named;
                    }
                } catch (TatamiException e) {
                    damage = e;
                }
            }
        }
        if (damage != null) {
            throw damage;
        }
        return named;
    }

    /**
     * Removes the index of a volume that is none any more, where there is one. One with a number that is too damaged to
     * tell whose it is stays.
     *
     * @throws TatamiException IO_ERROR
     */
    public void discard(UUID volume) throws TatamiException {
        try {
            Path index = find(volume);
            RocksIndexStore.destroy(index);
            Files.deleteIfExists(FlushedEnds.beside(index));
        } catch (TatamiException e) {
            if (e.code() != ErrorCode.CORRUPT) {
                throw e;
            }
        } catch (IOException e) {
            throw new TatamiException(ErrorCode.IO_ERROR, "cannot remove temporary files beside an index: " + e, e);
        }
    }

    /**
     * Whether an index has blocks and belongs to none of the volumes: what looks like a new device may then be the one
     * that holds them.
     */
    public boolean hasBlocksOfNone(Set<UUID> volumes) throws TatamiException {
        for (Path index : all()) {
            boolean isOfOne = volumes.stream().anyMatch(volume -> index.equals(of(volume)));
            if (!isOfOne
                    && RocksIndexStore.isMade(index)
                    && !(isNumbered(index) && volumes.contains(volumeOf(index)))
                    && !isUnused(index)) {
                return true;
            }
        }
        return false;
    }

    /**
     * The volumes of which an index is here and that are none of these. Those whose index bears a number are not told.
     *
     * @throws TatamiException IO_ERROR
     */
    public Set<UUID> others(Set<UUID> volumes) throws TatamiException {
        Set<UUID> others = new TreeSet<>();
        for (Path index : all()) {
            String name = index.getFileName().toString().substring(PREFIX.length());
            if (NAMED.matcher(name).matches()) {
                others.add(UUID.fromString(name));
            }
        }
        others.removeAll(volumes);
        return others;
    }

    /** Whether an index has no block, or is not even one yet: what a format that was broken off leaves. */
    public static boolean isUnused(Path index) throws TatamiException {
        if (!RocksIndexStore.isMade(index)) {
            return true;
        }
        try (BlockIndex opened = open(index)) {
            return opened.isEmpty();
        }
    }

    private static UUID volumeOf(Path index) throws TatamiException {
        try (BlockIndex opened = open(index)) {
            return opened.identity().volume();
        }
    }

    private static BlockIndex open(Path index) throws TatamiException {
        FailStop failStop = new FailStop("block index " + index);
        return new BlockIndex(RocksIndexStore.open(index, failStop), failStop);
    }

    private static boolean isNumbered(Path index) {
        return NUMBERED.matcher(index.getFileName().toString()).matches();
    }

    private List<Path> all() throws TatamiException {
        if (!Files.exists(directory)) {
            return List.of();
        }
        try (Stream<Path> children = Files.list(directory)) {
            return children.filter(child -> child.getFileName().toString().startsWith(PREFIX))
                    .sorted()
                    .toList();
        } catch (IOException e) {
            throw new TatamiException(ErrorCode.IO_ERROR, "cannot list " + directory + ": " + Causes.inWords(e), e);
        }
    }

    private void rename(Path numbered, Path named) throws TatamiException {
        try {
            Files.move(numbered, named, StandardCopyOption.ATOMIC_MOVE);
            DurableFile.syncDirectory(directory);
        } catch (IOException e) {
            throw new TatamiException(
                    ErrorCode.IO_ERROR, "cannot rename " + numbered + " to " + named + ": " + Causes.inWords(e), e);
        }
    }
}
