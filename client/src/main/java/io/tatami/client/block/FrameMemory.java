package io.tatami.client.block;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.tatami.base.Check;
import io.tatami.protocol.BlockPayload;
import io.tatami.rpc.Connection;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The memory of one stream's frames: what it shares with the server, and buffers where there is no such memory or none
 * of it is free. A buffer is used again once nobody else holds it: fresh memory has to be cleared by the system first,
 * which costs as much as filling it, and a few buffers used in turn stay in the processor's cache. Used by one thread;
 * whoever is given a buffer may let go of it on any.
 */
final class FrameMemory {
    private final ByteBufAllocator allocator;
    private final int buffersMax;
    private RegionLease lease;
    private @Nullable WrittenUnits shared;

    /** One reference to each is held here. */
    private final List<ByteBuf> buffers = new ArrayList<>();

    /**
     * @param buffersMax how many are kept; those beyond are as if there were no memory
     * @param lease of memory that the server reads; goes back with this
     */
    FrameMemory(ByteBufAllocator allocator, int buffersMax, RegionLease lease) {
        this.allocator = allocator;
        this.buffersMax = buffersMax;
        this.lease = lease;
        this.shared = units(lease);
    }

    private static @Nullable WrittenUnits units(RegionLease lease) {
        SharedRegion region = lease.region();
        return region == null ? null : new WrittenUnits(region.memory());
    }

    /**
     * Shares other memory from here on; that before goes back.
     *
     * @param filling the only buffer that is in use; used up. Null where none is
     * @return the same bytes with as much room behind them, in the other memory where there is any
     */
    @Nullable
    FrameBuffer exchange(RegionLease other, @Nullable FrameBuffer filling) {
        WrittenUnits units = units(other);
        FrameBuffer moved = filling;
        if (filling != null && (units != null || filling.isShared())) {
            int roomBytes = filling.bytes().capacity();
            FrameBuffer taken = units == null ? null : units.take(roomBytes);
            moved = move(filling, taken == null ? FrameBuffer.own(takeOwn(roomBytes)) : taken);
        }
        if (units != null) {
            rest();
        }
        giveBack(true);
        lease = other;
        shared = units;
        return moved;
    }

    private static FrameBuffer move(FrameBuffer from, FrameBuffer to) {
        ByteBuf bytes = from.bytes();
        to.bytes().writeBytes(bytes, bytes.readerIndex(), bytes.readableBytes());
        bytes.release();
        return to;
    }

    /** Whether the server reads what lies here, as far as there is room. */
    boolean isShared() {
        return shared != null;
    }

    /** The connection for the stream: that of the shared memory, else {@code bulk}. */
    Connection connectionOr(Connection bulk) {
        return lease.connectionOr(bulk);
    }

    /** The memory's name for the server; empty where none is shared. */
    String sharedName() {
        SharedRegion region = lease.region();
        return region == null ? "" : region.name();
    }

    /** An empty buffer for exactly {@code roomBytes}; the caller owns a reference to it. */
    FrameBuffer take(int roomBytes) {
        Check.check(roomBytes <= BlockPayload.BYTES_MAX, "a frame of %d bytes", roomBytes);
        FrameBuffer taken = shared == null ? null : shared.take(roomBytes);
        return taken == null ? FrameBuffer.own(takeOwn(roomBytes)) : taken;
    }

    /** The frame, in memory of this process alone; {@code frame} is used up. */
    PendingFrame unshare(PendingFrame frame) {
        FrameBuffer buffer = frame.buffer();
        return buffer.isShared()
                ? new PendingFrame(
                        frame.offset(),
                        move(buffer, FrameBuffer.own(takeOwn(buffer.bytes().capacity()))),
                        frame.checksums())
                : frame;
    }

    /**
     * Lets go of all; what others hold goes back to the allocator with their last reference. Of shared memory nobody
     * may hold anything.
     *
     * @param isRead whether the server has read all that lies in shared memory
     */
    void release(boolean isRead) {
        rest();
        giveBack(isRead);
    }

    /** Keeps no buffer for later: a stream that has asked for a flush may rest for long. What is in use stays so. */
    void rest() {
        for (ByteBuf buffer : buffers) {
            buffer.release();
        }
        buffers.clear();
    }

    private void giveBack(boolean isRead) {
        Check.check(shared == null || shared.isFree(), "shared memory is given back that holds a frame");
        if (isRead) {
            lease.giveBack();
        } else {
            lease.giveUp();
        }
    }

    private ByteBuf takeOwn(int roomBytes) {
        if (roomBytes < BlockPayload.BYTES_MAX) {
            return allocator.directBuffer(roomBytes, roomBytes);
        }
        for (ByteBuf buffer : buffers) {
            if (buffer.refCnt() == 1) {
                return buffer.clear().retain();
            }
        }
        ByteBuf fresh = allocator.directBuffer(roomBytes, roomBytes);
        if (buffers.size() < buffersMax) {
            buffers.add(fresh.retain());
        }
        return fresh;
    }
}
