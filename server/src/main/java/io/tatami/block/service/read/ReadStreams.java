package io.tatami.block.service.read;

import io.tatami.base.BlockId;
import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.block.service.context.AnsweredStream;
import io.tatami.block.service.context.BlockServerSettings;
import io.tatami.block.service.context.CopyRate;
import io.tatami.block.service.context.ServerContext;
import io.tatami.block.service.memory.MemoryShares;
import io.tatami.block.service.volumes.VolumeSet;
import io.tatami.block.service.volumes.VolumeStreams;
import io.tatami.block.volume.UnitCopies;
import io.tatami.block.volume.Volume;
import io.tatami.protocol.wire.ReadBlockReply;
import io.tatami.protocol.wire.ReadBlockRequest;
import io.tatami.protocol.wire.ReadFrame;
import io.tatami.protocol.wire.ReadWindowUpdate;
import io.tatami.rpc.CallContext;
import io.tatami.rpc.ServerStream;
import io.tatami.rpc.StreamReceiver;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** The read streams of a block server, and the objects that they share. Safe for use by many threads. */
public final class ReadStreams {
    /**
     * The time after a reader ran short of memory during which the port counts as short; the reader retries several
     * times in it.
     */
    private static final long SHORT_NANOS = TimeUnit.SECONDS.toNanos(5);

    /** How often readers are told that they are queued, and after how long a silence. */
    public static final long TELL_QUEUED_MILLIS = 250;

    private final ServerContext context;
    private final UnitCopies copies;
    private final MemoryShares memory;
    private final Readers readers;
    private final CopyRate rate;
    private final CopiedFrames copiedFrames;
    private final ReadCounts statistics;
    private final VolumeStreams counts;

    /**
     * The open sessions in the order of their opening, each with its place among the streams of its volume; guarded by
     * itself.
     */
    private final Map<ReadSession, VolumeStreams.Counted> sessions = new LinkedHashMap<>();

    /** The threads that run the turns of sessions. */
    @FunctionalInterface
    public interface Readers {
        /** @throws TatamiException UNAVAILABLE where the volume was taken out of the server */
        Executor of(Volume volume) throws TatamiException;
    }

    private volatile long shortNanos;
    private volatile boolean ranShort;
    private volatile boolean closed;

    /**
     * @param rate of background readers
     * @param readers of each volume, the threads that run turns; they may wait for that volume
     */
    public ReadStreams(ServerContext context, UnitCopies copies, MemoryShares memory, CopyRate rate, Readers readers) {
        this.context = context;
        this.copies = copies;
        this.memory = memory;
        this.rate = rate;
        this.readers = readers;
        this.statistics = new ReadCounts(context.clock());
        BlockServerSettings settings = context.settings();
        this.copiedFrames = new CopiedFrames(settings.buffersBytes() / 4);
        this.counts = new VolumeStreams(
                "read",
                BlockServerSettings.READ_STREAMS.key(),
                settings.readStreamsMax(),
                context.volumes().volumes());
    }

    /** What was read over the streams. */
    public ReadCounts statistics() {
        return statistics;
    }

    /** Takes streams for one more volume. */
    public void add(VolumeSet.ServedVolume served) {
        counts.add(served);
    }

    /** Ends the sessions of a volume that is no longer served. */
    public void endOn(Volume volume) {
        counts.end(volume);
        counted().forEach((session, stream) -> {
            if (stream.volume() == volume) {
                session.stop(takenOut());
            }
        });
    }

    /** Forgets a volume whose sessions have ended. */
    public void remove(Volume volume) {
        counts.remove(volume);
    }

    private static TatamiException takenOut() {
        return new TatamiException(
                ErrorCode.UNAVAILABLE, "the volume of the block was taken out of the server; read again");
    }

    /** Opens a stream. If it is refused, the stream has failed when this returns. */
    public StreamReceiver<ReadWindowUpdate> open(
            CallContext caller, ReadBlockRequest request, ServerStream<ReadFrame, ReadBlockReply> stream) {
        VolumeStreams.Counted counted;
        Executor turns;
        try {
            if (closed) {
                throw ServerContext.stopping();
            }
            VolumeSet.Found found = context.volumes()
                    .require(
                            ServerContext.blockId(request.getBlockId()),
                            ServerContext.generation(request.getGeneration()));
            if (request.getSoundOnly() && found.stored().damaged()) {
                return refuseDamaged(found.stored().block(), stream);
            }
            counted = counts.open(found.volume());
            turns = readers(counted);
        } catch (TatamiException e) {
            context.failed(e);
            stream.failure(e);
            return new AnsweredStream<>();
        }
        Supplier<UnitDelivery> frames = () ->
                new FrameDelivery(stream, copies, copiedFrames, caller.peer().connection(), request.getBackground());
        UnitDelivery delivery = request.getBackground()
                ? frames.get()
                : memory.findRead(memory.ownName(request.getSharedMemory(), caller.peer()))
                        .<UnitDelivery>map(shared -> new SharedDelivery(stream, copies, shared))
                        .orElseGet(frames);
        ReadSession session = new ReadSession(
                request,
                stream,
                delivery,
                frames,
                context,
                this,
                request.getBackground() ? null : statistics.open(caller, request),
                turns);
        synchronized (sessions) {
            sessions.put(session, counted);
        }
        context.metrics().openedReadStream();
        session.start();
        if (closed) {
            session.stop(ServerContext.stopping());
        } else if (counted.isEnded()) {
            // Who ends the volume's sessions may have looked for them before this one was among them.
            session.stop(takenOut());
        }
        return session;
    }

    private Executor readers(VolumeStreams.Counted counted) throws TatamiException {
        try {
            return readers.of(counted.volume());
        } catch (TatamiException e) {
            counted.close();
            throw e;
        }
    }

    /** Refuses a reader that accepts sound copies only. The refusal is not logged. */
    private StreamReceiver<ReadWindowUpdate> refuseDamaged(
            BlockId block, ServerStream<ReadFrame, ReadBlockReply> stream) {
        stream.failure(new TatamiException(
                ErrorCode.CORRUPT, "the copy of " + block + " on this server is damaged; read another one"));
        return new AnsweredStream<>();
    }

    /** Whether a background reader may be sent more now; where not, {@code whenPaid} is called later. */
    boolean mayCopy(Runnable whenPaid) {
        return rate.mayGoOn(whenPaid);
    }

    /** A background reader was sent so much. */
    void copied(long bytes) {
        rate.spend(bytes);
    }

    /** Removes a session that has ended and holds no buffer of its volume. */
    void ended(ReadSession session) {
        VolumeStreams.Counted counted;
        synchronized (sessions) {
            counted = sessions.remove(session);
        }
        if (counted != null) {
            context.metrics().closedReadStream();
            counted.close();
        }
    }

    /** Notes that a reader had to postpone a frame for want of memory. */
    void ranShort() {
        shortNanos = context.nowNanos();
        ranShort = true;
    }

    /** Whether readers have to wait for memory. */
    public boolean isShortOfMemory() {
        boolean framesWait = ranShort && context.nowNanos() - shortNanos < SHORT_NANOS;
        return framesWait
                || context.volumes().volumes().stream()
                        .anyMatch(served -> served.volume().isReadMemoryWaitedFor());
    }

    /** Parks or ends sessions without progress; called periodically. */
    public void checkStandstill() {
        sessions().forEach(ReadSession::checkStandstill);
    }

    /**
     * Tells readers that wait for a volume at work that it is, while no staged copy holds them up; called every
     * {@link #TELL_QUEUED_MILLIS}.
     */
    public void tellQueued() {
        if (!copies.answersSoon()) {
            return;
        }
        Map<Volume, Boolean> atWork = new HashMap<>();
        counted().forEach((session, stream) -> {
            if (atWork.computeIfAbsent(
                    stream.volume(), volume -> volume.accessTimes().isAtWork())) {
                session.tellQueued(TimeUnit.MILLISECONDS.toNanos(TELL_QUEUED_MILLIS));
            }
        });
    }

    /** The open sessions, in no order. */
    private Map<ReadSession, VolumeStreams.Counted> counted() {
        synchronized (sessions) {
            return Map.copyOf(sessions);
        }
    }

    private List<ReadSession> sessions() {
        synchronized (sessions) {
            return List.copyOf(sessions.keySet());
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
