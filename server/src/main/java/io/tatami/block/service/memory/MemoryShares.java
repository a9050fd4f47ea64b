package io.tatami.block.service.memory;

import io.netty.buffer.ByteBuf;
import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.block.device.AlignedBufferPool;
import io.tatami.block.service.context.ServerThreads;
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
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Memory lent to readers and writers on this host, each piece for as long as the stream on which it was asked for is
 * open, and to be used on the connection of that stream alone. A piece that was given back is freed when the server
 * does not use it any more. Safe for use by many threads.
 */
public final class MemoryShares implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(MemoryShares.class);

    private final ServerThreads threads;
    private final SharedDirectory directory;
    private final long bytesMax;

    /** Guards what is counted. */
    private final Object counted = new Object();

    private long lentBytes;

    /** By the connections that memory is lent to. */
    private final Map<String, Long> heldBytes = new HashMap<>();

    private final Map<String, Share> shares = new ConcurrentHashMap<>();
    private final Set<Share> ending = ConcurrentHashMap.newKeySet();

    /** @param bytesMax of all that is lent at once; 0 to lend nothing */
    public MemoryShares(ServerThreads threads, SharedDirectory directory, long bytesMax) {
        this.threads = threads;
        this.directory = directory;
        this.bytesMax = bytesMax;
    }

    public void serveOn(HandlerTable table) {
        table.onStream(BlockMethods.SHARE_MEMORY, this::open);
    }

    /** A name that a client tells, where memory of this name is lent on its connection; else empty. */
    public String ownName(String name, CallContext.Peer peer) {
        Share share = shares.get(name);
        return share != null && share.connection.equals(peer.connection()) ? name : "";
    }

    /** The memory of this name, where it is lent to a reader. */
    public Optional<AlignedBufferPool> findRead(String name) {
        return find(name, ReadMemory.class).map(ReadMemory::pool);
    }

    /** The memory of this name, where it is lent to a writer. */
    public Optional<WrittenMemory> findWritten(String name) {
        return find(name, WrittenMemory.class);
    }

    private <M extends LentMemory> Optional<M> find(String name, Class<M> kind) {
        Share share = name.isEmpty() ? null : shares.get(name);
        return Optional.ofNullable(share)
                .map(Share::lent)
                .filter(kind::isInstance)
                .map(kind::cast);
    }

    /** Bytes that are lent, or still in use. */
    public long lentBytes() {
        synchronized (counted) {
            return lentBytes;
        }
    }

    /** Frees what was given back and is not in use any more; to be called now and then. */
    public void sweep() {
        ending.removeIf(Share::tryFree);
    }

    /** Lends nothing more, and takes back what is lent. */
    @Override
    public void close() {
        shares.values().forEach(Share::end);
        for (int sweep = 0; sweep < ReadMemory.ATTEMPTS_MIN; sweep++) {
            sweep();
        }
        directory.close();
    }

    private StreamReceiver<MemoryMapped> open(
            CallContext context, ShareMemoryRequest request, ServerStream<MemoryOffer, ShareMemoryReply> stream) {
        Share share = new Share(context.peer().connection(), request, stream);
        try {
            if (!context.peer().sameHost() || bytesMax == 0) {
                throw new TatamiException(ErrorCode.UNSUPPORTED, "this server shares no memory with this client");
            }
            if (request.getUnits() <= 0 || request.getUnits() > SharedUnits.UNITS_MAX) {
                throw new TatamiException(
                        ErrorCode.MALFORMED, request.getUnits() + " units of shared memory: not a valid number");
            }
            threads.command(share::begin);
        } catch (TatamiException e) {
            stream.failure(e);
        }
        return share;
    }

    /** The first piece of a connection where there is room; more only as long as as much is left for the others. */
    private boolean tryLend(String connection, long bytes) {
        synchronized (counted) {
            long freeBytes = bytesMax - lentBytes;
            long held = heldBytes.getOrDefault(connection, 0L);
            if (bytes > freeBytes || (held > 0 && held + bytes > freeBytes)) {
                return false;
            }
            lentBytes += bytes;
            heldBytes.put(connection, held + bytes);
            return true;
        }
    }

    private void takeBack(String connection, long bytes) {
        synchronized (counted) {
            lentBytes -= bytes;
            heldBytes.compute(connection, (key, held) -> held == null || held <= bytes ? null : held - bytes);
        }
    }

    /** One piece of memory, and the stream that it is lent on. */
    private final class Share implements StreamReceiver<MemoryMapped> {
        private final String connection;
        private final ShareMemoryRequest request;
        private final ServerStream<MemoryOffer, ShareMemoryReply> stream;
        private @Nullable LentMemory memory;
        private boolean ended;

        Share(String connection, ShareMemoryRequest request, ServerStream<MemoryOffer, ShareMemoryReply> stream) {
            this.connection = connection;
            this.request = request;
            this.stream = stream;
        }

        public synchronized @Nullable LentMemory lent() {
            return ended ? null : memory;
        }

        /** On a thread that may wait. */
        public void begin() {
            try {
                if (!tryLend(connection, bytes())) {
                    throw new TatamiException(
                            ErrorCode.BUSY,
                            "of the " + bytesMax + " bytes of shared memory " + lentBytes()
                                    + " are in use, and the rest is reserved for other clients");
                }
                offer(create());
            } catch (TatamiException e) {
                LOG.debug("no shared memory for a client", e);
                stream.failure(e);
            }
        }

        private long bytes() {
            return (long) request.getUnits() * SharedUnits.UNIT_BYTES;
        }

        private LentMemory create() throws TatamiException {
            try {
                Path path = directory.newFile(UUID.randomUUID().toString());
                return request.getWritten()
                        ? WrittenMemory.create(path, request.getUnits())
                        : ReadMemory.create(path, request.getUnits());
            } catch (TatamiException e) {
                takeBack(connection, bytes());
                throw e;
            }
        }

        private void offer(LentMemory made) {
            String name = made.path().toString();
            synchronized (this) {
                memory = made;
                shares.put(name, this);
                if (ended) {
                    retire(made);
                    return;
                }
            }
            stream.send(MemoryOffer.newBuilder()
                    .setPath(name)
                    .setWritten(request.getWritten())
                    .build());
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

        public synchronized void end() {
            if (!ended) {
                ended = true;
                if (memory != null) {
                    retire(memory);
                }
            }
        }

        private void retire(LentMemory retired) {
            shares.remove(retired.path().toString());
            ending.add(this);
            removeName();
        }

        private synchronized void removeName() {
            if (memory != null) {
                directory.remove(memory.path());
            }
        }

        synchronized boolean tryFree() {
            if (memory != null && memory.tryFree()) {
                memory = null;
                takeBack(connection, bytes());
            }
            return memory == null;
        }
    }
}
