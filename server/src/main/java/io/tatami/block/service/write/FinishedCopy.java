package io.tatami.block.service.write;

/** A copy that is finalized: all of it is durable, and there is no writer any more. */
record FinishedCopy(long sequence, long lengthBytes, long roomBytes) implements WrittenCopy {
    @Override
    public long durableBytes() {
        return lengthBytes;
    }

    @Override
    public long flushedBytes() {
        return lengthBytes;
    }
}
