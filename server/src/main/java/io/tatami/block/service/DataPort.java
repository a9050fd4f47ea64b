package io.tatami.block.service;

import com.google.protobuf.Message;
import io.netty.buffer.ByteBuf;
import io.tatami.base.BlockId;
import io.tatami.base.Clock;
import io.tatami.base.ErrorCode;
import io.tatami.base.MemoryBudget;
import io.tatami.base.TatamiException;
import io.tatami.block.volume.BlockWriter;
import io.tatami.block.volume.UnitCopies;
import io.tatami.block.volume.Volume;
import io.tatami.client.block.BlockClient;
import io.tatami.protocol.BlockMethods;
import io.tatami.protocol.wire.ReadBlockReply;
import io.tatami.protocol.wire.ReadBlockRequest;
import io.tatami.protocol.wire.ReadCredit;
import io.tatami.protocol.wire.ReadFrame;
import io.tatami.protocol.wire.WriteAck;
import io.tatami.protocol.wire.WriteBlockReply;
import io.tatami.protocol.wire.WriteBlockRequest;
import io.tatami.protocol.wire.WriteFrame;
import io.tatami.rpc.CallContext;
import io.tatami.rpc.HandlerTable;
import io.tatami.rpc.ServerStream;
import io.tatami.rpc.StreamReceiver;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Opens the write and read streams of a block server and holds what they share. At most one write session of a block is
 * current: a newer one, a recovery or a deletion ends the one before. Safe for use by many threads.
 */
final class DataPort {
    private static final Logger LOG = LoggerFactory.getLogger(DataPort.class);

    /** What an operator should look at; the rest is daily life. */
    private static final Set<ErrorCode> SERIOUS = EnumSet.of(ErrorCode.INTERNAL, ErrorCode.CORRUPT, ErrorCode.IO_ERROR);

    /** A reader that had no memory for a frame asks again several times in this time. */
    private static final long SHORT_NANOS = TimeUnit.SECONDS.toNanos(5);

    private final BlockServerSettings settings;
    private final VolumeSet volumes;
    private final UnitCopies copies;
    private final BlockClient chainClient;
    private final Clock clock;
    private final IntSupplier serverId;
    private final ServerThreads threads;
    private final BlockServerMetrics metrics = new BlockServerMetrics();
    private final MemoryShares memory;
    private final Map<Volume, MemoryBudget> receiveBudgets = new HashMap<>();
    private final CopiedFrames copiedFrames;
    private final VolumeStreams writeStreams;
    private final Tombstones tombstones = new Tombstones();
    private final WriterOpener opener;
    private final Map<BlockId, WriteSession> writers = new ConcurrentHashMap<>();

    /** Of the sessions whose writer is open. */
    private final Map<WriteSession, VolumeStreams.Counted> writing = new ConcurrentHashMap<>();

    private final Set<WriteSession> writeSessions = ConcurrentHashMap.newKeySet();
    private final VolumeStreams readStreams;

    /** Each with its place among the streams of its volume. */
    private final Map<ReadSession, VolumeStreams.Counted> readSessions = new ConcurrentHashMap<>();

    private volatile long shortNanos;
    private volatile boolean ranShort;
    private volatile boolean closed;

    DataPort(
            BlockServerSettings settings,
            VolumeSet volumes,
            UnitCopies copies,
            BlockClient chainClient,
            Clock clock,
            IntSupplier serverId,
            ServerThreads threads,
            MemoryShares memory) {
        this.settings = settings;
        this.volumes = volumes;
        this.copies = copies;
        this.chainClient = chainClient;
        this.clock = clock;
        this.serverId = serverId;
        this.threads = threads;
        this.memory = memory;
        long receivedBytesMax = settings.receivedBytesMax() / Math.max(1, volumes.volumeCount());
        for (VolumeSet.ServedVolume served : volumes.volumes()) {
            receiveBudgets.put(served.volume(), new MemoryBudget(receivedBytesMax));
        }
        this.copiedFrames = new CopiedFrames(settings.buffersBytes() / 4);
        this.writeStreams = new VolumeStreams(
                "write", BlockServerSettings.WRITE_STREAMS.key(), settings.writeStreamsMax(), volumes.volumes());
        this.opener = new WriterOpener(volumes, writeStreams, tombstones);
        this.readStreams = new VolumeStreams(
                "read", BlockServerSettings.READ_STREAMS.key(), settings.readStreamsMax(), volumes.volumes());
    }

    void serveOn(HandlerTable table) {
        table.onStream(BlockMethods.WRITE_BLOCK, (context, body, stream) -> openWrite(context, body, stream));
        table.onStream(BlockMethods.READ_BLOCK, (context, body, stream) -> openRead(context, body, stream));
        table.shortOfMemoryWhen(this::isShortOfMemory);
    }

    BlockServerSettings settings() {
        return settings;
    }

    VolumeSet volumes() {
        return volumes;
    }

    BlockClient chainClient() {
        return chainClient;
    }

    Clock clock() {
        return clock;
    }

    BlockServerMetrics metrics() {
        return metrics;
    }

    /** Of the volume of a session whose writer is open. */
    MemoryBudget receiveBudget(WriteSession session) {
        VolumeStreams.Counted counted = writing.get(session);
        MemoryBudget budget = counted == null ? null : receiveBudgets.get(counted.volume());
        if (budget == null) {
            throw new IllegalStateException(session.block() + " is not open");
        }
        return budget;
    }

    /** The writer that a session asks for; counts as one of its volume's until the session has {@link #ended}. */
    BlockWriter openWriter(WriteSession session, WriteBlockRequest request) throws TatamiException {
        WriterOpener.Opened opened = opener.open(request);
        writing.put(session, opened.stream());
        return opened.writer();
    }

    Tombstones tombstones() {
        return tombstones;
    }

    /**
     * The session has the right to write its block; one that had it before under an older generation has lost it.
     *
     * @throws TatamiException FENCED where a session of a newer generation has begun since this one was opened
     */
    void began(WriteSession session) throws TatamiException {
        List<WriteSession> fenced = new ArrayList<>();
        WriteSession writing = writers.merge(session.block(), session, (before, next) -> {
            if (before.generation() > next.generation()) {
                return before;
            }
            fenced.add(before);
            return next;
        });
        fenced.forEach(before -> before.fence("another writer has gone on with it"));
        if (writing != session) {
            throw new TatamiException(
                    ErrorCode.FENCED,
                    session.block() + " is written under generation " + writing.generation() + ", above "
                            + session.generation());
        }
    }

    void ended(WriteSession session) {
        writers.remove(session.block(), session);
        writeSessions.remove(session);
        metrics.closedWriteStream();
        VolumeStreams.Counted counted = writing.remove(session);
        if (counted != null) {
            counted.close();
        }
    }

    /** Ends the block's write session, whose right to write was taken away. */
    void fence(BlockId block, String reason) {
        WriteSession session = writers.get(block);
        if (session != null) {
            session.fence(reason);
        }
    }

    /** Looks after sessions that stand still; to be called now and then. */
    void checkStandstill() {
        writeSessions.forEach(WriteSession::checkStandstill);
        readSessions.keySet().forEach(ReadSession::checkStandstill);
    }

    /** A reader had to leave a frame for later, as there was no memory for it. */
    void ranShort() {
        shortNanos = clock.monotonicNanos();
        ranShort = true;
    }

    private boolean isShortOfMemory() {
        boolean framesWait = ranShort && clock.monotonicNanos() - shortNanos < SHORT_NANOS;
        return framesWait
                || volumes.volumes().stream().anyMatch(served -> served.volume().isReadMemoryWaitedFor());
    }

    void ended(ReadSession session) {
        VolumeStreams.Counted counted = readSessions.remove(session);
        if (counted != null) {
            metrics.closedReadStream();
            counted.close();
        }
    }

    /** Opens no further stream, and ends those that are open with UNAVAILABLE. */
    void close() {
        closed = true;
        writeSessions.forEach(session -> session.stop(stopping()));
        readSessions.keySet().forEach(session -> session.stop(stopping()));
    }

    /** Whether no stream of a volume is open, within {@code limitMillis}; to be asked once this is closed. */
    boolean awaitEnd(Volume volume, long limitMillis) throws InterruptedException {
        return writeStreams.awaitNone(volume, limitMillis) && readStreams.awaitNone(volume, limitMillis);
    }

    private static TatamiException stopping() {
        return new TatamiException(ErrorCode.UNAVAILABLE, "the block server is stopping");
    }

    private void checkOpen() throws TatamiException {
        if (closed) {
            throw stopping();
        }
    }

    void failed(TatamiException failure) {
        metrics.failed(failure.code());
        if (SERIOUS.contains(failure.code())) {
            LOG.warn("a request to the data port failed", failure);
        } else {
            LOG.debug("a request to the data port failed", failure);
        }
    }

    /** A failure of a write stream that arose here, with this server's id as its detail. */
    TatamiException ownFailure(TatamiException failure) {
        return new TatamiException(
                failure.code(), String.valueOf(failure.getMessage()), Integer.toString(serverId.getAsInt()), failure);
    }

    /** @throws TatamiException MALFORMED where {@code number} is no block's id */
    static BlockId blockId(long number) throws TatamiException {
        if (number <= 0) {
            throw new TatamiException(ErrorCode.MALFORMED, "no block has the id " + Long.toUnsignedString(number));
        }
        return new BlockId(number);
    }

    private StreamReceiver<WriteFrame> openWrite(
            CallContext context, WriteBlockRequest request, ServerStream<WriteAck, WriteBlockReply> stream) {
        try {
            checkOpen();
            blockId(request.getBlockId());
            if (request.getStartOffset() < 0 || request.getReserveBytes() < request.getStartOffset()) {
                throw new TatamiException(ErrorCode.MALFORMED, "a start beyond what is to be reserved");
            }
            // Those of each volume are counted when their writers are opened; this bounds the ones that come to ask.
            int openMax = settings.writeStreamsMax() * (volumes.volumeCount() + 1);
            if (!metrics.tryOpenWriteStream(openMax)) {
                throw new TatamiException(
                        ErrorCode.BUSY,
                        openMax + " write streams are open already; see " + BlockServerSettings.WRITE_STREAMS.key());
            }
        } catch (TatamiException e) {
            failed(e);
            stream.failure(ownFailure(e));
            return new Refused<>();
        }
        WrittenMemory shared = memory.findWritten(memory.ownName(request.getSharedMemory(), context.peer()))
                .orElse(null);
        WriteSession session = new WriteSession(request, shared, stream, this, new SerialExecutor(threads.writers()));
        writeSessions.add(session);
        session.start();
        if (closed) {
            session.stop(stopping());
        }
        return session;
    }

    private StreamReceiver<ReadCredit> openRead(
            CallContext context, ReadBlockRequest request, ServerStream<ReadFrame, ReadBlockReply> stream) {
        Volume volume;
        VolumeStreams.Counted counted;
        try {
            checkOpen();
            VolumeSet.Found found = volumes.require(blockId(request.getBlockId()), request.getGeneration());
            if (request.getSoundOnly() && found.stored().damaged()) {
                return refuseDamaged(found.stored().block(), stream);
            }
            volume = found.volume();
            counted = readStreams.open(volume);
        } catch (TatamiException e) {
            failed(e);
            stream.failure(e);
            return new Refused<>();
        }
        Supplier<UnitDelivery> frames = () ->
                new FrameDelivery(stream, copies, copiedFrames, context.peer().connection());
        UnitDelivery delivery = memory.findRead(memory.ownName(request.getSharedMemory(), context.peer()))
                .<UnitDelivery>map(shared -> new SharedDelivery(stream, copies, shared))
                .orElseGet(frames);
        ReadSession session = new ReadSession(request, stream, delivery, frames, this, threads.readers(volume));
        readSessions.put(session, counted);
        metrics.openedReadStream();
        session.wantTurn();
        if (closed) {
            session.stop(stopping());
        }
        return session;
    }

    /** For readers who have other copies to go to first; each of them is told, and no log. */
    private StreamReceiver<ReadCredit> refuseDamaged(BlockId block, ServerStream<ReadFrame, ReadBlockReply> stream) {
        metrics.failed(ErrorCode.CORRUPT);
        stream.failure(new TatamiException(
                ErrorCode.CORRUPT, "the copy of " + block + " on this server is damaged; read another one"));
        return new Refused<>();
    }

    /** Hears the rest of a stream that was answered at once. */
    private static final class Refused<U extends Message> implements StreamReceiver<U> {
        @Override
        public void onMessage(U message, ByteBuf payload) {
            payload.release();
        }

        @Override
        public void onCancelled(TatamiException reason) {
            LOG.debug("a refused stream was cancelled", reason);
        }
    }
}
