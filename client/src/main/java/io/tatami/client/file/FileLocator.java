package io.tatami.client.file;

import io.tatami.base.BlockId;
import io.tatami.base.Check;
import io.tatami.base.ErrorCode;
import io.tatami.base.FileId;
import io.tatami.base.Generation;
import io.tatami.base.ServerId;
import io.tatami.base.SideBySide;
import io.tatami.base.TatamiException;
import io.tatami.client.block.BlockClient;
import io.tatami.client.entry.EntryReader;
import io.tatami.client.meta.BlockServers;
import io.tatami.client.meta.CallerContexts;
import io.tatami.client.meta.Deadline;
import io.tatami.client.meta.ReadOrder;
import io.tatami.client.meta.SuspectServers;
import io.tatami.client.model.CallerContext;
import io.tatami.client.model.PathStatus;
import io.tatami.protocol.wire.BlockInfoReply;
import io.tatami.protocol.wire.BlockLocation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Finds out where a file's bytes are and how many can be read. Of a block that is being written, only its servers know
 * that. Safe for use by many threads.
 */
final class FileLocator {
    private static final long TIER_REST_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final EntryReader entries;
    private final BlockServers servers;
    private final ReadOrder order;
    private final BlockClient blocks;
    private final CallerContexts contexts;
    private final long patienceNanos;

    /** Servers whose cache tier did not answer a reader's question, and when they may be asked again. */
    private final Map<ServerId, Long> silentTiers = new ConcurrentHashMap<>();

    /** @param hedge the silence of a copy after which another is read beside it; zero for a second */
    FileLocator(FileStreams.Metadata metadata, BlockClient blocks, Duration hedge) {
        this.entries = metadata.entries();
        this.servers = metadata.servers();
        this.order = metadata.order();
        this.blocks = blocks;
        this.contexts = metadata.caller().contexts();
        this.patienceNanos = patienceNanos(hedge);
    }

    static long patienceNanos(Duration hedge) {
        return hedge.isZero() ? CopyChoice.STALL_NANOS : Math.min(CopyChoice.STALL_NANOS, hedge.toNanos());
    }

    BlockServers servers() {
        return servers;
    }

    ReadOrder order() {
        return order;
    }

    SuspectServers suspects() {
        return order.suspects();
    }

    /** The silence of a copy after which another one is read beside it. */
    long patienceNanos() {
        return patienceNanos;
    }

    /** How much longer that may be where its server tells that the reader is queued; 0 for no longer. */
    long queuedPatienceNanos() {
        return patienceNanos < CopyChoice.STALL_NANOS ? 0 : CopyChoice.QUEUED_NANOS - CopyChoice.STALL_NANOS;
    }

    /** The silence after which a copy is given up. */
    long timeoutNanos() {
        return TimeUnit.MILLISECONDS.toNanos(blocks.settings().timeoutMillis());
    }

    BlockClient blocks() {
        return blocks;
    }

    Deadline deadline() {
        return entries.deadline();
    }

    CopyRetries retries() {
        return new CopyRetries(entries::deadline, entries::backoff);
    }

    /** The answers of several servers to one call. All together have the time of one request to a block server. */
    <R> List<SideBySide.Answer<ServerId, R>> ofServers(Collection<ServerId> asked, SideBySide.Call<ServerId, R> call)
            throws TatamiException {
        return SideBySide.ask(asked, Duration.ofMillis(blocks.settings().timeoutMillis()), call);
    }

    /** @param status of a file, with locations or inline bytes */
    FileContent content(PathStatus status) throws TatamiException {
        if (status.isInline()) {
            Check.check(
                    status.wire().hasInline() || status.lengthBytes() == 0,
                    "the bytes of %s did not come",
                    status.path());
            return FileContent.inline(status, status.wire().getInline());
        }
        List<BlockExtent> extents = new ArrayList<>();
        long offset = 0;
        List<BlockLocation> locations = status.wire().getBlockList();
        int lastKnown = lastKnown(locations);
        for (int index = 0; index < locations.size(); index++) {
            BlockLocation listed = locations.get(index);
            Visible visible = listed.getOpen() && index >= lastKnown
                    ? visible(status, listed)
                    : new Visible(listed, listed.getLength(), true);
            if (visible.lengthBytes > 0) {
                BlockLocation location = visible.location;
                BlockId block = new BlockId(location.getBlockId());
                List<ServerId> holders = ServerId.listOf(location.getServerIdList());
                extents.add(new BlockExtent(
                        block, Generation.of(location.getGeneration()), offset, visible.lengthBytes, holders));
                offset += visible.lengthBytes;
            }
            if (!visible.isFinal) {
                break;
            }
        }
        return FileContent.of(status, extents);
    }

    /**
     * The index of the last block of which the home knows bytes; -1 for none. It knows all bytes of those before it.
     * Their servers are not asked: for a moment of a recovery their copies are not final.
     */
    static int lastKnown(List<BlockLocation> locations) {
        int index = locations.size() - 1;
        while (index >= 0 && locations.get(index).getLength() == 0) {
            index--;
        }
        return index;
    }

    /** A server did not answer what is staged on its tier. */
    void tierWasSilent(ServerId server) {
        silentTiers.put(server, blocks.clock().monotonicNanos() + TIER_REST_NANOS);
    }

    /** Whether it is too soon to ask a server again what is staged on its tier. */
    boolean isTierSilent(ServerId server) {
        Long until = silentTiers.get(server);
        return until != null && blocks.clock().monotonicNanos() - until < 0;
    }

    /**
     * A block with the servers that have it now, as the home says; with those it had where it left the file.
     *
     * @param context of the request
     */
    BlockExtent extentNow(PathStatus status, BlockExtent extent, CallerContext context) throws TatamiException {
        BlockLocation now = locationNow(status, extent.block(), context);
        return now == null
                ? extent
                : new BlockExtent(
                        extent.block(),
                        Generation.of(now.getGeneration()),
                        extent.offsetBytes(),
                        extent.lengthBytes(),
                        ServerId.listOf(now.getServerIdList()));
    }

    /** A block of a file, which is found by its id, as the home knows it now; null where it is no longer the file's. */
    private @Nullable BlockLocation locationNow(PathStatus status, BlockId block, CallerContext context)
            throws TatamiException {
        PathStatus now = contexts.within(context, () -> entries.file(new FileId(status.id()), status.path()));
        return now.wire().getBlockList().stream()
                .filter(location -> location.getBlockId() == block.value())
                .findFirst()
                .orElse(null);
    }

    /**
     * What can be read of a block.
     *
     * @param location by which that was found out; a copy of an older generation may have other bytes
     * @param isFinal the block does not grow, so that the next one may have bytes
     */
    private record Visible(BlockLocation location, long lengthBytes, boolean isFinal) {}

    /**
     * Asks the block's servers in rounds. A server that cannot be reached may be starting: it is waited for as long as
     * an operation may take.
     */
    private Visible visible(PathStatus status, BlockLocation found) throws TatamiException {
        CopyRetries retries = retries();
        BlockLocation location = found;
        while (location.getOpen()) {
            LengthQuestion question = new LengthQuestion(this, location);
            BlockInfoReply info = question.ask(retries.deadline());
            if (info != null) {
                return new Visible(
                        location, Math.max(location.getLength(), info.getVisibleLength()), info.getFinalized());
            }
            if (question.isUnbegun()) {
                return new Visible(location, 0, false);
            }
            TatamiException failure = question.failure();
            if (retries.pause(failure) == null) {
                throw new TatamiException(
                        ErrorCode.UNAVAILABLE,
                        "the length of " + new BlockId(location.getBlockId()) + " of " + status.path()
                                + ", which is being written, is unknown: " + failure.getMessage(),
                        failure);
            }
            servers.reconsider(failure, retries.deadline());
            BlockLocation now = locationNow(status, new BlockId(location.getBlockId()), contexts.current());
            if (now == null) {
                // It was empty and is given up, or the file was cut before it.
                return new Visible(location, 0, true);
            }
            location = now;
        }
        return new Visible(location, location.getLength(), true);
    }

    /** Throws what ends an operation rather than the use of one copy: an interrupt. */
    static void requireOtherCopyMayHelp(TatamiException failure) throws TatamiException {
        if (failure.code() == ErrorCode.CANCELLED && Thread.currentThread().isInterrupted()) {
            throw failure;
        }
    }
}
