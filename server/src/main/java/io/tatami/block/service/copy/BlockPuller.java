package io.tatami.block.service.copy;

import io.tatami.base.ChunkChecksum;
import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.block.service.context.CopyRate;
import io.tatami.block.service.context.ServerContext;
import io.tatami.block.volume.BlockWriter;
import io.tatami.block.volume.StoredBlock;
import io.tatami.block.volume.Volume;
import io.tatami.block.volume.space.Reservation;
import io.tatami.client.block.BlockTarget;
import io.tatami.files.CrashPoint;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes copies: fills each by itself, and finishes some at once. A copy has no record and no visible byte before all
 * its bytes are here, are what the source has stored, and are flushed; a crash before that leaves nothing. Safe for use
 * by many threads; calls wait for disks and servers.
 */
final class BlockPuller {
    private static final Logger LOG = LoggerFactory.getLogger(BlockPuller.class);

    /** Whole chunks, of one unit of the volume; all of a short block. */
    private static final int STEP_BYTES = Pull.SHORT_BYTES_MAX;

    /** How soon a pull that waits for its source notices that it is cancelled. */
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

    private final ServerContext context;
    private final CopySources sources;
    private final CopyRate rate;
    private final BlockPulls.Refusals refusals;

    BlockPuller(ServerContext context, CopySources sources, CopyRate rate, BlockPulls.Refusals refusals) {
        this.context = context;
        this.sources = sources;
        this.rate = rate;
        this.refusals = refusals;
    }

    /**
     * Returns when all bytes of the copy are on the device; they are not flushed, and nobody sees them.
     *
     * @param places of the volume
     * @throws TatamiException what is wrong with this server; the failure of the last source where none of them has all
     *     bytes; why the pull was cancelled. No copy is left then
     */
    FilledCopy fill(Pull pull, Volume volume, WritePlaces places) throws TatamiException {
        requireWanted(pull);
        deleteOutdated(pull, volume);
        long room = Math.max(1, pull.lengthBytes());
        BlockWriter writer =
                volume.create(pull.block(), pull.generation(), new Reservation(room, room, false), pull.copyNumber());
        try (WritePlaces.Turn turn = places.of(pull, context.clock())) {
            fillOrAbort(writer, pull, turn);
        }
        return new FilledCopy(pull, writer);
    }

    private void fillOrAbort(BlockWriter writer, Pull pull, WritePlaces.Turn turn) throws TatamiException {
        TatamiException failure = null;
        try {
            CrashPoint.hit("service.copy.after-create");
            // A deletion that did not find the copy yet left its mark before this.
            refusals.requireNone(pull.block(), pull.copyNumber(), pull.generation());
            if (!pull.urgent()) {
                writer.inBackground();
            }
            fill(writer, pull, turn);
            writer.writeOut();
            pull.throwIfCancelled();
        } catch (TatamiException e) {
            failure = e;
        } catch (RuntimeException e) {
            failure = failed(pull, e);
        }
        if (failure != null) {
            abort(writer, failure);
            throw failure;
        }
    }

    /**
     * Returns when the copies are durable and visible, or have failed.
     *
     * @param copies onto the volume
     * @return why those failed that have; nothing is left of them
     */
    Map<Pull, TatamiException> finish(Volume volume, List<FilledCopy> copies) {
        Map<BlockWriter, TatamiException> failures = new HashMap<>();
        Map<BlockWriter, Pull> wanted = new LinkedHashMap<>();
        for (FilledCopy copy : copies) {
            try {
                requireWanted(copy.pull());
                wanted.put(copy.writer(), copy.pull());
            } catch (TatamiException e) {
                failures.put(copy.writer(), e);
            }
        }
        if (!wanted.isEmpty()) {
            failures.putAll(finish(volume, wanted));
        }
        Map<Pull, TatamiException> ofPulls = new HashMap<>();
        for (FilledCopy copy : copies) {
            TatamiException failure = failures.get(copy.writer());
            if (failure != null) {
                abort(copy.writer(), failure);
                ofPulls.put(copy.pull(), failure);
            }
        }
        return ofPulls;
    }

    private Map<BlockWriter, TatamiException> finish(Volume volume, Map<BlockWriter, Pull> wanted) {
        try {
            CrashPoint.hit("service.copy.before-finish");
            Map<BlockWriter, TatamiException> refused = volume.finish(
                    List.copyOf(wanted.keySet()), writer -> requireWanted(Objects.requireNonNull(wanted.get(writer))));
            CrashPoint.hit("service.copy.after-finish");
            return refused;
        } catch (TatamiException e) {
            return ofEach(wanted, pull -> e.again());
        } catch (RuntimeException e) {
            return ofEach(wanted, pull -> failed(pull, e));
        }
    }

    private static Map<BlockWriter, TatamiException> ofEach(
            Map<BlockWriter, Pull> copies, Function<Pull, TatamiException> failure) {
        return copies.entrySet().stream()
                .collect(Collectors.toMap(Map.Entry::getKey, copy -> failure.apply(copy.getValue())));
    }

    /** @throws TatamiException why the copy is not to be made any more */
    private void requireWanted(Pull pull) throws TatamiException {
        pull.throwIfCancelled();
        refusals.requireNone(pull.block(), pull.copyNumber(), pull.generation());
    }

    /** What a bug is told as. */
    static TatamiException failed(Pull pull, RuntimeException cause) {
        return new TatamiException(ErrorCode.INTERNAL, "making " + pull + ": " + cause, cause);
    }

    /**
     * Makes room for the copy where there is one that the home of the block does not know: an older one that was never
     * finished, of this number, fenced while it was made, or of another; or a finished one of a lower number, which was
     * made behind the deletion of that number. The home asks a server only if that has no copy by its record; numbers
     * rise, and a server is granted the block again only under a generation above all before. Of the same number, a
     * finished copy is the one that is asked for.
     */
    private static void deleteOutdated(Pull pull, Volume volume) throws TatamiException {
        StoredBlock stored = volume.find(pull.block()).orElse(null);
        if (stored != null && isOutdated(stored, pull)) {
            LOG.info("{} takes the place of a copy that the home does not know: {}", pull, stored);
            boolean unused = volume.delete(pull.block(), stored.copyNumber(), pull.generation());
        }
    }

    private static boolean isOutdated(StoredBlock stored, Pull pull) {
        if (stored.copyNumber() == pull.copyNumber()) {
            return !stored.finalized();
        }
        return stored.copyNumber() < pull.copyNumber()
                && !stored.generation().isAbove(pull.generation())
                && !stored.promised().isAbove(pull.generation());
    }

    private static void abort(BlockWriter writer, TatamiException failure) {
        try (writer) {
            writer.abort();
        } catch (TatamiException e) {
            failure.addSuppressed(e);
        }
    }

    /** From one source after another, each from where the one before ended. */
    private void fill(BlockWriter writer, Pull pull, WritePlaces.Turn turn) throws TatamiException {
        TatamiException failure = null;
        for (BlockTarget source : pull.sources()) {
            TatamiException ofSource;
            try (CopySources.SourceCopy copy = sources.of(source, pull.block(), pull.generation(), !pull.urgent())) {
                ofSource = takeFrom(copy, writer, pull, turn);
            }
            if (ofSource == null) {
                return;
            }
            LOG.info("{} cannot be made from {} from byte {} on", pull, source, writer.lengthBytes(), ofSource);
            if (failure != null) {
                ofSource.addSuppressed(failure);
            }
            failure = ofSource;
        }
        throw failure == null ? new TatamiException(ErrorCode.INVALID_ARGUMENT, pull + " has no source") : failure;
    }

    /**
     * The rest of the bytes of one source.
     *
     * @return what is wrong with the source; null where all bytes are here
     * @throws TatamiException what is wrong with this server, or why the pull was cancelled
     */
    private @Nullable TatamiException takeFrom(
            CopySources.SourceCopy copy, BlockWriter writer, Pull pull, WritePlaces.Turn turn) throws TatamiException {
        int[] checksums;
        try {
            checksums = checksums(copy, pull);
            copy.begin(writer.lengthBytes(), pull.lengthBytes() - writer.lengthBytes());
        } catch (TatamiException e) {
            return e;
        }
        ByteBuffer buffer = ByteBuffer.allocate((int) Math.min(STEP_BYTES, pull.lengthBytes()));
        while (writer.lengthBytes() < pull.lengthBytes()) {
            long at = writer.lengthBytes();
            buffer.clear().limit((int) Math.min(buffer.capacity(), pull.lengthBytes() - at));
            try {
                receive(copy, buffer, pull);
            } catch (TatamiException e) {
                pull.throwIfCancelled();
                return e;
            }
            turn.await();
            TatamiException wrong = append(copy, writer, buffer.flip(), checksums);
            if (wrong != null) {
                return wrong;
            }
            context.metrics().pulled(writer.lengthBytes() - at);
            CrashPoint.hit("service.copy.after-append");
        }
        return null;
    }

    /** The checksums of the chunks of a copy that is the one which was asked for, as its server has stored them. */
    private static int[] checksums(CopySources.SourceCopy copy, Pull pull) throws TatamiException {
        CopySources.Description there = copy.describe();
        if (!there.generation().equals(pull.generation())
                || there.lengthBytes() != pull.lengthBytes()
                || !there.finalized()) {
            throw new TatamiException(
                    ErrorCode.FENCED,
                    "the source has " + pull.block() + " with generation " + there.generation() + " and "
                            + there.lengthBytes() + " bytes" + (there.finalized() ? "" : ", not finalized")
                            + "; the copy to be made has generation " + pull.generation() + " and "
                            + pull.lengthBytes() + " bytes");
        }
        int[] checksums = copy.checksums(pull.lengthBytes());
        long chunks = (pull.lengthBytes() + ChunkChecksum.CHUNK_BYTES - 1) / ChunkChecksum.CHUNK_BYTES;
        if (checksums.length != chunks) {
            throw new TatamiException(
                    ErrorCode.MALFORMED,
                    "the source has " + checksums.length + " checksums of the " + chunks + " chunks of "
                            + pull.block());
        }
        return checksums;
    }

    /** Fills the buffer up to its limit. */
    private void receive(CopySources.SourceCopy copy, ByteBuffer buffer, Pull pull) throws TatamiException {
        if (!pull.urgent()) {
            rate.await(pull::isCancelled);
        }
        long heardNanos = context.nowNanos();
        while (buffer.hasRemaining()) {
            pull.throwIfCancelled();
            if (copy.await(LOOK_NANOS)) {
                int count = copy.read(buffer);
                if (count < 0) {
                    throw new TatamiException(
                            ErrorCode.UNAVAILABLE, "the source ends before the end of " + pull.block());
                }
                heardNanos = context.nowNanos();
            } else if (context.nowNanos() - heardNanos
                    > TimeUnit.MILLISECONDS.toNanos(context.settings().chainSilenceMillis())) {
                throw new TatamiException(
                        ErrorCode.UNAVAILABLE,
                        "the source sent nothing of " + pull.block() + " for "
                                + context.settings().chainSilenceMillis() + " ms");
            }
        }
        if (!pull.urgent()) {
            rate.spend(buffer.position());
        }
    }

    /** Returns that the bytes are not those which the source has stored; nothing of them was taken then. */
    private static @Nullable TatamiException append(
            CopySources.SourceCopy copy, BlockWriter writer, ByteBuffer bytes, int[] checksums) throws TatamiException {
        long at = writer.lengthBytes();
        int first = (int) (at / ChunkChecksum.CHUNK_BYTES);
        int pieces = ChunkChecksum.pieces(at, bytes.remaining());
        try {
            writer.append(bytes, Arrays.copyOfRange(checksums, first, first + pieces));
            return null;
        } catch (TatamiException e) {
            if (e.code() != ErrorCode.CORRUPT) {
                throw e;
            }
            copy.reportDamage(at);
            return e;
        }
    }
}
