package io.tatami.block.service.sim;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.tatami.base.BlockId;
import io.tatami.base.ChunkChecksum;
import io.tatami.base.ErrorCode;
import io.tatami.base.ManualClock;
import io.tatami.base.ServerId;
import io.tatami.base.TatamiException;
import io.tatami.block.service.BlockRig;
import io.tatami.block.service.context.BlockServerMetrics;
import io.tatami.block.service.context.BlockServerSettings;
import io.tatami.block.service.context.CopyRate;
import io.tatami.block.service.context.ServerContext;
import io.tatami.block.service.context.ServerThreads;
import io.tatami.block.service.memory.MemoryShares;
import io.tatami.block.service.memory.SharedDirectory;
import io.tatami.block.service.read.ReadStreams;
import io.tatami.block.service.volumes.VolumeSet;
import io.tatami.block.service.write.WriteStreams;
import io.tatami.block.volume.SimVolume;
import io.tatami.block.volume.UnitCopies;
import io.tatami.client.block.BlockClient;
import io.tatami.client.block.BlockClientSettings;
import io.tatami.client.block.BlockTarget;
import io.tatami.protocol.BlockPayload;
import io.tatami.protocol.UserIdentity;
import io.tatami.protocol.wire.ReadBlockReply;
import io.tatami.protocol.wire.ReadBlockRequest;
import io.tatami.protocol.wire.ReadFrame;
import io.tatami.protocol.wire.ReadWindowUpdate;
import io.tatami.protocol.wire.WriteAck;
import io.tatami.protocol.wire.WriteBlockReply;
import io.tatami.protocol.wire.WriteBlockRequest;
import io.tatami.protocol.wire.WriteFrame;
import io.tatami.rpc.CallContext;
import io.tatami.rpc.CallOptions;
import io.tatami.rpc.StreamReceiver;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The write and read sessions of a server, as they run in production, on a simulated volume, with a clock, threads and
 * a server behind that move only when a test moves them. For one thread; a course repeats itself exactly.
 */
final class SessionWorld implements AutoCloseable {
    static final BlockId BLOCK = BlockRig.block(1);
    static final ServerId SERVER = new ServerId(3);
    static final BlockTarget NEXT = new BlockTarget(new ServerId(7), "127.0.0.1", 1);
    private static final long DATA_BYTES = 32L << 20;
    private static final int CONTENT_BYTES = 8 << 20;

    final ManualClock clock = new ManualClock();
    final ManualExecutor executor = new ManualExecutor();
    final ScriptedChain chain = new ScriptedChain();
    final BlockServerSettings settings = BlockRig.settings();
    final BlockServerMetrics metrics = new BlockServerMetrics();
    final SimVolume disk;
    final VolumeSet volumes;
    final WriteStreams writes;
    final ReadStreams reads;

    /** Run while a read stream is opened, after its volume was found and before its session is among the others. */
    Runnable whenReadersAreLookedUp = () -> {};

    /** Whether the tier holds readers up; it has no copy of anything. */
    boolean isTierHanging;

    /** What is written of the block, whoever writes it. */
    final byte[] content;

    private final ServerThreads threads;
    private final MemoryShares memory;

    SessionWorld(Path directory, long seed) throws TatamiException {
        disk = new SimVolume(DATA_BYTES, seed, clock);
        content = BlockRig.bytes(seed, CONTENT_BYTES);
        volumes = new VolumeSet(List.of(new VolumeSet.ServedVolume(disk.volume(), "simulated")));
        ServerContext context = new ServerContext(settings, volumes, clock, metrics, () -> SERVER);
        threads = new ServerThreads(settings, List.of());
        memory = new MemoryShares(threads, new SharedDirectory(directory), 0);
        BlockClient chainClient = new BlockClient(chain, BlockClientSettings.DEFAULT);
        writes = new WriteStreams(context, chainClient, memory, executor);
        reads = new ReadStreams(context, new NoCopies(), memory, new CopyRate(clock, 0), volume -> {
            whenReadersAreLookedUp.run();
            return executor;
        });
    }

    /** Takes the only volume out of the server, as a removal of it does; it is closed with the world. */
    void takeOut() {
        VolumeSet.ServedVolume served = volumes.volumes().get(0);
        volumes.remove(served);
        writes.endOn(served.volume());
        reads.endOn(served.volume());
    }

    private static CallContext caller(String connection) {
        CallContext.Peer peer =
                new CallContext.Peer(InetSocketAddress.createUnresolved("client", 1), "client", false, connection);
        return new CallContext(peer, UserIdentity.of("anna"), CallOptions.DEFAULT, 0);
    }

    /** A writer of a block that is not here yet, with one server behind. */
    Writer begin(long generation) {
        return new Writer(generation, 0, 0);
    }

    /** A writer that goes on with the block. */
    Writer goOn(long generation, long previousGeneration, long startOffset) {
        return new Writer(generation, previousGeneration, startOffset);
    }

    Reader read(long offset, long length, long credit) {
        return new Reader(offset, length, credit);
    }

    /** The block's first bytes. */
    byte[] prefix(long length) {
        return Arrays.copyOf(content, (int) length);
    }

    /** Lets all that waits happen, and then what a server does now and then about streams that stand still. */
    void checkStandstill() {
        executor.runAll();
        writes.checkStandstill();
        reads.checkStandstill();
        executor.runAll();
    }

    @Override
    public void close() throws TatamiException {
        writes.close();
        reads.close();
        executor.runAll();
        memory.close();
        threads.close(false);
        disk.close();
    }

    private final class NoCopies implements UnitCopies {
        @Override
        public Answer ask(BlockId block, int unit, long endBytes, boolean readsToItsEnd) {
            return UnitCopies.NONE.ask(block, unit, endBytes, readsToItsEnd);
        }

        @Override
        public boolean answersSoon() {
            return !isTierHanging;
        }
    }

    /** The other end of a write stream. */
    final class Writer {
        final RecordedStream<WriteAck, WriteBlockReply> stream = new RecordedStream<>();
        final long generation;

        /** The bytes of each frame; the session's to release. */
        final List<ByteBuf> payloads = new ArrayList<>();

        private final StreamReceiver<WriteFrame> session;
        private final long start;
        private long sequence;
        private long sent;
        private boolean hasLast;

        private Writer(long generation, long previousGeneration, long startOffset) {
            this.generation = generation;
            this.start = startOffset;
            this.sent = startOffset;
            WriteBlockRequest request = WriteBlockRequest.newBuilder()
                    .setBlockId(BLOCK.value())
                    .setGeneration(generation)
                    .setPreviousGeneration(previousGeneration)
                    .setStartOffset(startOffset)
                    .setReserveBytes(CONTENT_BYTES)
                    .setNeededBytes(CONTENT_BYTES)
                    .addTarget(NEXT.toWire())
                    .setWindowed(true)
                    .build();
            session = writes.open(caller("writer-" + generation), request, stream);
        }

        /** How much may be sent now. */
        int room() {
            long limit = stream.messages.isEmpty()
                    ? start + BlockPayload.OPENING_BYTES
                    : stream.messages.get(stream.messages.size() - 1).getSendLimit();
            return hasLast ? 0 : (int) Math.max(0, Math.min(limit, content.length) - sent);
        }

        boolean hasLast() {
            return hasLast;
        }

        WriteAck lastAck() {
            return stream.messages.get(stream.messages.size() - 1);
        }

        void send(int length) {
            send(length, WriteFrame.newBuilder());
        }

        void sync(int length) {
            send(length, WriteFrame.newBuilder().setSync(true));
        }

        void flush(int length) {
            send(length, WriteFrame.newBuilder().setSync(true).setFlushOnly(true));
        }

        void last(int length) {
            hasLast = true;
            send(length, WriteFrame.newBuilder().setLast(true));
        }

        private void send(int length, WriteFrame.Builder frame) {
            ByteBuf payload = Unpooled.directBuffer(Math.max(1, length)).writeBytes(content, (int) sent, length);
            int index = 0;
            while (index < length) {
                int piece = ChunkChecksum.firstPieceBytes(sent + index, length - index);
                frame.addChecksum(BlockPayload.crc(payload, index, piece));
                index += piece;
            }
            frame.setSequence(++sequence).setOffset(sent);
            sent += length;
            payloads.add(payload);
            session.onMessage(frame.build(), payload);
        }

        void cancel() {
            session.onCancelled(new TatamiException(ErrorCode.CANCELLED, "the writer has gone"));
        }
    }

    /** The other end of a read stream. */
    final class Reader {
        final RecordedStream<ReadFrame, ReadBlockReply> stream = new RecordedStream<>();
        final long offset;
        private final StreamReceiver<ReadWindowUpdate> session;

        private Reader(long offset, long length, long credit) {
            this.offset = offset;
            ReadBlockRequest request = ReadBlockRequest.newBuilder()
                    .setBlockId(BLOCK.value())
                    .setOffset(offset)
                    .setLength(length)
                    .setWindowBytes(credit)
                    .setTellsQueued(true)
                    .build();
            session = reads.open(caller("reader"), request, stream);
        }

        /** How often the server told that the reader is queued. */
        long queuedSigns() {
            return stream.messages.stream().filter(ReadFrame::getQueued).count();
        }

        void credit(long bytes) {
            session.onMessage(ReadWindowUpdate.newBuilder().setBytes(bytes).build(), Unpooled.EMPTY_BUFFER);
        }

        void cancel() {
            session.onCancelled(new TatamiException(ErrorCode.CANCELLED, "the reader has gone"));
        }

        /** Whether all that came is what the block has there. */
        boolean isRight() {
            byte[] came = stream.payload.toByteArray();
            return Arrays.equals(came, Arrays.copyOfRange(content, (int) offset, (int) offset + came.length));
        }
    }
}
