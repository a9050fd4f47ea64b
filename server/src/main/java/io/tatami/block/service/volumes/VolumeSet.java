package io.tatami.block.service.volumes;

import io.tatami.base.BlockId;
import io.tatami.base.ErrorCode;
import io.tatami.base.Generation;
import io.tatami.base.GroupId;
import io.tatami.base.TatamiException;
import io.tatami.block.cache.UnitSource;
import io.tatami.block.volume.BlockReader;
import io.tatami.block.volume.StoredBlock;
import io.tatami.block.volume.Volume;
import io.tatami.block.volume.VolumeStatistics;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The volumes of one server as one. A block is on one of them, but for one that was begun again while its volume was
 * not there: then the copy of the higher generation counts; and for one that was being moved when the process ended. A
 * volume that stopped is left out of writing; what is on it is still found, and answers with IO_ERROR. What is on a
 * volume that was not opened is unknown, and not gone: a volume is given up by no longer being named. Safe for use by
 * many threads; calls block on the disk.
 */
public final class VolumeSet implements UnitSource {
    /** Those of one moment. */
    private record Members(List<ServedVolume> volumes, List<FailedVolume> failed, Set<UUID> withoutDevice) {
        Members {
            volumes = List.copyOf(volumes);
            failed = List.copyOf(failed);
            withoutDevice = Set.copyOf(withoutDevice);
        }
    }

    private volatile Members members;

    /** What the cache tier calls each volume: those that are added later share the numbers of the first. */
    private final Map<Volume, Integer> numbers = new ConcurrentHashMap<>();

    private final int volumeCount;

    /** Blocks that have gone to another volume: raised when they are there, and before they are no longer here. */
    private final AtomicLong moves = new AtomicLong();

    /** How often volumes were added, removed or given up: raised when the members are others. */
    private final AtomicLong changes = new AtomicLong();

    /** Of each shard, as far as it is known, the newest block at a moment after the volumes were opened. */
    private final Map<GroupId, BlockId> newestBefore = new ConcurrentHashMap<>();

    /** A volume and where it is. */
    public record ServedVolume(Volume volume, String path) {}

    /**
     * A volume that could not be opened when the server started, and why.
     *
     * @param id null where it could not be read
     */
    public record FailedVolume(String path, @Nullable UUID id, String reason) {}

    /** A block and the volume it is on. */
    public record Found(Volume volume, StoredBlock stored) {}

    /** What a volume can do. */
    public enum State {
        SERVES,
        /** It takes no writes any more; its blocks are read. */
        READ_ONLY,
        /** It can neither be written nor read any more. */
        STOPPED,
        NOT_OPENED
    }

    /**
     * How a volume is at one moment.
     *
     * @param id null where it could not be read
     * @param reason empty where it serves
     */
    public record VolumeState(String path, @Nullable UUID id, State state, String reason) {
        public boolean serves() {
            return state == State.SERVES;
        }
    }

    /** The better of two copies: later ones of the same generation are longer, and those that are finalized final. */
    private static final Comparator<Found> BETTER = Comparator.<Found, Generation>comparing(
                    found -> found.stored().generation())
            .thenComparing(found -> found.stored().finalized())
            .thenComparing(found -> !found.stored().damaged())
            .thenComparingLong(found -> found.stored().heldBytes());

    /** The volumes are the caller's to close. */
    public VolumeSet(List<ServedVolume> volumes) {
        this(volumes, List.of(), Set.of());
    }

    /**
     * @param failed those that are missing, to be reported
     * @param withoutDevice which volumes those may be whose ids could not be read
     */
    public VolumeSet(List<ServedVolume> volumes, List<FailedVolume> failed, Set<UUID> withoutDevice) {
        this.members = new Members(volumes, failed, withoutDevice);
        this.volumeCount = volumes.size();
        for (int place = 0; place < volumeCount; place++) {
            numbers.put(volumes.get(place).volume(), place);
        }
    }

    /**
     * Serves from one more volume from now on; the parts of the server know it already. The same one that could not be
     * opened before is open now.
     */
    public synchronized void add(ServedVolume served) {
        Members now = members;
        numbers.put(served.volume(), now.volumes().size() % Math.max(1, volumeCount));
        List<ServedVolume> more = new ArrayList<>(now.volumes());
        more.add(served);
        List<FailedVolume> stillFailed = now.failed().stream()
                .filter(other -> other.id() == null
                        ? !other.path().equals(served.path())
                        : !served.volume().id().equals(other.id()))
                .toList();
        become(new Members(more, stillFailed, unknown(stillFailed, now)));
    }

    /**
     * Serves from a volume no longer: its blocks are not on this server any more. The volume is the caller's to close.
     */
    public synchronized void remove(ServedVolume served) {
        Members now = members;
        List<ServedVolume> fewer = new ArrayList<>(now.volumes());
        fewer.remove(served);
        become(new Members(fewer, now.failed(), now.withoutDevice()));
        numbers.remove(served.volume());
    }

    /** Gives up a volume that was not opened: its blocks are not on this server any more. */
    public synchronized void giveUp(FailedVolume missing) {
        Members now = members;
        List<FailedVolume> fewer = new ArrayList<>(now.failed());
        fewer.remove(missing);
        become(new Members(now.volumes(), fewer, unknown(fewer, now)));
    }

    private void become(Members others) {
        members = others;
        changes.incrementAndGet();
    }

    /** The volumes that those may be of which the id is not known. */
    private static Set<UUID> unknown(List<FailedVolume> failed, Members before) {
        return failed.stream().anyMatch(volume -> volume.id() == null) ? before.withoutDevice() : Set.of();
    }

    /** All volumes that are this server's, open or not: a server is known by them. */
    public Set<UUID> ids() {
        Members now = members;
        Set<UUID> ids = new TreeSet<>(now.withoutDevice());
        now.volumes().forEach(served -> ids.add(served.volume().id()));
        now.failed().stream().map(FailedVolume::id).filter(Objects::nonNull).forEach(ids::add);
        return ids;
    }

    /** Those that are served now. */
    public List<ServedVolume> volumes() {
        return members.volumes();
    }

    /** For who asks for something of a volume that is not of the server any more. */
    public static TatamiException takenOut(Volume volume) {
        return new TatamiException(
                ErrorCode.UNAVAILABLE, "volume " + volume.id() + " was taken out of the server; ask again");
    }

    /** Whether a volume is served now. */
    public boolean serves(Volume volume) {
        return volumes().stream().anyMatch(served -> served.volume() == volume);
    }

    public List<FailedVolume> failed() {
        return members.failed();
    }

    /**
     * Whether a call to a volume failed because the block has gone to another volume meanwhile: then the same call is
     * to be made there.
     */
    public boolean hasLeft(BlockId block, Volume from, TatamiException failure) {
        return failure.code() == ErrorCode.NO_SUCH_BLOCK
                && find(block).filter(found -> found.volume() != from).isPresent();
    }

    /**
     * Blocks are on another volume of this server now, and are about to be removed from the one they were on: a search
     * meanwhile is repeated.
     */
    public void moved() {
        moves.incrementAndGet();
    }

    /** All volumes as they are now, first those that were opened. */
    public List<VolumeState> states() {
        Members now = members;
        List<VolumeState> states = new ArrayList<>();
        for (ServedVolume served : now.volumes()) {
            states.add(state(served));
        }
        for (FailedVolume missing : now.failed()) {
            states.add(new VolumeState(missing.path(), missing.id(), State.NOT_OPENED, missing.reason()));
        }
        return states;
    }

    /**
     * Differs where volumes were added, removed or given up since, also where they are the same again, and where one is
     * in another state; never 0. It does not depend on their order.
     */
    public long digest() {
        long sum = hash("changes " + changes.get());
        for (VolumeState state : states()) {
            sum += hash((state.id() == null ? state.path() : state.id().toString()) + ' ' + state.state());
        }
        return sum == 0 ? 1 : sum;
    }

    private static long hash(String text) {
        return UUID.nameUUIDFromBytes(text.getBytes(StandardCharsets.UTF_8)).getLeastSignificantBits();
    }

    public static VolumeState state(ServedVolume served) {
        Volume volume = served.volume();
        String failure = volume.statistics().failure();
        State state = failure.isEmpty() ? State.SERVES : volume.isReadable() ? State.READ_ONLY : State.STOPPED;
        return new VolumeState(served.path(), volume.id(), state, failure);
    }

    /**
     * Told that all blocks which a shard minted before now have no higher number than this one. Those that it mints
     * later cannot be on a volume that was not opened. Only the first word of a shard counts.
     */
    public void learnNewest(GroupId shard, BlockId newest) {
        newestBefore.putIfAbsent(shard, newest);
    }

    /**
     * Of blocks that were not found, before this is called, those that are not on this server. The others may be on a
     * volume that was not opened, or on one that stopped: its index may have what was given up when a write to it
     * failed.
     */
    public Set<BlockId> gone(Collection<BlockId> notFound) {
        boolean knowsAll = volumes().stream().map(VolumeSet::state).allMatch(VolumeState::serves);
        return knowsAll
                ? notFound.stream()
                        .filter(block -> !mayBeNotOpened(block))
                        .collect(Collectors.toCollection(LinkedHashSet::new))
                : Set.of();
    }

    /** Whether a block may be on a volume that was not opened. */
    private boolean mayBeNotOpened(BlockId block) {
        BlockId newest = newestBefore.get(block.home());
        return !failed().isEmpty() && (newest == null || block.value() <= newest.value());
    }

    /** The copy of a block that counts. */
    public Optional<Found> find(BlockId block) {
        return findAll(block).stream().max(better(block));
    }

    /** One that is leaving its volume counts less than that in its new place. */
    private static Comparator<Found> better(BlockId block) {
        return Comparator.comparing((Found found) -> found.volume().has(block)).thenComparing(BETTER);
    }

    /** The copy with a number that counts. */
    public Optional<Found> find(BlockId block, int copyNumber) {
        return findAll(block).stream()
                .filter(found -> found.stored().copyNumber() == copyNumber)
                .max(better(block));
    }

    /** Every copy of a block. One that is moved between volumes meanwhile is found. */
    public List<Found> findAll(BlockId block) {
        while (true) {
            long before = moves.get();
            List<Found> copies = new ArrayList<>(1);
            for (ServedVolume served : volumes()) {
                served.volume().find(block).ifPresent(stored -> copies.add(new Found(served.volume(), stored)));
            }
            if (!copies.isEmpty() || moves.get() == before) {
                return copies;
            }
        }
    }

    /**
     * Why a block that was not found cannot be used: NO_SUCH_BLOCK, or IO_ERROR where it may be on a volume that was
     * not opened. A volume that stopped later tells which blocks it has with bytes that were acknowledged.
     */
    public TatamiException notFound(BlockId block) {
        if (!mayBeNotOpened(block)) {
            return new TatamiException(ErrorCode.NO_SUCH_BLOCK, block + " is not on this server");
        }
        String missing = failed().stream()
                .map(volume -> volume.path() + " (" + volume.reason() + ")")
                .collect(Collectors.joining(", "));
        return new TatamiException(
                ErrorCode.IO_ERROR,
                block + " is not on the open volumes of this server, and may be on " + missing
                        + "; repair that volume and restart the server, or start it without the volume to give up"
                        + " its blocks");
    }

    /**
     * The copy of a block that counts.
     *
     * @throws TatamiException what {@link #notFound} says; FENCED where the copy is below {@code generation}
     */
    public Found require(BlockId block, Generation generation) throws TatamiException {
        Found found = find(block).orElseThrow(() -> notFound(block));
        if (found.stored().generation().isBelow(generation)) {
            throw new TatamiException(
                    ErrorCode.FENCED,
                    block + " is on this server with generation "
                            + found.stored().generation() + ", below " + generation);
        }
        return found;
    }

    @Override
    public int volumeCount() {
        return volumeCount;
    }

    @Override
    public int volumeOf(BlockId block) {
        return find(block).map(found -> numbers.getOrDefault(found.volume(), 0)).orElse(0);
    }

    @Override
    public boolean isHanging(int volume) {
        return volumes().stream()
                .map(ServedVolume::volume)
                .anyMatch(one -> numbers.getOrDefault(one, 0) == volume
                        && one.accessTimes().isHanging());
    }

    @Override
    public long lengthBytes(BlockId block, Generation generation) throws TatamiException {
        StoredBlock stored = require(block, generation).stored();
        if (!stored.finalized()) {
            throw new TatamiException(ErrorCode.BUSY, block + " is still being written");
        }
        return stored.visibleBytes();
    }

    @Override
    public BlockReader open(BlockId block, Generation generation, long offsetBytes, long lengthBytes)
            throws TatamiException {
        return require(block, generation).volume().readInBackground(block, generation, offsetBytes, lengthBytes);
    }

    /** Sums over the volumes that serve; what is free on one that hangs, or is drained, is not to be had now. */
    public Room room() {
        long capacity = 0;
        long used = 0;
        long free = 0;
        for (ServedVolume served : volumes()) {
            Volume volume = served.volume();
            VolumeStatistics statistics = volume.statistics();
            if (statistics.failure().isEmpty()) {
                boolean takesNone =
                        volume.isClosedToNew() || volume.accessTimes().isHanging();
                capacity += statistics.capacityBytes();
                used += statistics.usedBytes();
                free += takesNone ? 0 : statistics.freeBytes();
            }
        }
        return new Room(capacity, used, free);
    }

    /** Room for blocks, in bytes. */
    public record Room(long capacityBytes, long usedBytes, long freeBytes) {}
}
