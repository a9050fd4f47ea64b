package io.tatami.client.block;

import com.google.protobuf.ByteString;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.PooledByteBufAllocator;
import io.tatami.base.BlockId;
import io.tatami.base.Causes;
import io.tatami.base.Check;
import io.tatami.base.Clock;
import io.tatami.base.ErrorCode;
import io.tatami.base.Generation;
import io.tatami.base.MemoryBudget;
import io.tatami.base.TatamiException;
import io.tatami.protocol.BlockMethods;
import io.tatami.protocol.wire.BlockInfoReply;
import io.tatami.protocol.wire.BlockInfoRequest;
import io.tatami.protocol.wire.BlockServerStatusReply;
import io.tatami.protocol.wire.BlockServerStatusRequest;
import io.tatami.protocol.wire.CancelPlanRequest;
import io.tatami.protocol.wire.ChunkChecksumsReply;
import io.tatami.protocol.wire.ChunkChecksumsRequest;
import io.tatami.protocol.wire.PlanReadsRequest;
import io.tatami.protocol.wire.PlanStatusReply;
import io.tatami.protocol.wire.PlanStatusRequest;
import io.tatami.protocol.wire.ReadBlockRequest;
import io.tatami.protocol.wire.ReadStatisticsReply;
import io.tatami.protocol.wire.ReadStatisticsRequest;
import io.tatami.protocol.wire.ScrubRequest;
import io.tatami.protocol.wire.StagedBlocksReply;
import io.tatami.protocol.wire.StagedBlocksRequest;
import io.tatami.rpc.CallOptions;
import io.tatami.rpc.Connection;
import io.tatami.rpc.Connector;
import io.tatami.rpc.DirectMemory;
import io.tatami.rpc.Lane;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Opens streams to block servers and calls them, over connections that all users of one {@link Connector} share. Safe
 * for use by many threads. All methods may block, and none may be called on an event loop.
 */
public final class BlockClient {
    /** Bytes do not pass through it, so one is enough, and memory is used again by whatever stream comes next. */
    private static final Lane SHARED_LANE = Lane.bulk(0);

    /** More connections to one server than this, times the lanes of the settings, are not made. */
    private static final int TURNS_MAX = 63;

    /**
     * For what servers send ahead of the read streams, beyond the one chunk that each is sure of: a quarter of the
     * direct memory, which all clients of the process share. The rest is for what is on its way through the network,
     * and for writers.
     */
    private static final MemoryBudget READ_AHEAD = new MemoryBudget(DirectMemory.bytesMax() / 4);

    private final Connector connector;
    private final BlockClientSettings settings;
    private final ByteBufAllocator allocator;
    private final Clock clock;
    private final SharedRegions readRegions;
    private final SharedRegions writtenRegions;

    /** For blocks that are short, and the first frames of others. */
    private final SharedRegions shortWrittenRegions;

    private final DamageReporter damage;
    private final AtomicInteger nextLane = new AtomicInteger();

    /** The connector is the caller's to close, after the streams. */
    public BlockClient(Connector connector, BlockClientSettings settings) {
        this(connector, settings, Clock.SYSTEM);
    }

    /** {@link #BlockClient(Connector, BlockClientSettings)}, by another clock. */
    public BlockClient(Connector connector, BlockClientSettings settings, Clock clock) {
        this(connector, settings, PooledByteBufAllocator.DEFAULT, clock);
    }

    BlockClient(Connector connector, BlockClientSettings settings, ByteBufAllocator allocator, Clock clock) {
        this.connector = connector;
        this.settings = settings;
        this.allocator = allocator;
        this.clock = clock;
        this.damage = new DamageReporter(clock);
        this.readRegions = new SharedRegions(settings.readUnits(), false, clock);
        this.writtenRegions = new SharedRegions(settings.writtenUnits(), true, clock);
        this.shortWrittenRegions = new SharedRegions(Math.min(1, settings.writtenUnits()), true, clock);
    }

    /** By which its threads wait. */
    public Clock clock() {
        return clock;
    }

    public BlockClientSettings settings() {
        return settings;
    }

    /**
     * Begins to write or continue a block. Does not wait for the servers; the stream throws their refusals.
     *
     * @param chain the servers of the pipeline, at least one, in the order in which bytes travel
     * @throws TatamiException if the first server cannot be reached
     */
    public BlockWriteStream openWriter(List<BlockTarget> chain, WriteSpec spec) throws TatamiException {
        Check.check(!chain.isEmpty(), "no server to write %s to", spec.block());
        BlockTarget first = chain.get(0);
        Connection bulk = bulkConnection(first);
        return BlockWriteStream.open(
                bulk,
                spec,
                List.copyOf(chain),
                (isShort, lengthBytes) ->
                        lease(isShort ? shortWrittenRegions : writtenRegions, bulk, first, lengthBytes),
                settings,
                allocator,
                clock);
    }

    /**
     * Begins to read a range of a block.
     *
     * @param generation the least generation of the copy
     * @param lengthBytes may go beyond the end of the block, where the stream then ends
     * @throws TatamiException if the server cannot be reached
     */
    public BlockReadStream openReader(
            BlockTarget target, BlockId block, Generation generation, long offset, long lengthBytes)
            throws TatamiException {
        return openReader(target, block, generation, offset, lengthBytes, ReadTerms.ANY);
    }

    /**
     * {@link #openReader(BlockTarget, BlockId, Generation, long, long)} on certain terms. What is damaged of the bytes
     * that come is reported to the server.
     */
    public BlockReadStream openReader(
            BlockTarget target, BlockId block, Generation generation, long offset, long lengthBytes, ReadTerms terms)
            throws TatamiException {
        BlockReadStream stream = beginReader(target, block, generation, offset, lengthBytes, terms)
                .await(TimeUnit.MILLISECONDS.toNanos(settings.timeoutMillis()));
        if (stream == null) {
            throw notInTime(target);
        }
        return stream;
    }

    /** {@link #openReader(BlockTarget, BlockId, long, long, long, ReadTerms)} without waiting for the connection. */
    public ReadAttempt beginReader(
            BlockTarget target, BlockId block, Generation generation, long offset, long lengthBytes, ReadTerms terms) {
        ReadOrigin origin = terms.origin();
        ReadBlockRequest request = ReadBlockRequest.newBuilder()
                .setFileId(origin.fileId())
                .setClientHost(origin.host())
                .setReason(origin.reason())
                .setDistance(origin.distance())
                .setBlockId(block.value())
                .setGeneration(generation.value())
                .setOffset(offset)
                .setLength(lengthBytes)
                .setSoundOnly(terms.soundOnly())
                .setBackground(terms.background())
                .build();
        return new ReadAttempt(target, connectBulk(target), clock, (bulk, mayWait) -> {
            RegionLease lease =
                    terms.sharesMemory() && mayWait ? readLease(bulk, target, lengthBytes) : RegionLease.NONE;
            BlockReadStream.Range range = new BlockReadStream.Range(target, request, origin.context());
            return BlockReadStream.open(lease.connectionOr(bulk), range, lease, READ_AHEAD, damage, settings, clock);
        });
    }

    /** {@link #lease} for a reader, who does without before another copy would be tried. */
    private RegionLease readLease(Connection bulk, BlockTarget target, long lengthBytes) throws TatamiException {
        if (isWithoutRegion(readRegions, bulk, lengthBytes)) {
            return RegionLease.NONE;
        }
        long waitMillis = Math.min(settings.timeoutMillis(), SharedRegions.OFFER_MILLIS_MAX);
        Connection shared = connectionWithin(target, SHARED_LANE, waitMillis);
        return shared == null ? RegionLease.NONE : readRegions.lease(shared, lengthBytes);
    }

    private static boolean isWithoutRegion(SharedRegions regions, Connection bulk, long lengthBytes) {
        return regions.hasNone() || !bulk.isSameHost() || lengthBytes < SharedRegions.STREAM_BYTES_MIN;
    }

    /** Memory for a stream that would do with {@code bulk}; where there can be none, nobody is asked. */
    private RegionLease lease(SharedRegions regions, Connection bulk, BlockTarget target, long lengthBytes)
            throws TatamiException {
        return isWithoutRegion(regions, bulk, lengthBytes)
                ? RegionLease.NONE
                : regions.lease(connection(target, SHARED_LANE), lengthBytes);
    }

    /** @throws TatamiException NO_SUCH_BLOCK, or the connection's failure */
    public BlockInfoReply blockInfo(BlockTarget target, BlockId block) throws TatamiException {
        return connection(target, Lane.CONTROL).callAndWait(BlockMethods.BLOCK_INFO, options(), infoRequest(block));
    }

    /**
     * {@link #blockInfo} without waiting.
     *
     * @param timeoutMillis for the connection and the reply together
     * @return fails with NO_SUCH_BLOCK, with the connection's failure, or with a {@link TimeoutException}
     */
    public CompletableFuture<BlockInfoReply> askBlockInfo(BlockTarget target, BlockId block, long timeoutMillis) {
        CallOptions options = CallOptions.DEFAULT.withTimeoutMillis(timeoutMillis);
        return connector
                .connect(target.address(), Lane.CONTROL)
                .thenCompose(connection -> connection.call(BlockMethods.BLOCK_INFO, options, infoRequest(block)))
                .orTimeout(timeoutMillis, TimeUnit.MILLISECONDS);
    }

    private static BlockInfoRequest infoRequest(BlockId block) {
        return BlockInfoRequest.newBuilder().setBlockId(block.value()).build();
    }

    /**
     * The stored CRC32Cs of the chunks of a range; the last chunk of the block may be short.
     *
     * @param offset a multiple of the chunk size
     * @throws TatamiException NO_SUCH_BLOCK, FENCED, INVALID_ARGUMENT for a range that is not readable, or the
     *     connection's failure
     */
    public int[] chunkChecksums(BlockTarget target, BlockId block, Generation generation, long offset, long lengthBytes)
            throws TatamiException {
        ChunkChecksumsRequest request = ChunkChecksumsRequest.newBuilder()
                .setBlockId(block.value())
                .setGeneration(generation.value())
                .setOffset(offset)
                .setLength(lengthBytes)
                .build();
        ChunkChecksumsReply reply =
                connection(target, Lane.CONTROL).callAndWait(BlockMethods.CHUNK_CHECKSUMS, options(), request);
        ByteBuffer bytes = reply.getChecksums().asReadOnlyByteBuffer();
        int[] checksums = new int[bytes.remaining() / Integer.BYTES];
        bytes.asIntBuffer().get(checksums);
        return checksums;
    }

    /** @throws TatamiException as {@link BlockMethods#PLAN_READS}, or the connection's failure */
    public PlanStatusReply planReads(BlockTarget target, PlanReadsRequest request) throws TatamiException {
        return connection(target, Lane.CONTROL).callAndWait(BlockMethods.PLAN_READS, options(), request);
    }

    /** @throws TatamiException as {@link BlockMethods#PLAN_STATUS}, or the connection's failure */
    public PlanStatusReply planStatus(BlockTarget target, ByteString plan) throws TatamiException {
        PlanStatusRequest request =
                PlanStatusRequest.newBuilder().setPlanId(plan).build();
        return connection(target, Lane.CONTROL).callAndWait(BlockMethods.PLAN_STATUS, options(), request);
    }

    /** @throws TatamiException the connection's failure */
    public void cancelPlan(BlockTarget target, ByteString plan) throws TatamiException {
        CancelPlanRequest request =
                CancelPlanRequest.newBuilder().setPlanId(plan).build();
        connection(target, Lane.CONTROL).callAndWait(BlockMethods.CANCEL_PLAN, options(), request);
    }

    /**
     * How much of each block is on a server's cache tier, and how much its plans have.
     *
     * @param timeoutMillis how long the answer is worth waiting for
     * @throws TatamiException UNSUPPORTED where it has none, or the connection's failure
     */
    public StagedBlocksReply stagedBlocks(BlockTarget target, List<BlockId> blocks, long timeoutMillis)
            throws TatamiException {
        StagedBlocksRequest.Builder request = StagedBlocksRequest.newBuilder();
        blocks.forEach(block -> request.addBlockId(block.value()));
        return connection(target, Lane.CONTROL)
                .callAndWait(
                        BlockMethods.STAGED_BLOCKS,
                        CallOptions.DEFAULT.withTimeoutMillis(timeoutMillis),
                        request.build());
    }

    /**
     * How a server and its volumes are.
     *
     * @param timeoutMillis how long the answer is worth waiting for
     * @throws TatamiException the connection's failure
     */
    public BlockServerStatusReply status(BlockTarget target, long timeoutMillis) throws TatamiException {
        return connection(target, Lane.CONTROL)
                .callAndWait(
                        BlockMethods.BLOCK_SERVER_STATUS,
                        CallOptions.DEFAULT.withTimeoutMillis(timeoutMillis),
                        BlockServerStatusRequest.getDefaultInstance());
    }

    /**
     * What this user read of a server's blocks in the last day, a page of it.
     *
     * @param timeoutMillis how long the answer is worth waiting for
     * @throws TatamiException UNSUPPORTED from a server of an older release, or the connection's failure
     */
    public ReadStatisticsReply readStatistics(BlockTarget target, ReadStatisticsRequest request, long timeoutMillis)
            throws TatamiException {
        return connection(target, Lane.CONTROL)
                .callAndWait(
                        BlockMethods.READ_STATISTICS, CallOptions.DEFAULT.withTimeoutMillis(timeoutMillis), request);
    }

    /**
     * Begins or ends scrubs of a server's volumes; what is under way already goes on.
     *
     * @throws TatamiException the connection's failure
     */
    public BlockServerStatusReply scrub(BlockTarget target, ScrubRequest.Action action) throws TatamiException {
        ScrubRequest request = ScrubRequest.newBuilder().setAction(action).build();
        return connection(target, Lane.CONTROL).callAndWait(BlockMethods.SCRUB, options(), request);
    }

    private CallOptions options() {
        return CallOptions.DEFAULT.withTimeoutMillis(settings.timeoutMillis());
    }

    /**
     * A connection for one more stream; streams take turns over the lanes. Beyond those of the settings there are more
     * where these are crowded: streams of writers that rest, or of slow readers, let no other one wait. A crowded one
     * is used where the server takes no more.
     *
     * @throws TatamiException when the server cannot be reached
     */
    public Connection bulkConnection(BlockTarget target) throws TatamiException {
        return inTime(target, connectBulk(target));
    }

    private CompletableFuture<Connection> connectBulk(BlockTarget target) {
        int lane = Math.floorMod(nextLane.getAndIncrement(), settings.lanes());
        return connectBulk(target.address(), lane, 0);
    }

    /**
     * Goes on to the next turn on an event loop, where no name may be looked up.
     *
     * @param turn how many lanes were crowded; each lane of the settings has others of its own behind it
     */
    private CompletableFuture<Connection> connectBulk(SocketAddress address, int lane, int turn) {
        return connector
                .connect(address, Lane.bulk(lane + turn * settings.lanes()))
                .thenCompose(connection -> connection.isCrowded() && turn < TURNS_MAX
                        ? connectBulk(address, lane, turn + 1).exceptionally(failure -> connection)
                        : CompletableFuture.completedFuture(connection));
    }

    private Connection connection(BlockTarget target, Lane lane) throws TatamiException {
        return inTime(target, connector.connect(target.address(), lane));
    }

    private Connection inTime(BlockTarget target, CompletableFuture<Connection> connecting) throws TatamiException {
        Connection connection = within(target, connecting, settings.timeoutMillis());
        if (connection == null) {
            throw notInTime(target);
        }
        return connection;
    }

    private @Nullable Connection connectionWithin(BlockTarget target, Lane lane, long millis) throws TatamiException {
        return within(target, connector.connect(target.address(), lane), millis);
    }

    /** Null where there is none in that time. */
    private @Nullable Connection within(BlockTarget target, CompletableFuture<Connection> connecting, long millis)
            throws TatamiException {
        try {
            return clock.get(connecting, TimeUnit.MILLISECONDS.toNanos(millis));
        } catch (ExecutionException e) {
            throw unreachable(target, e);
        } catch (TimeoutException e) {
            return null;
        } catch (InterruptedException e) {
            throw interrupted(target, e);
        }
    }

    static TatamiException unreachable(BlockTarget target, ExecutionException e) {
        ErrorCode code = e.getCause() instanceof TatamiException cause ? cause.code() : ErrorCode.UNAVAILABLE;
        return new TatamiException(code, "block server " + target.server().value() + ": " + Causes.inWords(e), e);
    }

    /** Sets the thread's flag again. */
    static TatamiException interrupted(BlockTarget target, InterruptedException e) {
        Thread.currentThread().interrupt();
        return new TatamiException(ErrorCode.CANCELLED, "interrupted while connecting to " + target, e);
    }

    private static TatamiException notInTime(BlockTarget target) {
        return new TatamiException(
                ErrorCode.UNAVAILABLE, "cannot connect to " + target + ": no answer within the time limit");
    }
}
