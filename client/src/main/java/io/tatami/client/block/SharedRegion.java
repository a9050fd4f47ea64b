package io.tatami.client.block;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.protocol.BlockMethods;
import io.tatami.protocol.wire.MemoryMapped;
import io.tatami.protocol.wire.MemoryOffer;
import io.tatami.protocol.wire.ReadFrame;
import io.tatami.protocol.wire.ShareMemoryReply;
import io.tatami.protocol.wire.ShareMemoryRequest;
import io.tatami.rpc.CallOptions;
import io.tatami.rpc.Connection;
import io.tatami.rpc.RpcStream;
import io.tatami.rpc.StreamListener;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Memory that a block server of this host lends to one stream at a time: the server fills it for a reader, and a writer
 * fills it for the server. It is lent as long as the stream on which it was asked for is open; what is mapped here
 * stays mapped after that.
 */
final class SharedRegion implements AutoCloseable {
    private final Connection connection;
    private final RpcStream<MemoryMapped> stream;
    private final SharedUnits units;
    private long idleSinceNanos;

    private SharedRegion(Connection connection, RpcStream<MemoryMapped> stream, SharedUnits units) {
        this.connection = connection;
        this.stream = stream;
        this.units = units;
    }

    /**
     * Asks the server for memory and maps it.
     *
     * @param written whether it is for a writer
     * @throws TatamiException as {@link BlockMethods#SHARE_MEMORY} and {@link SharedUnits#map}; UNSUPPORTED where the
     *     server lends memory to readers only
     */
    static SharedRegion open(Connection connection, int units, boolean written, long timeoutMillis)
            throws TatamiException {
        Offer offer = new Offer();
        RpcStream<MemoryMapped> stream = connection.openStream(
                BlockMethods.SHARE_MEMORY,
                CallOptions.DEFAULT.withTimeoutMillis(0),
                ShareMemoryRequest.newBuilder()
                        .setUnits(units)
                        .setWritten(written)
                        .build(),
                offer);
        try {
            SharedUnits mapped = map(offer.await(timeoutMillis), units, written);
            stream.send(MemoryMapped.getDefaultInstance());
            return new SharedRegion(connection, stream, mapped);
        } catch (TatamiException e) {
            stream.cancel("the memory cannot be used");
            throw e;
        }
    }

    private static SharedUnits map(MemoryOffer offer, int units, boolean written) throws TatamiException {
        if (offer.getWritten() != written) {
            throw new TatamiException(
                    ErrorCode.UNSUPPORTED, "the block server does not share the requested kind of memory");
        }
        Path path = Path.of(offer.getPath());
        return written ? SharedUnits.mapWritable(path, units) : SharedUnits.map(path, units);
    }

    Connection connection() {
        return connection;
    }

    /** For who guards it by a lock. */
    void becameIdle(long nowNanos) {
        idleSinceNanos = nowNanos;
    }

    long idleSinceNanos() {
        return idleSinceNanos;
    }

    /** What a {@code ReadBlockRequest} or a {@code WriteBlockRequest} calls it. */
    String name() {
        return units.path().toString();
    }

    long lengthBytes() {
        return (long) units.units() * SharedUnits.UNIT_BYTES;
    }

    /** All of it, as a view. */
    ByteBuffer memory() {
        return units.memory();
    }

    /**
     * The bytes that a frame speaks of, in place.
     *
     * @throws TatamiException MALFORMED where they are not within a unit
     */
    ByteBuf bytes(ReadFrame frame) throws TatamiException {
        int unit = frame.getSharedUnit();
        int start = frame.getStart();
        int length = frame.getLength();
        if (unit < 0
                || unit >= units.units()
                || start < 0
                || length < 0
                || start > SharedUnits.UNIT_BYTES
                || length > SharedUnits.UNIT_BYTES - start) {
            throw new TatamiException(
                    ErrorCode.MALFORMED, length + " bytes at " + start + " are not within the shared unit " + unit);
        }
        return Unpooled.wrappedBuffer(units.memory().slice(unit * SharedUnits.UNIT_BYTES + start, length));
    }

    /** Gives the memory back; nothing of it may be used any more. */
    @Override
    public void close() {
        stream.cancel("the memory is not needed any more");
        units.close();
    }

    /** Waits for the server's offer. */
    private static final class Offer implements StreamListener<MemoryOffer, ShareMemoryReply> {
        private final CompletableFuture<MemoryOffer> made = new CompletableFuture<>();

        MemoryOffer await(long timeoutMillis) throws TatamiException {
            try {
                return made.get(timeoutMillis, TimeUnit.MILLISECONDS);
            } catch (ExecutionException e) {
                ErrorCode code = e.getCause() instanceof TatamiException told ? told.code() : ErrorCode.INTERNAL;
                throw new TatamiException(code, "cannot share memory with the block server: " + e.getCause(), e);
            } catch (TimeoutException e) {
                throw new TatamiException(
                        ErrorCode.DEADLINE_EXCEEDED,
                        "cannot share memory with the block server: no answer within the time limit",
                        e);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new TatamiException(ErrorCode.CANCELLED, "interrupted while waiting for shared memory", e);
            }
        }

        @Override
        public void onMessage(MemoryOffer offer, ByteBuf payload) {
            payload.release();
            made.complete(offer);
        }

        @Override
        public void onFinished(ShareMemoryReply reply) {
            made.completeExceptionally(new TatamiException(
                    ErrorCode.UNAVAILABLE, "the block server ended the stream without an offer of memory"));
        }

        @Override
        public void onFailed(TatamiException failure) {
            made.completeExceptionally(failure);
        }
    }
}
