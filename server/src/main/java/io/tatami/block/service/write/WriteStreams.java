package io.tatami.block.service.write;

import io.tatami.base.BlockId;
import io.tatami.base.ErrorCode;
import io.tatami.base.Generation;
import io.tatami.base.MemoryBudget;
import io.tatami.base.TatamiException;
import io.tatami.block.service.context.AnsweredStream;
import io.tatami.block.service.context.BlockServerSettings;
import io.tatami.block.service.context.ServerContext;
import io.tatami.block.service.memory.MemoryShares;
import io.tatami.block.service.memory.WrittenMemory;
import io.tatami.block.service.volumes.VolumeSet;
import io.tatami.block.service.volumes.VolumeStreams;
import io.tatami.block.volume.BlockWriter;
import io.tatami.block.volume.Volume;
import io.tatami.client.block.BlockClient;
import io.tatami.protocol.wire.WriteAck;
import io.tatami.protocol.wire.WriteBlockReply;
import io.tatami.protocol.wire.WriteBlockRequest;
import io.tatami.protocol.wire.WriteFrame;
import io.tatami.rpc.CallContext;
import io.tatami.rpc.ServerStream;
import io.tatami.rpc.StreamReceiver;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;

/**
 * The write streams of a block server, and the objects that they share. At most one session of a block is current: a
 * newer session, a recovery or a deletion ends it. Safe for use by many threads.
 */
public final class WriteStreams {
    private final ServerContext context;
    private final BlockClient chainClient;
    private final MemoryShares memory;
    private final Executor pool;
    private final VolumeStreams counts;
    private final Tombstones tombstones = new Tombstones();
    private final WriterOpener opener;
    private final Map<Volume, MemoryBudget> receiveBudgets = new ConcurrentHashMap<>();

    /** The open sessions, in the order of their opening; guarded by itself. */
    private final Set<WriteSession> sessions = new LinkedHashSet<>();

    private final Map<BlockId, WriteSession> current = new ConcurrentHashMap<>();

    /** The sessions whose writer is open, each with its place among the streams of its volume. */
    private final Map<WriteSession, VolumeStreams.Counted> counted = new ConcurrentHashMap<>();

    private volatile boolean closed;

    /** @param pool runs the steps of sessions, which may wait for a disk or for another server */
    public WriteStreams(ServerContext context, BlockClient chainClient, MemoryShares memory, Executor pool) {
        this.context = context;
        this.chainClient = chainClient;
        this.memory = memory;
        this.pool = pool;
        VolumeSet volumes = context.volumes();
        BlockServerSettings settings = context.settings();
        volumes.volumes().forEach(served -> receiveBudgets.put(served.volume(), receiveBudget()));
        this.counts = new VolumeStreams(
                "write", BlockServerSettings.WRITE_STREAMS.key(), settings.writeStreamsMax(), volumes.volumes());
        this.opener = new WriterOpener(volumes, counts, tombstones);
    }

    /** An equal part for each volume of the start; those that are added later have as much. */
    private MemoryBudget receiveBudget() {
        long all = context.settings().receivedBytesMax();
        return new MemoryBudget(all / Math.max(1, context.volumes().volumeCount()));
    }

    /** Takes streams for one more volume. */
    public void add(VolumeSet.ServedVolume served) {
        receiveBudgets.put(served.volume(), receiveBudget());
        counts.add(served);
    }

    /** Ends the sessions of a volume that is no longer served. */
    public void endOn(Volume volume) {
        counts.end(volume);
        counted.forEach((session, stream) -> {
            if (stream.volume() == volume) {
                session.stop(takenOut(session));
            }
        });
    }

    /** Forgets a volume whose sessions have ended. */
    public void remove(Volume volume) {
        counts.remove(volume);
        receiveBudgets.remove(volume);
    }

    private static TatamiException takenOut(WriteSession session) {
        return new TatamiException(
                ErrorCode.IO_ERROR, session.block() + " is on a volume that was taken out of the server");
    }

    /** The blocks that were deleted here, which no writer opens again. */
    public Tombstones tombstones() {
        return tombstones;
    }

    /** Opens a stream. If it is refused, the stream has failed when this returns. */
    public StreamReceiver<WriteFrame> open(
            CallContext caller, WriteBlockRequest request, ServerStream<WriteAck, WriteBlockReply> stream) {
        try {
            admit(request);
        } catch (TatamiException e) {
            context.failed(e);
            stream.failure(context.ownFailure(e));
            return new AnsweredStream<>();
        }
        WrittenMemory shared = memory.findWritten(memory.ownName(request.getSharedMemory(), caller.peer()))
                .orElse(null);
        WriteSession session = new WriteSession(request, shared, stream, context, this, new SerialExecutor(pool));
        context.metrics().openedWriteStream(session.block().home(), context.nowNanos());
        synchronized (sessions) {
            sessions.add(session);
        }
        session.start();
        if (closed) {
            session.stop(ServerContext.stopping());
        }
        return session;
    }

    private void admit(WriteBlockRequest request) throws TatamiException {
        if (closed) {
            throw ServerContext.stopping();
        }
        BlockId unused = ServerContext.blockId(request.getBlockId());
        Generation unusedGeneration = ServerContext.generation(request.getGeneration());
        if (request.getStartOffset() < 0 || request.getReserveBytes() < request.getStartOffset()) {
            throw new TatamiException(ErrorCode.MALFORMED, "the stream starts beyond its reservation");
        }
        // Those of each volume are counted when their writers are opened; this bounds the ones that come to ask.
        int openMax = context.settings().writeStreamsMax()
                * (context.volumes().volumes().size() + 1);
        if (!context.metrics().tryOpenWriteStream(openMax)) {
            throw new TatamiException(
                    ErrorCode.BUSY,
                    openMax + " write streams are open, the limit of " + BlockServerSettings.WRITE_STREAMS.key());
        }
    }

    /**
     * A writer, and the memory that its stream may take.
     *
     * @param writer the session's to let go
     * @param budget its volume's
     */
    record OpenedWriter(BlockWriter writer, MemoryBudget budget) {}

    /**
     * The writer that a session asks for; counts as one of its volume's until the session has {@link #ended}.
     *
     * @throws TatamiException as {@link WriterOpener#open}; IO_ERROR where the volume was taken out of the server
     *     meanwhile: the block is let go as it is
     */
    OpenedWriter openWriter(WriteSession session, WriteBlockRequest request) throws TatamiException {
        WriterOpener.Opened opened = opener.open(request);
        VolumeStreams.Counted stream = opened.stream();
        counted.put(session, stream);
        MemoryBudget budget = receiveBudgets.get(stream.volume());
        if (budget == null || stream.isEnded()) {
            // Who ends the volume's sessions may have looked for them before this one was among them.
            TatamiException takenOut = takenOut(session);
            new OpenCopy(opened.writer()).letGo(takenOut);
            throw takenOut;
        }
        return new OpenedWriter(opened.writer(), budget);
    }

    /**
     * Opens the stream to the next server of a session's chain.
     *
     * @param worker the session's
     * @throws TatamiException as {@link ChainLink#open}
     */
    ChainLink openLink(WriteBlockRequest request, Executor worker, ChainLink.Owner owner) throws TatamiException {
        return ChainLink.open(chainClient, request, context.settings().chainSilenceMillis(), worker, owner);
    }

    /**
     * Makes the session the current one of its block; a session of an older generation loses the right to write.
     *
     * @throws TatamiException FENCED if a session of a newer generation has begun since this one was opened
     */
    void began(WriteSession session) throws TatamiException {
        List<WriteSession> fenced = new ArrayList<>();
        WriteSession writing = current.merge(session.block(), session, (before, next) -> {
            if (before.generation().isAbove(next.generation())) {
                return before;
            }
            fenced.add(before);
            return next;
        });
        fenced.forEach(before -> before.fence("another writer has gone on with it"));
        if (writing != session) {
            throw new TatamiException(
                    ErrorCode.FENCED,
                    session.block() + " is being written with generation " + writing.generation() + ", above "
                            + session.generation());
        }
    }

    /** Removes a session that has ended and closed its writer. */
    void ended(WriteSession session) {
        current.remove(session.block(), session);
        synchronized (sessions) {
            sessions.remove(session);
        }
        context.metrics().closedWriteStream();
        VolumeStreams.Counted stream = counted.remove(session);
        if (stream != null) {
            stream.close();
        }
    }

    /** Ends the write session of a block that was fenced. */
    public void fence(BlockId block, String reason) {
        WriteSession session = current.get(block);
        if (session != null) {
            session.fence(reason);
        }
    }

    /** Parks or ends sessions without progress; called periodically. */
    public void checkStandstill() {
        long nowNanos = context.nowNanos();
        int resting = 0;
        for (WriteSession session : sessions()) {
            resting += session.checkStandstill(nowNanos) ? 1 : 0;
        }
        context.metrics().restingWriteStreams(resting);
    }

    private List<WriteSession> sessions() {
        synchronized (sessions) {
            return List.copyOf(sessions);
        }
    }

    /** Opens no further stream, and ends open ones with UNAVAILABLE. */
    public void close() {
        closed = true;
        sessions().forEach(session -> session.stop(ServerContext.stopping()));
    }

    /**
     * Waits for at most {@code limitMillis} until no stream of a volume is open, and returns whether that is so; to be
     * called after the close.
     */
    public boolean awaitEnd(Volume volume, long limitMillis) throws InterruptedException {
        return counts.awaitNone(volume, limitMillis);
    }
}
