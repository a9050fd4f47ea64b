package io.tatami.block.service.copy;

import io.tatami.base.BlockId;
import io.tatami.base.ErrorCode;
import io.tatami.base.Generation;
import io.tatami.base.TatamiException;
import io.tatami.block.service.context.ServerContext;
import io.tatami.client.block.BlockTarget;
import io.tatami.protocol.wire.CopiesMadeRequest;
import io.tatami.protocol.wire.PullBlocksRequest;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One copy that is to be made here, from when it is admitted until it is made or has failed. */
final class Pull {
    /** Of a block that is received as a whole before a byte of it is written. */
    static final int SHORT_BYTES_MAX = 1 << 20;

    /** Of what a report says of a failure. */
    private static final int MESSAGE_CHARACTERS_MAX = 1_000;

    private final BlockId block;
    private final Generation generation;
    private final long lengthBytes;
    private final int copyNumber;
    private final List<BlockTarget> sources;
    private final boolean urgent;
    private volatile @Nullable TatamiException cancelled;

    private Pull(
            BlockId block,
            Generation generation,
            long lengthBytes,
            int copyNumber,
            List<BlockTarget> sources,
            boolean urgent) {
        this.block = block;
        this.generation = generation;
        this.lengthBytes = lengthBytes;
        this.copyNumber = copyNumber;
        this.sources = sources;
        this.urgent = urgent;
    }

    /** @throws TatamiException MALFORMED */
    static Pull of(PullBlocksRequest.Item item) throws TatamiException {
        BlockId block = ServerContext.blockId(item.getBlockId());
        if (item.getLength() < 0 || item.getCopyNumber() <= 0 || item.getSourceCount() == 0) {
            throw new TatamiException(
                    ErrorCode.MALFORMED,
                    "copy " + item.getCopyNumber() + " of " + block + " of " + item.getLength() + " bytes from "
                            + item.getSourceCount() + " servers cannot be made");
        }
        return new Pull(
                block,
                ServerContext.generation(item.getGeneration()),
                item.getLength(),
                item.getCopyNumber(),
                item.getSourceList().stream().map(BlockTarget::of).toList(),
                item.getUrgent());
    }

    BlockId block() {
        return block;
    }

    Generation generation() {
        return generation;
    }

    /** Exactly as many as every good copy has. */
    long lengthBytes() {
        return lengthBytes;
    }

    boolean isShort() {
        return lengthBytes <= SHORT_BYTES_MAX;
    }

    int copyNumber() {
        return copyNumber;
    }

    /** Servers that have a copy, the best first. */
    List<BlockTarget> sources() {
        return sources;
    }

    /** Whether one good copy is left. */
    boolean urgent() {
        return urgent;
    }

    /** Has the pull end soon, without a copy. On any thread; the first reason counts. */
    synchronized void cancel(TatamiException reason) {
        if (cancelled == null) {
            cancelled = reason;
        }
    }

    boolean isCancelled() {
        return cancelled != null;
    }

    /** @throws TatamiException the reason for which it was cancelled */
    void throwIfCancelled() throws TatamiException {
        TatamiException reason = cancelled;
        if (reason != null) {
            throw reason.again();
        }
    }

    /** The report that the copy is durable here. */
    CopiesMadeRequest.Item made() {
        return report().build();
    }

    /** The report that there is no copy. */
    CopiesMadeRequest.Item failed(TatamiException failure) {
        String message = String.valueOf(failure.getMessage());
        return report().setError(failure.code().number())
                .setMessage(message.substring(0, Math.min(message.length(), MESSAGE_CHARACTERS_MAX)))
                .build();
    }

    private CopiesMadeRequest.Item.Builder report() {
        return CopiesMadeRequest.Item.newBuilder()
                .setBlockId(block.value())
                .setCopyNumber(copyNumber)
                .setGeneration(generation.value())
                .setLength(lengthBytes);
    }

    @Override
    public String toString() {
        return "copy " + copyNumber + " of " + block;
    }
}
