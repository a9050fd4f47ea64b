package io.tatami.block.service;

import io.netty.buffer.ByteBuf;
import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.block.device.AlignedBuffer;
import io.tatami.block.device.AlignedBufferPool;
import io.tatami.block.device.Device;
import io.tatami.block.device.HugePages;
import io.tatami.client.block.SharedUnits;
import io.tatami.protocol.BlockMethods;
import io.tatami.protocol.wire.MemoryMapped;
import io.tatami.protocol.wire.MemoryOffer;
import io.tatami.protocol.wire.ShareMemoryReply;
import io.tatami.protocol.wire.ShareMemoryRequest;
import io.tatami.rpc.CallContext;
import io.tatami.rpc.HandlerTable;
import io.tatami.rpc.ServerStream;
import io.tatami.rpc.StreamReceiver;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Memory lent to readers on this host, each piece for as long as the stream on which it was asked for is open. A piece
 * that was given back is unmapped when no device reads into it any more. Safe for use by many threads.
 */
final class MemoryShares implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(MemoryShares.class);

    private final ServerThreads threads;
    private final SharedDirectory directory;
    private final long bytesMax;
    private final AtomicLong lentBytes = new AtomicLong();
    private final Map<String, Share> shares = new ConcurrentHashMap<>();
    private final Set<Share> ending = ConcurrentHashMap.newKeySet();

    /** @param bytesMax of all that is lent at once; 0 to lend nothing */
    MemoryShares(ServerThreads threads, SharedDirectory directory, long bytesMax) {
        this.threads = threads;
        this.directory = directory;
        this.bytesMax = bytesMax;
    }

    void serveOn(HandlerTable table) {
        table.onStream(BlockMethods.SHARE_MEMORY, this::open);
    }

    /** The memory of this name, where it is lent. */
    Optional<AlignedBufferPool> find(String name) {
        Share share = name.isEmpty() ? null : shares.get(name);
        return share == null ? Optional.empty() : Optional.ofNullable(share.pool());
    }

    /** Bytes that are mapped for readers. */
    long lentBytes() {
        return lentBytes.get();
    }

    /** Unmaps what was given back and is not read into any more; to be called now and then. */
    void sweep() {
        ending.removeIf(Share::tryUnmap);
    }

    /** Lends nothing more; what is lent stays mapped until the readers' streams have ended. */
    @Override
    public void close() {
        shares.values().forEach(Share::end);
        for (int sweep = 0; sweep < Share.SWEEPS_MIN; sweep++) {
            sweep();
        }
        directory.close();
    }

    private StreamReceiver<MemoryMapped> open(
            CallContext context, ShareMemoryRequest request, ServerStream<MemoryOffer, ShareMemoryReply> stream) {
        Share share = new Share(request.getUnits(), stream);
        try {
            if (!context.peer().sameHost() || bytesMax == 0) {
                throw new TatamiException(ErrorCode.UNSUPPORTED, "this server shares no memory with this client");
            }
            if (request.getUnits() <= 0 || request.getUnits() > SharedUnits.UNITS_MAX) {
                throw new TatamiException(ErrorCode.MALFORMED, request.getUnits() + " units of shared memory");
            }
            threads.command(share::begin);
        } catch (TatamiException e) {
            stream.failure(e);
        }
        return share;
    }

    private boolean tryLend(long bytes) {
        return lentBytes.getAndUpdate(now -> now + bytes > bytesMax ? now : now + bytes) + bytes <= bytesMax;
    }

    /** One piece of memory, and the stream that it is lent on. */
    private final class Share implements StreamReceiver<MemoryMapped> {
        /** A read that was under way when the connection was lost has heard of it by the second. */
        private static final int SWEEPS_MIN = 2;

        private final int units;
        private final ServerStream<MemoryOffer, ShareMemoryReply> stream;
        private final List<AlignedBuffer> back = new ArrayList<>();
        private @Nullable SharedUnits memory;
        private @Nullable AlignedBufferPool pool;
        private boolean ended;
        private int sweeps;

        Share(int units, ServerStream<MemoryOffer, ShareMemoryReply> stream) {
            this.units = units;
            this.stream = stream;
        }

        synchronized @Nullable AlignedBufferPool pool() {
            return ended ? null : pool;
        }

        /** On a thread that may wait. */
        void begin() {
            long bytes = (long) units * SharedUnits.UNIT_BYTES;
            try {
                if (!tryLend(bytes)) {
                    throw new TatamiException(
                            ErrorCode.BUSY, "all of the " + bytesMax + " bytes of shared memory are lent");
                }
                offer(create(bytes));
            } catch (TatamiException e) {
                LOG.debug("no shared memory for a reader", e);
                stream.failure(e);
            }
        }

        private SharedUnits create(long bytes) throws TatamiException {
            try {
                SharedUnits made =
                        SharedUnits.create(directory.newFile(UUID.randomUUID().toString()), units);
                HugePages.collapse(made.path(), bytes);
                return made;
            } catch (TatamiException e) {
                lentBytes.addAndGet(-bytes);
                throw e;
            }
        }

        private void offer(SharedUnits made) {
            String name = made.path().toString();
            synchronized (this) {
                memory = made;
                pool = new AlignedBufferPool(Device.UNIT_BYTES, made.memory());
                shares.put(name, this);
                if (ended) {
                    retire(made);
                    return;
                }
            }
            stream.send(MemoryOffer.newBuilder().setPath(name).build());
        }

        @Override
        public void onMessage(MemoryMapped message, ByteBuf payload) {
            payload.release();
            removeName();
        }

        @Override
        public void onCancelled(TatamiException reason) {
            end();
        }

        synchronized void end() {
            if (!ended) {
                ended = true;
                if (memory != null) {
                    retire(memory);
                }
            }
        }

        private void retire(SharedUnits retired) {
            shares.remove(retired.path().toString());
            ending.add(this);
            removeName();
        }

        private synchronized void removeName() {
            if (memory != null) {
                directory.remove(memory.path());
            }
        }

        /** Whether the memory is unmapped: it is when all of its buffers are back. */
        synchronized boolean tryUnmap() {
            SharedUnits mapped = memory;
            if (mapped == null || pool == null) {
                return true;
            }
            if (++sweeps < SWEEPS_MIN) {
                return false;
            }
            AlignedBuffer buffer = pool.tryAcquire();
            while (buffer != null) {
                back.add(buffer);
                buffer = pool.tryAcquire();
            }
            if (back.size() < units) {
                return false;
            }
            memory = null;
            mapped.close();
            lentBytes.addAndGet(-(long) units * SharedUnits.UNIT_BYTES);
            return true;
        }
    }
}
