package io.tatami.copies;

import io.tatami.base.BlockId;
import io.tatami.base.Check;
import io.tatami.base.ErrorCode;
import io.tatami.base.FileId;
import io.tatami.base.Generation;
import io.tatami.base.ServerId;
import io.tatami.base.TatamiException;
import io.tatami.block.volume.BlockReader;
import io.tatami.block.volume.ReadUnit;
import io.tatami.block.volume.StoredBlock;
import io.tatami.block.volume.Volume;
import io.tatami.meta.state.BlockCopies;
import io.tatami.meta.state.wire.BlockRecord;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Knows what was written and promised, and says whether what readers see, and what servers hold in the end, agrees with
 * that.
 */
final class Judge {
    /** What no fault of the world explains. */
    private static final Set<ErrorCode> BUGS =
            EnumSet.of(ErrorCode.INTERNAL, ErrorCode.MALFORMED, ErrorCode.CORRUPT, ErrorCode.UNSUPPORTED);

    private final CopiesWorld world;
    private final List<FileModel> files = new ArrayList<>();

    Judge(CopiesWorld world) {
        this.world = world;
    }

    /** A file that is not there yet. */
    FileModel addFile(String path, int blockBytes) {
        FileModel file = new FileModel(path, blockBytes, world.seed() * 31 + files.size());
        files.add(file);
        return file;
    }

    List<FileModel> files() {
        return files;
    }

    /** A writer has got a new generation, with which it goes on where it was acknowledged last. */
    void renewed(FileId file) {
        files.stream().filter(model -> model.file().equals(file)).forEach(FileModel::renewed);
    }

    /** Fails on a refusal that is a bug. */
    void heard(TatamiException failure) {
        world.coverage().count("refused " + failure.code());
        Check.check(!BUGS.contains(failure.code()), "a client was told of %s", failure);
    }

    /**
     * What is promised of the file from now on.
     *
     * @param before what had happened to servers when the call began that promises it
     */
    void promise(FileModel file, FileModel.Kind kind, long lengthBytes, Map<ServerId, SimServer.Fate> before) {
        Map<ServerId, SimServer.Fate> pipeline = new LinkedHashMap<>();
        for (int server : pipeline(file, lengthBytes)) {
            ServerId id = new ServerId(server);
            pipeline.put(id, before.getOrDefault(id, SimServer.Fate.OF_ONE_THAT_JOINS));
        }
        file.promise(kind, lengthBytes, pipeline);
    }

    /**
     * The servers of the block in which the file's first bytes end. Behind it there may be blocks that were granted and
     * not begun. Where drives are so small that blocks end early, nobody but the writer knows which block it is: then
     * the servers of all that are open.
     */
    List<Integer> pipeline(FileModel file, long lengthBytes) {
        List<Integer> servers = new ArrayList<>();
        long offset = 0;
        for (BlockRecord block : world.metadata().blocks(file.file())) {
            if (offset >= lengthBytes && world.hasRoom()) {
                break;
            }
            if (block.getOpen()) {
                servers.addAll(block.getServerIdList());
            }
            offset += block.getOpen() ? file.blockBytes() : block.getLength();
        }
        return servers;
    }

    /**
     * What is known of a file when a reader begins.
     *
     * @param attempts how many writers there were
     * @param renewals of its blocks
     * @param promises how many were made: by later ones a reader may have come too early
     */
    record Before(
            FileModel.Floor floor, int attempts, Map<ServerId, SimServer.Fate> fates, int renewals, int promises) {}

    Before before(FileModel file) {
        return new Before(floor(file), file.attempts(), world.fates(), file.renewals(), file.promises());
    }

    private FileModel.Floor floor(FileModel file) {
        return file.floor(world.fates(), !world.metadata().isOpen(file.file()));
    }

    /**
     * A reader has read a file's beginning.
     *
     * @param before what was known when it began
     * @param lengthBytes how long the file was for it
     * @param readBytes how much it read
     */
    void seen(FileModel file, Before before, long lengthBytes, byte[] bytes, int readBytes) {
        FileModel.Floor floor = before.floor();
        long still = file.floor(world.fates(), !world.metadata().isOpen(file.file()), before.promises())
                .lengthBytes();
        Check.check(
                lengthBytes >= Math.min(floor.lengthBytes(), still),
                "a reader sees %d bytes of %s in spite of %s",
                lengthBytes,
                file.path(),
                floor.why());
        Check.check(
                lengthBytes <= file.offeredBytes(),
                "a reader sees %d bytes of %s, and %d were written",
                lengthBytes,
                file.path(),
                file.offeredBytes());
        requireRight(file, before.attempts(), bytes, readBytes, "a reader");
        if (!isRenewed(file) && file.renewals() == before.renewals()) {
            promise(file, FileModel.Kind.SEEN, readBytes, before.fates());
            world.coverage().count("promises SEEN");
        }
    }

    /** Whether somebody was given a generation that does not count yet: copies may be cut for it at any moment. */
    private boolean isRenewed(FileModel file) {
        return world.metadata().blocks(file.file()).stream()
                .anyMatch(block -> block.getOpen() && block.getIssuedGeneration() > block.getGeneration());
    }

    private static void requireRight(FileModel file, int attemptsBefore, byte[] bytes, int length, String who) {
        int wrong = file.firstWrong(bytes, length, attemptsBefore);
        Check.check(
                wrong < 0,
                "%s sees a wrong byte at %d of %s, of %s",
                who,
                wrong,
                file.path(),
                wrong < 0 ? "" : file.author(bytes, wrong));
    }

    /** Whether each block that the server has a copy of has a whole one at another that runs, and is not written. */
    boolean canDoWithout(SimServer server) {
        return files.stream()
                .flatMap(file -> world.metadata().blocks(file.file()).stream())
                .allMatch(block -> canDoWithout(block, server));
    }

    private boolean canDoWithout(BlockRecord block, SimServer server) {
        if (BlockCopies.counted(block).stream().noneMatch(copy -> copy.server().equals(server.id()))) {
            return true;
        }
        return !block.getOpen()
                && block.getIssuedGeneration() <= block.getGeneration()
                && BlockCopies.counted(block).stream()
                        .map(copy -> world.server(copy.server()))
                        .anyMatch(other -> other != server && isWhole(block, other));
    }

    /** How many running servers have a durable copy of all of a block that is final. */
    int wholeCopies(BlockRecord block) {
        return (int) world.servers().stream()
                .filter(server -> isWhole(block, server))
                .count();
    }

    private static boolean isWhole(BlockRecord block, SimServer server) {
        BlockId id = new BlockId(block.getBlockId());
        Volume volume = holder(server, id);
        return volume != null && volume.find(id).stream().anyMatch(stored -> isWhole(block, stored));
    }

    private static boolean isWhole(BlockRecord block, StoredBlock stored) {
        return stored.finalized()
                && stored.durableBytes() == block.getLength()
                && stored.generation().value() >= block.getGeneration();
    }

    /** After all faults: every file is closed, and every copy that is named holds all of its block. */
    void checkCopies() throws TatamiException {
        for (FileModel file : files) {
            if (file.isBegun()) {
                checkCopies(file);
            }
        }
    }

    private void checkCopies(FileModel file) throws TatamiException {
        List<BlockRecord> blocks = world.metadata().blocks(file.file());
        long offset = 0;
        for (BlockRecord block : blocks) {
            for (int number : block.getServerIdList()) {
                SimServer server = world.server(new ServerId(number));
                // Where drives are small there may be no room for what took the place of a copy that was lost.
                if (world.hasRoom() || !server.isDestroyed()) {
                    checkCopy(file, offset, block, server);
                }
            }
            offset += block.getLength();
        }
    }

    private void checkCopy(FileModel file, long offset, BlockRecord block, SimServer server) throws TatamiException {
        BlockId id = new BlockId(block.getBlockId());
        String what = id + " of " + file.path() + " at " + server.id();
        Volume volume = holder(server, id);
        if (volume == null) {
            throw new IllegalStateException(what + " is not there: " + block);
        }
        StoredBlock stored = volume.find(id).orElseThrow();
        Check.check(isWhole(block, stored), "%s is %s, and named as %s", what, stored, block);
        byte[] all = new byte[(int) (offset + block.getLength())];
        byte[] copy = read(volume, id, (int) block.getLength());
        byte[] before = file.expected((int) offset);
        System.arraycopy(before, 0, all, 0, before.length);
        System.arraycopy(copy, 0, all, before.length, copy.length);
        requireRight(file, file.attempts(), all, all.length, what);
        world.coverage().count("copies compared");
    }

    private static @Nullable Volume holder(SimServer server, BlockId block) {
        List<Volume> holding = new ArrayList<>(server.volumes());
        holding.removeIf(volume -> volume.find(block).isEmpty());
        return holding.isEmpty() ? null : holding.get(0);
    }

    private static byte[] read(Volume volume, BlockId block, int length) throws TatamiException {
        ByteBuffer bytes = ByteBuffer.allocate(length);
        try (BlockReader reader = volume.read(block, Generation.NONE, 0, length)) {
            while (bytes.hasRemaining()) {
                try (ReadUnit unit = reader.next()) {
                    if (unit == null) {
                        throw new IllegalStateException(block + " ends at " + bytes.position());
                    }
                    bytes.put(unit.data().duplicate());
                }
            }
        }
        return bytes.array();
    }
}
